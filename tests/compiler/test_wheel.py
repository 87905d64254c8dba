"""The wheel, installed outside the clone, with the source out of the way."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_builds_a_site_outside_the_clone(tmp_path: Path) -> None:
    """`geosmin init && geosmin build` work from the wheel's own files in an empty folder."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path / "wheel"), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=300)
    (wheel,) = (tmp_path / "wheel").glob("geosmin-*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    folder = tmp_path / "kb"
    folder.mkdir()
    # -I and -S keep the clone and its editable install off the path; dependencies come from site-packages by name.
    start = (
        f"import sys; sys.path[:0] = [{str(installed)!r}, {sysconfig.get_paths()['purelib']!r}];"
        "import compiler.cli; assert compiler.__file__.startswith(sys.path[0]); compiler.cli.main()"
    )
    for args in (["init"], ["build", "--set", "embed.model=none"]):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", start, *args],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
    assert (folder / "dist" / "current" / "site" / "writing-a-page" / "index.html").is_file()
