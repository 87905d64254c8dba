"""Cold starts through the official runtime client, from a bundle alone: ``python -m bench.cold FUNCTION.zip``.

Seconds from the start of the process to the first answer, against a bare Starlette and Mangum "hello world" from the
same bundle, alternating; then warm searches, against calling the service directly, and the resident memory.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import container
from tests.runtime_api import question, url_event

RUNS = 7
WARM = 50
HELLO = """
from mangum import Mangum
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def hello(request):
    return JSONResponse({"hello": "world"})

handler = Mangum(Starlette(routes=[Route("/", hello)]), lifespan="off")
"""
DIRECT = """
import os, time
from query_fn.handler import settings_from
from query_fn.live import Live

build = Live(settings_from(os.environ)).current()

def handler(event, context):
    began = time.perf_counter()
    build.lexical.search("backups", now=build.deps.clock())
    return {"statusCode": 200, "ms": 1000 * (time.perf_counter() - began)}
"""
SEARCH = url_event(method="GET", path="/api/public/search", query="q=backups&mode=lexical")
HYBRID = url_event(method="GET", path="/api/public/search", query="q=backups")
ASK = url_event(question())


class Bench:
    """An unpacked bundle with an interpreter and the runtime client beside it."""

    def __init__(self, bundle: Path, place: Path) -> None:
        place.chmod(0o755)
        self._place = place
        self._task = container.unpack(bundle, place / "task")
        (place / "hello.py").write_text(HELLO)
        (place / "direct.py").write_text(DIRECT)
        home, client = container.interpreter(place / "python"), container.runtime_client(place / "client")
        self._command, self._environment = container.start(home, task=self._task, client=client)
        self._environment["PYTHONPATH"] += f":{place}"
        self._count = 0

    def run(self, handler: str, work: Callable[[Any, Any, float], Any]) -> Any:
        """Start a container and give `work` its API, its process and the moment of the start."""
        self._count += 1
        command, temp = [*self._command[:-1], handler], self._place / f"temp{self._count}"
        began = time.perf_counter()
        place: dict[str, Any] = {"task": self._task, "temp": temp, "environment": self._environment}
        with container.container(command, quiet=True, **place) as (api, process):
            return work(api, process, began)

    def cold(self, handler: str, event: Any) -> float:
        """Return the seconds from the start to the first answer."""

        def first(api: Any, _: Any, began: float) -> float:
            reply = api.ask(event).json()
            assert reply["statusCode"] == 200, reply
            return time.perf_counter() - began

        return float(self.run(handler, first))


def _warm(api: Any, process: Any, _: float) -> tuple[float, float, int]:
    def median(event: Any) -> float:
        took = []
        for _ in range(WARM):
            began = time.perf_counter()
            api.ask(event)
            took.append(time.perf_counter() - began)
        return statistics.median(took)

    api.ask(ASK)
    found = median(SEARCH), median({"warm": True})
    status = Path(f"/proc/{process.pid}/status").read_text()
    return *found, int(status.split("VmRSS:")[1].split()[0])


def _direct(api: Any, _: Any, __: float) -> float:
    """Return the milliseconds of the same search when nothing stands in front of it."""
    return float(statistics.median(api.ask({}).json()["ms"] for _ in range(WARM)))


def main() -> None:
    """Print medians and their ratios to the baseline."""
    ours = "query_fn.handler.handler"
    cases = {"hello world": ("hello.handler", url_event(method="GET", path="/"))}
    cases |= {"first search": (ours, HYBRID), "first words-only search": (ours, SEARCH), "first answer": (ours, ASK)}
    with tempfile.TemporaryDirectory(prefix="geosmin-cold-") as name:
        bench = Bench(Path(sys.argv[1]), Path(name))
        times: dict[str, list[float]] = {title: [] for title in cases}
        for _ in range(RUNS):
            for title, (handler, event) in cases.items():
                times[title].append(bench.cold(handler, event))
        base = statistics.median(times["hello world"])
        for title, took in times.items():
            print(f"{title:24} {1000 * statistics.median(took):6.0f} ms  {statistics.median(took) / base:4.1f} x")
        search, nothing, memory = bench.run(ours, _warm)
        direct = bench.run("direct.handler", _direct)
        warm = f"warm search p50 {1000 * search:.1f} ms, called directly {direct:.1f} ms, an empty event"
        print(f"{warm} {1000 * nothing:.1f} ms, resident {memory / 1000:.0f} MB")


if __name__ == "__main__":
    main()
