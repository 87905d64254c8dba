"""The owner's schedule asks the function how it is; the line it writes is what an alarm looks at."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from query_fn import handler
from query_fn.app import create_app
from query_fn.contract import MANIFEST, dump_manifest
from query_fn.settings import Settings
from tests.artifacts import BUILD_ID, make_artifacts

LOOK = {"geosmin": "look"}


def look(folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> tuple[dict, dict]:
    """Return what the schedule is told and what was written."""
    monkeypatch.setattr(handler, "app", create_app(Settings(artifacts=folder)))
    with caplog.at_level(logging.INFO, "geosmin.records"):
        told = handler.handler(LOOK, None)
    (line,) = (record.message for record in caplog.records if record.name == "geosmin.records")
    return told, json.loads(line)


@pytest.mark.parametrize(("late", "overdue"), [(-3600, 0), (7200, 7200)])
def test_a_page_that_should_be_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, late: int, overdue: int
) -> None:
    """The metric is for how long an expired page has been part of the build, 0 while none has."""
    manifest = make_artifacts(tmp_path)
    changed = replace(manifest, next_change=int(time.time()) - late)
    (tmp_path / MANIFEST).write_text(dump_manifest(changed), "utf-8")
    told, line = look(tmp_path, monkeypatch, caplog)
    assert (told["status"], told["build_id"]) == ("ok", BUILD_ID)
    assert overdue <= line["overdue"] <= overdue + 60 if overdue else line["overdue"] == 0
    (metric,) = line["_aws"]["CloudWatchMetrics"]
    assert metric["Metrics"] == [{"Name": "overdue", "Unit": "Seconds"}]
    assert (metric["Dimensions"], line["route"]) == ([["route"]], "look")


def test_without_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A function that has nothing to serve says which fault it is, and does not fail."""
    told, _ = look(tmp_path / "nothing", monkeypatch, caplog)
    assert told == {"status": "artifacts_missing", "build_id": "", "next_change": None, "overdue": 0}


def test_a_reader_cannot_ask_for_it() -> None:
    """A request whose body says the same is a request."""
    event = {
        "requestContext": {"http": {"method": "POST", "path": "/x", "sourceIp": "127.0.0.1"}},
        "rawPath": "/x",
        "body": json.dumps(LOOK),
    }
    assert handler.handler({**event, "version": "2.0", "headers": {}, "rawQueryString": ""}, None)["statusCode"] == 404
