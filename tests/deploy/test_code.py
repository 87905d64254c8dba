"""The function's code and settings: what the stack changes reaches readers with the next deployment, and not before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boto3
import pytest

from compiler.deploy.code import go_live, release
from query_fn.bucket import Place
from tests.deploy.cloud import Account, account


@pytest.fixture
def owner(cloud: str) -> Account:
    """An account whose alias leads to the stack's first version."""
    return account(cloud)


def deployed(owner: Account, bundle: Path | None) -> str:
    """Release and go live as `geosmin deploy` does; return the new version, "" for none."""
    version = release(owner.function, bundle, Place(owner.builds, "wiki/"))
    if version:
        go_live(owner.function, version)
    return version


def live(owner: Account) -> dict[str, Any]:
    """Return what readers are answered by."""
    client = boto3.client("lambda")
    found: dict[str, Any] = client.get_function_configuration(FunctionName=owner.function, Qualifier="live")
    return found


def set_cap(owner: Account, usd: str) -> None:
    """Change a setting as a stack update does: the alias stays where it is."""
    client = boto3.client("lambda")
    client.update_function_configuration(
        FunctionName=owner.function, Environment={"Variables": {"GEOSMIN_DAY_USD": usd}}
    )


@pytest.mark.parametrize("code", [None, b"new code"])
def test_changed_settings_reach_readers(owner: Account, tmp_path: Path, code: bytes | None) -> None:
    """With new code or without, the next deployment is a version with the settings of now; then nothing is left to do."""
    bundle = tmp_path / "function.zip" if code else None
    if bundle and code:
        bundle.write_bytes(code)
        deployed(owner, bundle)
    set_cap(owner, "0.25")
    assert "Environment" not in live(owner) or "GEOSMIN_DAY_USD" not in live(owner)["Environment"]["Variables"]
    before = live(owner)["CodeSha256"]
    assert deployed(owner, bundle)
    assert live(owner)["Environment"]["Variables"]["GEOSMIN_DAY_USD"] == "0.25"
    assert live(owner)["CodeSha256"] == before
    assert deployed(owner, bundle) == ""


def test_code_that_nobody_deployed_does_not_go_live(owner: Account, tmp_path: Path) -> None:
    """What a stack update or a failed trial left in the function waits for a bundle, and a bundle replaces it."""
    bundle = tmp_path / "function.zip"
    bundle.write_bytes(b"published code")
    deployed(owner, bundle)
    before = live(owner)
    boto3.client("lambda").update_function_code(FunctionName=owner.function, ZipFile=b"an older zip of the stack")
    assert deployed(owner, None) == ""
    assert live(owner)["Version"] == before["Version"]
    assert deployed(owner, bundle)
    assert live(owner)["CodeSha256"] == before["CodeSha256"]
