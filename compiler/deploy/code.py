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


def release(function: str, bundle: Path, place: Place) -> str:
    """Upload the zip, publish it as a version and let that look at the bucket; return its number, "" when unchanged.

    Readers are still answered by the version before. Raises BuildError when the version does not start.
    """
    client, digest = _client(), hashlib.sha256(bundle.read_bytes()).digest()
    with telling(f"the function {function}"):
        known = client.get_function_configuration(FunctionName=function, Qualifier=ALIAS)
    if known["CodeSha256"] == base64.b64encode(digest).decode():
        return ""
    key = place.key("code", f"{digest.hex()}.zip")  # 50 MB is the most that the call itself takes
    with telling(f"the code of {function}"):
        s3_client().upload_file(str(bundle), place.bucket, key)
        made = client.update_function_code(FunctionName=function, S3Bucket=place.bucket, S3Key=key, Publish=True)
        version = str(made["Version"])
        client.get_waiter("function_active_v2").wait(FunctionName=function, Qualifier=version)
        _try(client, function, version)
    return version


def go_live(function: str, version: str) -> None:
    """Lead readers to a version."""
    with telling(f"the alias of {function}"):
        _client().update_alias(FunctionName=function, Name=ALIAS, FunctionVersion=version)


def _try(client: Any, function: str, version: str) -> None:
    done = client.invoke(FunctionName=function, Qualifier=version, Payload=json.dumps(LOOK).encode())
    if error := done.get("FunctionError"):
        raise BuildError(f"version {version} of {function} does not start ({error}); nothing was switched")


def _client() -> Any:
    import boto3  # 0.4 s

    return boto3.client("lambda")
