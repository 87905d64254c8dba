"""`geosmin serve` as it runs: site and API on one address, a rebuild after an edit, a preview that stays local."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .vault import PUBLIC, write

ROOT = Path(__file__).resolve().parents[2]
VAULT = {
    "index.md": PUBLIC + "# 首页\n\n见[[安装]]。\n",
    "安装.md": PUBLIC + "# 安装\n\n## 需要什么\n\n需要 Python 3.11 或更新的版本。\n",
    "秘密.md": "# 秘密\n\n只有我能看。\n",
}


@contextmanager
def serving(folder: Path, *args: str) -> Iterator[str]:
    """Run `geosmin serve` in a folder and yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "compiler.cli", "serve", "--port", str(port), "--set", "embed.model=none", *args]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    base = f"http://127.0.0.1:{port}/"
    try:
        wait(lambda: get(base + "healthz")[0] == 200)
        yield base
    finally:
        running.terminate()
        running.wait(20)


def get(url: str, body: dict[str, object] | None = None, *, host: str = "") -> tuple[int, str]:
    """Return status and text of a request; (0, "") when nobody answers."""
    data = json.dumps(body).encode() if body else None
    headers = {"content-type": "application/json"} if body else {}
    request = urllib.request.Request(url, data, headers | ({"host": host} if host else {}))
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""


def wait(condition, seconds: float = 40) -> None:
    """Wait until a condition holds; fail after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.1)


def test_serve_shows_answers_and_rebuilds(tmp_path: Path) -> None:
    """A page is shown, a question is answered with a citation, and an edit is there without a restart."""
    write(tmp_path / "content", VAULT)
    with serving(tmp_path) as base:
        assert "需要什么" in get(base + "%E5%AE%89%E8%A3%85/")[1]
        answer = json.loads(get(base + "api/public/qa/chat", {"question": "安装需要什么？", "stream": False})[1])
        assert "3.11" in answer["answer"]
        assert answer["evidence"][0]["url"].startswith("/%E5%AE%89%E8%A3%85/")
        assert get(base + "%E7%A7%98%E5%AF%86/")[0] == 404
        build = json.loads(get(base + "healthz")[1])["build_id"]
        write(tmp_path / "content", {"新页.md": PUBLIC + "# 新页\n\n刚写的。\n"})
        wait(lambda: "刚写的" in get(base + "%E6%96%B0%E9%A1%B5/")[1])
        assert json.loads(get(base + "healthz")[1])["build_id"] != build


def test_a_broken_edit_keeps_the_last_good_page(tmp_path: Path) -> None:
    """A page that becomes doubtful goes private; the rest is served on."""
    write(tmp_path / "content", VAULT)
    with serving(tmp_path) as base:
        write(tmp_path / "content", {"安装.md": "---\nshare: Public\n---\n# 安装\n"})
        wait(lambda: get(base + "%E5%AE%89%E8%A3%85/")[0] == 404)
        assert get(base)[0] == 200


def test_preview_shows_private_pages_and_leaves_the_output_alone(tmp_path: Path) -> None:
    """Drafts are seen on this machine under its own name; nothing appears below --out."""
    write(tmp_path / "content", VAULT)
    with serving(tmp_path, "--preview") as base:
        assert "只有我能看" in get(base + "%E7%A7%98%E5%AF%86/")[1]
        assert get(base + "%E7%A7%98%E5%AF%86/", host="evil.example")[0] == 400
    assert not (tmp_path / "dist").exists()


def test_serve_shows_password_pages_beside_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ciphertext, description and door of a password page are served below the site; anything else there is no page."""
    monkeypatch.setenv("GEOSMIN_SECRET", "0123456789abcdef" * 4)
    monkeypatch.setenv("CLUB", "seven quiet herons by the river")
    write(
        tmp_path / "content", {**VAULT, "club.md": "---\nshare: password\npassword: env:CLUB\n---\n# Club\n\nQuiet.\n"}
    )
    with serving(tmp_path) as base:
        [place] = (tmp_path / "dist" / "protected" / "p").resolve().iterdir()
        door = f"{base}protected/p/{place.name}/"
        assert json.loads(get(f"{door}manifest.json")[1])["id"] == place.name
        assert place.name in get(door)[1]
        assert "Quiet" not in get(door)[1]
        nowhere = get(base + "nowhere/")
        for path in (
            "protected/",
            "protected/p/",
            "protected/p/0/",
            "protected/sets/",
            "protected/p/../../../content/club.md",
        ):
            assert get(base + path) == nowhere
