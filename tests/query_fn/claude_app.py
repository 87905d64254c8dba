"""The whole function over HTTP with the real SDK and a model that is played. Used by the rooms of the agent's tests."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from msgspec.structs import replace
from starlette.testclient import TestClient

from query_fn.app import create_app
from query_fn.live import Live
from query_fn.service import Deps
from query_fn.settings import ClaudeSettings, Settings
from tests.artifacts import NOW
from tests.fake_claude import FakeClaude, Script

CHAT = "/api/public/qa/chat"
QUESTION = "How long are backups kept?"


@dataclass(frozen=True, slots=True)
class Asked:
    """A running application and the model behind it."""

    client: TestClient
    fake: FakeClaude
    settings: Settings

    @contextmanager
    def served(self) -> Iterator[int]:
        """Yield the port of a real HTTP server for this application."""
        with served(self.settings) as port:
            yield port

    @property
    def deps(self) -> Deps:
        """What the application answers with."""
        return Live(self.settings, clock=lambda: NOW).current().deps

    def answer(self, question: str = QUESTION, **more: Any) -> dict[str, Any]:
        """Return the whole answer to a question."""
        response = self.client.post(CHAT, json={"question": question, "stream": False, **more})
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def stream(self, question: str = QUESTION, **more: Any) -> list[Any]:
        """Return the parts of a streamed answer; the last one is "[DONE]"."""
        lines = self.client.post(CHAT, json={"question": question, **more}).text.split("\n\n")
        data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        return [part if part == "[DONE]" else json.loads(part) for part in data]


@contextmanager
def served(settings: Settings) -> Iterator[int]:
    """Yield the port of a real HTTP server for an application with these settings."""
    config = uvicorn.Config(create_app(settings, clock=lambda: NOW), port=0, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def asking(
    artifacts: Path, script: Script, *, claude: ClaudeSettings | None = None, **settings: Any
) -> Iterator[Asked]:
    """Yield the application over a build, with a model that follows a script."""
    with FakeClaude(script) as fake:
        paid = replace(claude or ClaudeSettings(), key=fake.key, base_url=fake.url)
        wanted = Settings(artifacts=artifacts, chat="claude", claude=paid, secret=b"s" * 32, **settings)
        with TestClient(create_app(wanted, clock=lambda: NOW)) as client:
            yield Asked(client, fake, wanted)
