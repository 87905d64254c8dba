"""`geosmin deploy`: a build becomes what readers see. Everything is tried before anything is switched.

The story: stage the artifacts, try them from the bucket, release the code, switch the pointer, wait until the function
answers from the build, publish the site, give up old copies. What fails before the switch changes nothing for readers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from compiler.deploy import code, site, trial
from compiler.errors import SettingsError
from compiler.index.switch import current_build
from compiler.progress import Clock
from compiler.settings import Settings
from compiler.upload import origin, pointer, stage, switch_to
from query_fn.bucket import Place
from query_fn.contract import POINTER


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is deployed besides the build: the function's zip (None: its code stays) and the owner's two keys."""

    bundle: Path | None
    signing_key: bytes
    verify_key: bytes


@dataclass(frozen=True, slots=True)
class Deployed:
    """What was done: the build, the version of the code ("" when it stayed), and files of the site written and gone."""

    build_id: str
    version: str
    written: int
    removed: int


def deploy(
    settings: Settings, parcel: Parcel | None, *, clock: Clock, sleep: Callable[[float], None] = time.sleep
) -> Deployed:
    """Deploy the current build to where the settings say. `parcel` may be None when there is no function.

    Raises LockedError when a newer commit is published already, BuildError or ArtifactError when a trial fails.
    """
    if current_build(settings.out) is None:
        raise SettingsError(f"there is no build below {settings.out}; run `geosmin build` first")
    build_id, version = "", ""
    if settings.deploy.builds:
        if parcel is None:
            raise SettingsError("deploy.builds needs GEOSMIN_SIGNING_KEY and GEOSMIN_VERIFY_KEY")
        build_id, version = _function(settings, parcel, clock=clock, sleep=sleep)
    written, removed = _site(settings, clock)
    return Deployed(build_id, version, written, removed)


def _function(settings: Settings, parcel: Parcel, *, clock: Clock, sleep: Callable[[float], None]) -> tuple[str, str]:
    """Bring artifacts and code to where the function is; return the build's id and the code's version."""
    target = settings.deploy
    place = Place.of(target.builds)
    assert place is not None  # checked with the settings
    seen = pointer(place)
    with clock.stage("stage"):
        build_id = stage(settings.out / POINTER / "artifacts", place, parcel.signing_key)
    with clock.stage("try"):
        trial.from_bucket(place, build_id, parcel.verify_key)
        version = code.release(target.function, parcel.bundle, place) if target.function else ""
    with clock.stage("switch"):
        switch_to(place, build_id, origin(settings.content, settings.state), seen=seen)
        if version:
            code.go_live(target.function, version)
        if target.address:
            trial.until_served(target.address, build_id, sleep=sleep)
    return build_id, version


def _site(settings: Settings, clock: Clock) -> tuple[int, int]:
    place = Place.of(settings.deploy.site)
    if place is None:
        return 0, 0
    with clock.stage("site"):
        done = site.publish(site.files(settings.out), place)
        if settings.deploy.distribution:
            site.purge(settings.deploy.distribution)
    return done
