"""Where a published build goes: the section `deploy` of the settings. No key stands in it."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.errors import SettingsError
from query_fn.bucket import Place


@dataclass(frozen=True, slots=True)
class DeploySettings:
    """Where `geosmin deploy` brings what. Everything that is "" is left out."""

    builds: str = ""  # s3://BUCKET/PREFIX, private: the function fetches its artifacts there
    function: str = ""  # the name of the Lambda function; its alias `live` answers
    site: str = ""  # s3://BUCKET/PREFIX behind CloudFront; "" when the site is published elsewhere
    distribution: str = ""  # the CloudFront distribution whose copies are given up
    address: str = ""  # where readers reach the function, such as https://d111.cloudfront.net/; asked after the switch


def check_destination(deploy: DeploySettings) -> None:
    """Raise SettingsError for a place that is none, and for a site that would lie among the private builds."""
    for name, url in (("builds", deploy.builds), ("site", deploy.site)):
        if url and Place.of(url) is None:
            raise SettingsError(f"deploy.{name} {url!r}: write s3://bucket/prefix")
    builds, site = Place.of(deploy.builds), Place.of(deploy.site)
    if builds and site and builds.bucket == site.bucket:
        raise SettingsError("deploy.site and deploy.builds need a bucket each: one is read by everybody, one by nobody")
    if deploy.function and not deploy.builds:
        raise SettingsError("deploy.function needs deploy.builds: the function fetches its artifacts there")
