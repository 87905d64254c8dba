"""An owner's account on loopback: two buckets, a function with its alias, a distribution; and the tools of a runner."""

from __future__ import annotations

import io
import itertools
import json
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

import boto3

from compiler.upload import make_keys
from query_fn.bucket import Place, read_pointer
from tests.aws import REGION

_numbers = itertools.count()
GH = """#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
case "$1 $2" in
  "api "*) cat "{visibility}" ;;
  "run list") cat "{runs}" ;;
esac
"""
CURL = """#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
echo '{{"value": "header.payload.signature"}}'
"""


@dataclass(frozen=True)
class Account:
    """What lies there, by name."""

    builds: str
    site: str
    function: str
    distribution: str
    role: str

    def pointer(self) -> str:
        """Return the id of the build that the function would fetch."""
        return read_pointer(boto3.client("s3"), Place(self.builds, "wiki/")).build_id

    def file(self, name: str, bucket: str = "") -> bytes:
        """Return an object of the site's bucket."""
        body: bytes = boto3.client("s3").get_object(Bucket=bucket or self.site, Key=name)["Body"].read()
        return body

    def names(self, bucket: str, prefix: str = "") -> set[str]:
        """Return the keys of a bucket."""
        pages = boto3.client("s3").get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        return {item["Key"] for page in pages for item in page.get("Contents", ())}

    def settings(self) -> str:
        """Return the section of geosmin.yml that leads here."""
        return (
            f"deploy:\n  builds: s3://{self.builds}/wiki\n  function: {self.function}\n"
            f"  site: s3://{self.site}\n  distribution: {self.distribution}\n"
        )


def account(address: str) -> Account:
    """Make an account's parts with names of their own."""
    number = next(_numbers)
    s3 = boto3.client("s3")
    names = (f"builds-{number}", f"site-{number}")
    for name in names:
        s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
    role = boto3.client("iam").create_role(RoleName=f"deploy-{number}", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    _post(f"{address}/moto-api/config", {"lambda": {"use_docker": False}})
    client, old = boto3.client("lambda"), io.BytesIO()
    with zipfile.ZipFile(old, "w") as archive:
        archive.writestr("old.py", "")
    code = {"ZipFile": old.getvalue()}
    client.create_function(
        FunctionName=f"wiki-{number}", Runtime="python3.13", Role=role, Handler="x.y", Code=code, Publish=True
    )
    client.create_alias(FunctionName=f"wiki-{number}", Name="live", FunctionVersion="1")
    origin = {
        "Id": "site",
        "DomainName": f"{names[1]}.s3.amazonaws.com",
        "S3OriginConfig": {"OriginAccessIdentity": ""},
    }
    made = boto3.client("cloudfront").create_distribution(
        DistributionConfig={
            "CallerReference": str(number), "Comment": "", "Enabled": True, "Origins": {"Quantity": 1, "Items": [origin]},
            "DefaultCacheBehavior": {"TargetOriginId": "site", "ViewerProtocolPolicy": "https-only"},
        }
    )  # fmt: skip
    return Account(*names, f"wiki-{number}", made["Distribution"]["Id"], role)


def tools(folder: Path, *, visibility: str = "private", runs: object = ()) -> Path:
    """Write the tools that speak to GitHub: they answer from files and write down how they were called."""
    folder.mkdir()
    places = {"log": folder / "log", "visibility": folder / "visibility", "runs": folder / "runs"}
    places["visibility"].write_text(visibility + "\n")
    places["runs"].write_text(json.dumps(runs))
    for name, text in (("gh", GH), ("curl", CURL)):
        (folder / name).write_text(text.format(**places))
        (folder / name).chmod(0o755)
    return folder


def secrets() -> dict[str, str]:
    """Return the secrets of a repository, as a workflow sees them."""
    private, public = make_keys()
    return {"secrets.GEOSMIN_SIGNING_KEY": private, "secrets.GEOSMIN_VERIFY_KEY": public}


def _post(url: str, body: object) -> None:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    urllib.request.urlopen(request).close()
