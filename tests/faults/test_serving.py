"""Builds and a server at the same time, as processes of their own: a killed server, and a switch below its readers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.compiler.test_serve import ROOT, get, wait
from tests.compiler.vault import PUBLIC, write

PAGES = 20
ROUNDS = 2
ASK = {"question": "安装需要什么？", "stream": False}


def vault(mark: str) -> dict[str, str | bytes]:
    """Return pages that all carry a mark."""
    pages = {f"p{n}.md": PUBLIC + f"# 页{n}\n\n{mark}。\n\n" + "一句话。" * 40 + "\n" for n in range(PAGES)}
    return {**pages, "install.md": PUBLIC + f"# 安装\n\n## 需要什么\n\n安装需要 Python {mark}。\n"}


def start(folder: Path, command: str, *args: str) -> subprocess.Popen[bytes]:
    """Start a command of ours in `folder`."""
    line = [sys.executable, "-m", "compiler.cli", command, "--set", "embed.model=none", *args]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(line, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextmanager
def serving(folder: Path, *args: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Serve a folder and yield the process and its address; the process is killed at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    running = start(folder, "serve", "--port", str(port), *args)
    base = f"http://127.0.0.1:{port}/"
    try:
        wait(lambda: get(base + "healthz")[0] == 200)
        yield running, base
    finally:
        running.kill()
        running.wait(20)


@pytest.mark.slow
def test_a_server_that_is_killed_while_it_builds_serves_again(tmp_path: Path) -> None:
    """The next `serve` shows the edit, and nothing of the half-written build is left."""
    builds = tmp_path / "dist" / "builds"
    write(tmp_path / "content", vault("3.1"))
    with serving(tmp_path) as (running, base):
        assert "3.1" in get(base + "p0/")[1]
        write(tmp_path / "content", vault("3.2"))
        wait(lambda: any(builds.glob("*.part")))
        running.kill()
    assert any(builds.glob("*.part"))
    with serving(tmp_path) as (_, base):
        assert "3.2" in get(base + "p0/")[1]
        assert [place.name for place in builds.iterdir()] == [(tmp_path / "dist" / "current").resolve().name]


class Reader(threading.Thread):
    """A reader who asks and opens a page again and again, and notes what went wrong."""

    def __init__(self, base: str, mark: Callable[[], str]) -> None:
        super().__init__(daemon=True)
        self.base, self.mark = base, mark
        self.seen: list[str] = []
        self.wrong: list[str] = []
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.is_set():
            for look in (self._page, self._answer):
                before = self.mark()
                said = look()
                if said not in (before, self.mark()):
                    self.wrong.append(f"{said!r} where {before} was served")
                self.seen.append(said)

    def _page(self) -> str:
        status, html = get(self.base + "p0/")
        return next((mark for mark in MARKS if f"{mark}。" in html), f"page {status}")

    def _answer(self) -> str:
        status, text = get(self.base + "api/public/qa/chat", ASK)
        if status != 200:
            return f"answer {status}"
        told = json.loads(text)
        shown = {mark for mark in MARKS if mark in told["answer"] + json.dumps(told["evidence"])}
        return shown.pop() if len(shown) == 1 else f"a mixture: {sorted(shown)}"


def all_have_seen(readers: list[Reader], mark: str) -> bool:
    """Tell whether every reader was given a build."""
    return all(mark in reader.seen for reader in readers)


MARKS = [f"3.{n}" for n in range(1, ROUNDS + 2)]


@pytest.mark.slow
def test_readers_see_one_build_at_a_time(tmp_path: Path) -> None:
    """While builds switch below a server, every page and answer is whole, and of the build behind the pointer."""
    write(tmp_path / "content", vault(MARKS[0]))
    assert start(tmp_path, "build").wait(120) == 0
    marks = {(tmp_path / "dist" / "current").resolve().name: MARKS[0]}

    def mark() -> str:
        name = (tmp_path / "dist" / "current").resolve().name
        end = time.monotonic() + 60
        while name not in marks and time.monotonic() < end:  # the build has switched and has not yet ended
            time.sleep(0.01)
        return marks[name]

    with serving(tmp_path, "--no-watch") as (_, base):
        readers = [Reader(base, mark) for _ in range(3)]
        for reader in readers:
            reader.start()
        for number in range(1, ROUNDS + 1):
            write(tmp_path / "content", vault(MARKS[number]))
            assert start(tmp_path, "build").wait(120) == 0
            marks[(tmp_path / "dist" / "current").resolve().name] = MARKS[number]
            wait(partial(all_have_seen, readers, MARKS[number]))
        for reader in readers:
            reader.stop.set()
            reader.join(20)
    assert [wrong for reader in readers for wrong in reader.wrong] == []
    assert all(reader.seen == sorted(reader.seen) for reader in readers)
