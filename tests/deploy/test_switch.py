"""Through the switch: a reader's site and the function that answers are of one build, or the question is put again."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
import httpx
import pytest
import uvicorn

from compiler.deploy.story import Parcel, deploy
from compiler.errors import BuildError, SettingsError
from compiler.progress import Clock, Silent
from compiler.settings import Settings as Owned
from compiler.settings import load
from compiler.upload import make_keys
from query_fn.app import create_app
from query_fn.settings import Settings
from query_fn.signature import key_from
from tests.compiler.vault import PUBLIC, make
from tests.deploy.cloud import Account, account

PRIVATE, KEY = (key_from(key) or b"" for key in make_keys())
PARCEL = Parcel(None, PRIVATE, KEY)
PAGE = PUBLIC + "# Backups\n\nBackups are kept for {} days.\n"
ASK = {"question": "How long are backups kept?", "stream": False}


def built(tmp: Path, owner: Account, name: str, files: dict[str, str | bytes], address: str = "") -> Owned:
    """Build notes and return the settings that deploy them."""
    make(tmp, files, name=name)
    deployed = {"builds": f"s3://{owner.builds}/wiki", "site": f"s3://{owner.site}", "address": address}
    sets = [f"deploy.{key}={value}" for key, value in deployed.items() if value]
    return load(
        tmp / name / "content", tmp / name / "dist", tmp / name / "state", overrides=["embed.model=none", *sets]
    )


def send(settings: Owned, parcel: Parcel | None = PARCEL) -> str:
    """Deploy and return the build's id."""
    return deploy(settings, parcel, clock=Clock(Silent()), sleep=lambda _: time.sleep(0.05)).build_id


@contextmanager
def function(owner: Account, seconds: float = 60) -> Iterator[str]:
    """Serve the function as it would run, looking at the pointer once a minute; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = Settings(bucket=f"s3://{owner.builds}/wiki", verify_key=KEY, refresh_seconds=seconds)
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=port, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        thread.join()


def test_no_answer_is_of_another_build_than_the_site(cloud: str, tmp_path: Path) -> None:
    """A reader who asks all through a deployment never gets an answer of another build than the site's, and gets one."""
    owner = account(cloud)
    first = send(built(tmp_path, owner, "a", {"index.md": PAGE.format(7)}))
    seen: list[tuple[int, str, str]] = []
    over = threading.Event()

    def read(address: str) -> None:
        client = httpx.Client(base_url=address)
        while not over.is_set() or len(seen) < 3:
            site = json.loads(owner.file("build.json"))["build"]
            reply = client.post("api/public/qa/chat", json=ASK, headers={"x-geosmin-build": site})
            seen.append((reply.status_code, site, reply.json().get("build_id", "")))

    with function(owner) as address:
        reader = threading.Thread(target=read, args=(address,))
        reader.start()
        second = send(built(tmp_path, owner, "b", {"index.md": PAGE.format(9)}))
        time.sleep(1.5)  # the function looks at most once a second
        over.set()
        reader.join()
        last = httpx.post(f"{address}api/public/qa/chat", json=ASK, headers={"x-geosmin-build": second}).json()
    assert {status for status, *_ in seen} <= {200, 409}
    assert [row for row in seen if row[0] == 200 and row[1] != row[2]] == []
    assert {build for status, _, build in seen if status == 200} == {first, second}
    assert "9 days" in last["answer"]


def test_the_site_waits_for_the_function(cloud: str, tmp_path: Path) -> None:
    """The site is published only when the function answers from the build at its address."""
    owner = account(cloud)
    with function(owner, seconds=0) as address:
        assert send(built(tmp_path, owner, "a", {"index.md": PAGE.format(7)}, address)) == owner.pointer()
    with pytest.raises(BuildError, match="the site was left as it is"):
        send(built(tmp_path, owner, "b", {"index.md": PAGE.format(9)}, "http://127.0.0.1:9/"))
    assert b"7 days" in owner.file("index.html")


def test_a_build_that_fails_its_trial_is_not_switched_to(cloud: str, tmp_path: Path) -> None:
    """A build that the function would refuse, such as one signed with another key, leaves pointer and site."""
    owner = account(cloud)
    first = send(built(tmp_path, owner, "a", {"index.md": PAGE.format(7)}))
    stranger = key_from(make_keys()[1]) or b""
    with pytest.raises(Exception, match="not signed"):
        send(built(tmp_path, owner, "b", {"index.md": PAGE.format(9)}), Parcel(None, PRIVATE, stranger))
    assert owner.pointer() == first
    assert b"7 days" in owner.file("index.html")


def test_what_is_unpublished_is_gone_from_the_bucket(cloud: str, tmp_path: Path) -> None:
    """A page that is private now is no object any more, with all that was made of it; the rest is written once."""
    owner = account(cloud)
    page = PUBLIC + "# Quokka\n\nA quokka is a marsupial that lives on an island.\n"
    send(built(tmp_path, owner, "a", {"index.md": PAGE.format(7), "quokka.md": page}))
    assert "quokka/index.html" in owner.names(owner.site)
    send(built(tmp_path, owner, "b", {"index.md": PAGE.format(7), "quokka.md": page.replace("public", "private")}))
    names = owner.names(owner.site)
    assert "index.html" in names and not [name for name in names if "quokka" in name]
    assert not [name for name in names if b"quokka" in owner.file(name).lower()]
    head = boto3.client("s3").head_object(Bucket=owner.site, Key="index.html")
    assert (head["ContentType"], head["CacheControl"]) == ("text/html; charset=utf-8", "no-cache")


def test_keys_are_asked_for(cloud: str, tmp_path: Path) -> None:
    """Builds that nobody signed go nowhere."""
    owner = account(cloud)
    with pytest.raises(SettingsError, match="GEOSMIN_SIGNING_KEY"):
        send(built(tmp_path, owner, "a", {"index.md": PAGE.format(7)}), None)
    assert owner.names(owner.builds) == owner.names(owner.site) == set()
