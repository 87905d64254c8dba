"""How long a build takes, against a plain ``mkdocs build`` of the same Markdown in the same run.

``python -m bench.build CONTENT [--set KEY=VALUE] [--vectors FILE] [--runs 3]`` copies the folder aside and times, each
as a process of its own: MkDocs with Material and without search; a clean build with a warm embedding cache (FILE is
the ``vectors.db`` of an earlier build), without and with the static search, which Pagefind makes; one paragraph
changed; nothing changed. It prints medians and the peak memory of the whole process tree, shared pages counted once
(PSS). ``--grow`` builds 800 and 8,000 generated pages instead.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SIZES = (800, 8_000)
_UNSEARCHED = "import sys; sys.modules['pagefind_bin_extended'] = None; from compiler.cli import main; main()"
_PLAIN = "site_name: plain\ntheme: {name: material, font: false}\nplugins: []\n"


@dataclass(frozen=True, slots=True)
class Run:
    """One process and all it started: wall and CPU seconds, peak MB without and of Pagefind, a build's own stages."""

    seconds: float
    cpu: float
    memory: float
    pagefind: float
    stages: dict[str, float]


def main() -> None:
    """Print what each build took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("content", nargs="?", type=Path, default=Path("content"))
    parser.add_argument("--set", action="append", default=[], dest="sets")
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--grow", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="geosmin-bench-") as folder:
        if options.grow:
            grow(Path(folder))
        else:
            compare(options.content, Path(folder), sets=options.sets, vectors=options.vectors, runs=options.runs)


def compare(content: Path, place: Path, *, sets: Sequence[str], vectors: Path | None, runs: int) -> None:
    """Time the five kinds of builds of one folder; the plain one is the baseline."""
    shutil.copytree(content, place / "content", ignore=shutil.ignore_patterns(".git"))
    (place / "mkdocs.yml").write_text(f"{_PLAIN}docs_dir: content\nsite_dir: plain\n", "utf-8")
    if vectors:
        _fresh(place, vectors)
        _build(place, sets)  # so that the cache also has what this compiler asks for
        vectors = Path(shutil.copy(place / "state" / "vectors.db", place / "vectors.db"))
    plain, unsearched, clean, edited, same = [], [], [], [], []
    for number in range(runs):
        plain.append(_timed([sys.executable, "-m", "mkdocs", "build", "--quiet", "--clean"], place))
        _fresh(place, vectors)
        unsearched.append(_build(place, sets, "-c", _UNSEARCHED))
        _fresh(place, vectors)
        clean.append(_build(place, sets))
        page = sorted((place / "content").rglob("*.md"))[number]
        page.write_text(page.read_text("utf-8") + f"\n\nOne more paragraph, the {number + 1}.\n", "utf-8")
        edited.append(_build(place, sets))
        same.append(_build(place, sets))
    base = statistics.median(run.seconds for run in plain)
    _line("mkdocs build, plain (baseline)", plain, base)
    _line("clean build, without search", unsearched, base)
    _line("clean build, vectors cached", clean, base)
    _line("one paragraph changed", edited, base)
    _line("nothing changed", same, base)


def grow(place: Path) -> None:
    """Time clean builds of generated pages: the cost of a page must not grow with their number."""
    each = []
    for size in SIZES:
        folder = place / str(size)
        generate(folder / "content", size)
        run = _build(folder, ["embed.model=none"])
        each.append(run.seconds / size)
        print(f"{size:6} pages {run.seconds:7.1f} s  {1000 * each[-1]:6.1f} ms a page  {run.memory:5.0f} MB")
        print("    " + _stages(run))
    print(f"ratio of the times per page: {each[-1] / each[0]:.2f}")


def generate(folder: Path, size: int) -> None:
    """Write linked, tagged, dated pages in folders of fifty and one large folder; some links lead nowhere."""
    dice = random.Random(3)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randint(3, 9))) for _ in range(3_000)]
    for n in range(size):
        name = f"large/p{n}.md" if n % 2 else f"f{n // 50}/p{n}.md"
        links = " ".join(f"[[p{dice.randrange(size)}]]" for _ in range(4)) + f" [[{dice.choice(words)} {n}]]"
        body = "\n\n".join(
            f"## {' '.join(dice.choices(words, k=3))}\n\n{' '.join(dice.choices(words, k=120))}." for _ in range(4)
        )
        tags = f"tags: [t{n % 40}, t{n % 7}]\nupdated: 2026-0{1 + n % 9}-01\n"
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"---\nshare: public\n{tags}---\n# Page {n}\n\n{links}\n\n{body}\n", "utf-8")


def _fresh(place: Path, vectors: Path | None) -> None:
    """Remove every output and cache but the vectors."""
    for name in ("dist", "state", "plain"):
        shutil.rmtree(place / name, ignore_errors=True)
    (place / "state").mkdir(mode=0o700)
    if vectors:
        shutil.copy(vectors, place / "state" / "vectors.db")


def _build(place: Path, sets: Sequence[str], *program: str) -> Run:
    command = [sys.executable, *(program or ("-m", "compiler.cli")), "build", "--json"]
    for name, value in (("content", "content"), ("out", "dist"), ("state", "state")):
        command += [f"--{name}", str(place / value)]
    return _timed([*command, *(part for item in sets for part in ("--set", item))], Path.cwd())


def _timed(command: Sequence[str], folder: Path) -> Run:
    """Run a command in `folder` and watch the memory of everything it starts."""
    start, before = time.perf_counter(), _cpu()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        peak = [0.0, 0.0]
        watch = threading.Thread(target=_watch, args=(running, peak), daemon=True)
        watch.start()
        said = running.communicate()[0]
        seconds = time.perf_counter() - start
        watch.join()
    if running.returncode not in (0, 1):
        raise SystemExit(f"{command[:5]} ended with {running.returncode}: {said[-300:]}")
    stages = json.loads(said)["seconds"] if said.startswith("{") else {}
    return Run(seconds, _cpu() - before, peak[0], peak[1], stages)


def _watch(running: subprocess.Popen[str], peak: list[float]) -> None:
    """Keep the highest sums of PSS in MB: of the tree without Pagefind, and of Pagefind."""
    while running.poll() is None:
        sums = [0.0, 0.0]
        for pid in _tree(running.pid):
            try:
                name = Path(f"/proc/{pid}/comm").read_text("utf-8")
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8")
            except OSError:  # it has ended
                continue
            pss = next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
            sums[name.startswith("pagefind")] += pss / 1024
        peak[:] = [max(pair) for pair in zip(peak, sums, strict=True)]
        time.sleep(0.2)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tree(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
        threads = [p.name for p in Path(f"/proc/{pid}/task").iterdir() if p.name != str(pid)]
        children += [c for t in threads for c in Path(f"/proc/{pid}/task/{t}/children").read_text("utf-8").split()]
    except OSError:
        children = []
    return [pid, *(found for child in children for found in _tree(int(child)))]


def _line(name: str, runs: Sequence[Run], base: float) -> None:
    run = sorted(runs, key=lambda run: run.seconds)[len(runs) // 2]
    memory, pagefind = max(r.memory for r in runs), max(r.pagefind for r in runs)
    times = f"{run.seconds:6.1f} s {run.seconds / base:5.2f} x  {run.cpu:6.1f} CPU s"
    print(f"{name:31} {times}  {memory:5.0f} MB + {pagefind:.0f} MB")
    if run.stages:
        print("    " + _stages(run))


def _stages(run: Run) -> str:
    return " · ".join(f"{stage} {took:.1f}" for stage, took in run.stages.items() if took >= 0.05)


if __name__ == "__main__":
    main()
