"""The function's code: published as a version, tried by itself, and only then what the alias `live` leads to."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from compiler.errors import BuildError
from query_fn.bucket import Place, s3_client, telling

ALIAS = "live"
LOOK = {"geosmin": "look"}  # the event that `query_fn.handler` answers with the build it would serve


def release(function: str, bundle: Path | None, place: Place) -> str:
    """Publish code and settings as a version and let that look at the bucket; return its number, "" for none.

    There is none when readers have it already. Settings that the owner's stack has changed are part of a version: this
    is how they reach readers. Without a `bundle` the code stays; if the function holds other code than readers have,
    all waits for one. Until `go_live` the version before answers. Raises BuildError when this one does not start.
    """
    client = _client()
    with telling(f"the function {function}"):
        live = client.get_function_configuration(FunctionName=function, Qualifier=ALIAS)
        newest = client.get_function_configuration(FunctionName=function)["CodeSha256"]
    wanted = _digest(bundle) if bundle else live["CodeSha256"]
    with telling(f"the code of {function}"):
        if newest == wanted:  # AWS names the last version again when nothing has changed
            version = str(client.publish_version(FunctionName=function, CodeSha256=wanted)["Version"])
        else:
            version = _sent(client, function, bundle, place) if bundle else live["Version"]
        if version == live["Version"]:
            return ""
        client.get_waiter("function_active_v2").wait(FunctionName=function, Qualifier=version)
        _try(client, function, version)
    return version


def go_live(function: str, version: str) -> None:
    """Lead readers to a version."""
    with telling(f"the alias of {function}"):
        _client().update_alias(FunctionName=function, Name=ALIAS, FunctionVersion=version)


def _digest(bundle: Path) -> str:
    return base64.b64encode(hashlib.sha256(bundle.read_bytes()).digest()).decode()


def _sent(client: Any, function: str, bundle: Path, place: Place) -> str:
    """Send the zip by way of the bucket, since 50 MB is the most that the call itself takes; return its version."""
    key = place.key("code", f"{base64.b64decode(_digest(bundle)).hex()}.zip")
    s3_client().upload_file(str(bundle), place.bucket, key)
    made = client.update_function_code(FunctionName=function, S3Bucket=place.bucket, S3Key=key, Publish=True)
    return str(made["Version"])


def _try(client: Any, function: str, version: str) -> None:
    done = client.invoke(FunctionName=function, Qualifier=version, Payload=json.dumps(LOOK).encode())
    if error := done.get("FunctionError"):
        raise BuildError(f"version {version} of {function} does not start ({error}); nothing was switched")


def _client() -> Any:
    import boto3  # 0.4 s

    return boto3.client("lambda")
