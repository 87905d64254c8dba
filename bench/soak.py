"""Many requests over real HTTP: ``python -m bench.soak ARTIFACTS [--model FOLDER] [--requests N]``.

A server in a process of its own gets questions, streams, searches, reads and nonsense from four clients at once. Its
resident memory is printed for each thousand: after the first ones it must not grow.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import random
import socket
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from query_fn.app import create_app
from query_fn.settings import Settings

CLIENTS = 4
WORDS = ("backup", "构建", "password", "分享", "vectors", "过期", "AWS", "链接", "search", "引用", "budget", "模型")
KINDS = ("search", "words", "exact", "ask", "stream", "read", "outline", "nonsense", "nowhere")
JSON = {"content-type": "application/json"}
Sent = tuple[str, str, bytes | None]


def request(n: int) -> Sent:
    """Return the n-th request: method, path, body. Equal for equal n; questions repeat after some thousands."""
    chance = random.Random(n % 5_000)
    kind, words = KINDS[n % len(KINDS)], "%20".join(chance.sample(["backup", "search", "AWS", "vectors", str(n)], 2))
    paths = {
        "search": f"search?q={words}",
        "words": f"search?mode=lexical&q={words}",
        "exact": f"search?mode=exact&q={words}",
    }
    if kind in paths:
        return "GET", f"/api/public/{paths[kind]}", None
    if kind in ("outline", "nowhere"):
        return "GET", f"/api/public/{'outline' if kind == 'outline' else f'nowhere/{n}'}", None
    question = f"{chance.choice(WORDS)} {chance.choice(WORDS)} {chance.randrange(99)}?"
    bodies = {
        "ask": {"question": question, "stream": False},
        "stream": {"question": question},
        "read": {"locators": [f"{chance.choice(WORDS)}.{n}"]},
    }
    body = b"{" * (n % 40) if kind == "nonsense" else json.dumps(bodies[kind]).encode()
    return "POST", f"/api/public/{'read' if kind == 'read' else 'qa/chat'}", body


def send(port: int, numbers: range) -> Counter[int]:
    """Send requests over one connection and count the statuses."""
    connection, seen = http.client.HTTPConnection("127.0.0.1", port, timeout=60), Counter[int]()
    for n in numbers:
        method, path, body = request(n)
        connection.request(method, path, body, JSON if body is not None else {})
        reply = connection.getresponse()
        reply.read()
        seen[reply.status] += 1
    connection.close()
    return seen


@contextmanager
def server(settings: Settings) -> Iterator[tuple[int, int]]:
    """Serve in another process; yield its port and its process id."""
    listening = socket.socket(
        socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # named: else asyncio delays replies
    listening.bind(("127.0.0.1", 0))
    listening.listen(512)
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(settings, listening), daemon=True)
    process.start()
    assert process.pid is not None
    try:
        yield listening.getsockname()[1], process.pid
    finally:
        process.terminate()
        process.join()
        listening.close()


def _serve(settings: Settings, listening: socket.socket) -> None:
    config = uvicorn.Config(create_app(settings), log_level="critical", lifespan="off")
    uvicorn.Server(config).run(sockets=[listening])


def resident(process: int) -> float:
    """Return the megabytes of a process that are in memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1000


def soak(settings: Settings, requests: int, *, each: int = 1_000) -> tuple[list[float], Counter[int]]:
    """Send requests; return the resident memory after every `each`, and how often each status came."""
    memory, seen = [], Counter[int]()
    with server(settings) as (port, process), ThreadPoolExecutor(CLIENTS) as pool:
        for first in range(0, requests, each):
            shares = [range(first + client, first + each, CLIENTS) for client in range(CLIENTS)]
            for counted in pool.map(lambda share: send(port, share), shares):
                seen += counted
            memory.append(resident(process))
    return memory, seen


def main() -> None:
    """Print memory by thousand, the statuses, and the speed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("artifacts", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--requests", type=int, default=20_000)
    given = parser.parse_args()
    began = time.perf_counter()
    memory, seen = soak(Settings(given.artifacts, model=given.model), given.requests)
    took = time.perf_counter() - began
    print("resident MB by thousand:", " ".join(f"{megabytes:.0f}" for megabytes in memory))
    half = len(memory) // 2
    print(f"second thousand {memory[1]:.1f}, last {memory[-1]:.1f}, slope of the second half ", end="")
    print(f"{statistics.linear_regression(range(half), memory[-half:]).slope:+.2f} MB a thousand")
    print(f"statuses {dict(seen)}, {given.requests / took:.0f} requests a second")


if __name__ == "__main__":
    main()
