"""Options of the whole suite."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the one flag that rewrites golden files."""
    parser.addoption(
        "--refresh-golden", action="store_true", help="write what the parser does now into the golden files"
    )
