"""A build that is killed, at any moment, leaves the previous good output complete and served."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compiler.index.write import verify
from query_fn.contract import load_manifest
from tests.compiler.vault import PUBLIC, digests, write

ROOT = Path(__file__).resolve().parents[2]
MOMENTS = (0.05, 0.35, 0.6, 0.8, 0.95, 1.1, 1.3)  # seconds after the start; a build of this vault takes about 1.3 s


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Start a build in `folder`."""
    args = [sys.executable, "-m", "compiler.cli", "build", "--set", "embed.model=none", "--json"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(args, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def pages(mark: str) -> dict[str, str | bytes]:
    """Return a vault of 120 pages that all carry a mark."""
    return {f"p{i}.md": PUBLIC + f"# 页{i}\n\n{mark} [[p{(i + 1) % 120}]]\n\n" + "一句话。" * 60 for i in range(120)}


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_a_killed_build_leaves_what_was_served(tmp_path: Path, stop: signal.Signals) -> None:
    """After each kill the pointer leads to a whole build, old or new, and the next build needs no cleaning."""
    write(tmp_path / "content", pages("甲"))
    assert start(tmp_path).wait(120) == 0
    current = tmp_path / "dist" / "current"
    for number, moment in enumerate(MOMENTS):
        write(tmp_path / "content", pages(f"第{number}次"))
        running = start(tmp_path)
        time.sleep(moment)
        running.send_signal(stop)
        running.wait(60)
        manifest = verify(current / "artifacts")
        site = digests(current / "site")
        assert site == {name: entry.sha256 for name, entry in manifest.site.items()}
    assert start(tmp_path).wait(120) == 0
    assert f"第{len(MOMENTS) - 1}次" in (current / "site" / "p7" / "index.html").read_text("utf-8")
    assert [p.name for p in (tmp_path / "dist" / "builds").iterdir()] == [current.resolve().name]


def test_a_full_disk_switches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a write fails the build fails, and the old build stays whole."""
    from compiler import publish
    from tests.compiler.vault import make

    _, current = make(tmp_path, pages("甲"))
    before = (current.resolve().name, digests(current))

    def full(*_args: object, **_kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publish, "write_artifacts", full)
    with pytest.raises(OSError, match="No space left"):
        make(tmp_path, pages("乙"))
    assert (current.resolve().name, digests(current)) == before
    manifest = load_manifest((current / "artifacts" / "manifest.json").read_text("utf-8"))
    assert manifest.counts["articles"] == 120
