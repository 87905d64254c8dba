"""What the whole suite shares: its options, and Amazon's services on loopback."""

from collections.abc import Iterator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the one flag that rewrites golden files."""
    parser.addoption(
        "--refresh-golden", action="store_true", help="write what the parser does now into the golden files"
    )


@pytest.fixture(scope="module")
def cloud() -> Iterator[str]:
    """Amazon's services on loopback, new for each module."""
    from tests.aws import aws  # boto3 and moto: seconds that most modules need not wait for

    with aws() as address:
        yield address
