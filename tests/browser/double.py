"""A real server on loopback: a finished site under its base path, and an endpoint that speaks the stream format.

It answers from a table of questions. Bytes are cut in the middle of characters and of line ends on purpose.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from compiler.site.view import policy

CSP = policy("") + "; frame-ancestors 'none'"

SMELL = "garden/smell/#谁在制造它"


def answer(**fields: Any) -> dict[str, Any]:
    """Return an answer object of the contract."""
    empty = {"evidence": [], "citations": [], "uncertainties": [], "follow_ups": [], "nearest": []}
    rest = {"confidence": 0.8, "used_web_search": False, "build_id": "b0123456789abcdef", "conversation": "token-1"}
    return {"status": "completed", "answer": "", **empty, **rest, "diagnostics": {"degraded": ["no_model"]}, **fields}


def answers(base: str) -> dict[str, dict[str, Any]]:
    """Return the answer to each question the tests ask."""
    smell = {
        "id": "e1",
        "kind": "section",
        "title": "雨后的气味从哪里来",
        "section": ["谁在制造它"],
        "url": base + SMELL,
        "locator": "chunk:smell",
        "lang": "zh",
    }
    smell |= {"snippet": "小雨比暴雨更香：雨滴太快，气泡来不及形成。", "score": 1.2}
    gauge = {
        "id": "e2",
        "kind": "section",
        "title": "Reading the rain",
        "section": ["Where to put the gauge"],
        "score": 1,
    }
    gauge |= {"url": f"{base}notes/rain/#where-to-put-the-gauge", "snippet": "Put it in the open."}
    quotes = ["小雨比暴雨更香：雨滴太快，气泡来不及形成。", "雨滴落下，撞出细小的气泡，气泡破裂时把分子弹进空气。"]
    return {
        "为什么小雨比暴雨更香？": answer(
            answer="雨滴落下，撞出细小的气泡，气泡破裂时把分子弹进空气。小雨比暴雨更香：雨滴太快，气泡来不及形成。",
            evidence=[smell],
            citations=[{"evidence": "e1", "quote": q, "start": 0, "end": len(q)} for q in reversed(quotes)],
            follow_ups=["没有 GC–MS 时怎样比较土样？"],
        ),
        "Where should a rain gauge stand?": answer(
            answer="Put it in the open, twice as far from a wall as the wall is high.\n\n- Not under a **pear tree**",
            evidence=[gauge, smell],
            citations=[
                {
                    "evidence": "e2",
                    "quote": "Put it in the open, twice as far from a wall as the wall is high.",
                    "start": 0,
                    "end": 3,
                },
                {"evidence": "e1", "quote": "pear tree", "start": 0, "end": 3},
            ],
            uncertainties=["The match is weak; check the source before you rely on it."],
        ),
        "月亮有多重？": answer(
            status="no_answer",
            answer="已发布的页面没有说明。下面是最接近的页面。",
            nearest=[{"title": "放线菌", "section": ["习性"], "url": f"{base}garden/soil/bacteria/", "summary": ""}],
            confidence=0.1,
        ),
        "evil": answer(
            answer='<img src="https://o.example/x.png"> ![x](https://o.example/?q=1) [go](javascript:alert(1))',
            evidence=[{**smell, "url": "javascript:alert(1)"}],
            citations=[{"evidence": "e1", "quote": "x", "start": 0, "end": 1}],
        ),
    }


PROBLEM = "application/problem+json"
REFUSALS: dict[str, tuple[int, str, str, dict[str, str]]] = {
    "busy": (429, PROBLEM, '{"status":429}', {"retry-after": "7"}),
    "long": (413, PROBLEM, '{"status":413}', {}),
    "off": (503, PROBLEM, '{"status":503}', {}),
    "unreadable question": (400, PROBLEM, '{"status":400,"pointer":"/question"}', {}),
    "unknown key": (400, PROBLEM, '{"status":400,"pointer":"/scope"}', {}),
    "fault": (500, PROBLEM, '{"status":500}', {}),
    "another program": (200, "application/json", '{"reply":"hello"}', {}),
    "a web page": (200, "text/html", "<p>hello</p>", {}),
}
PASSAGE = "久旱之后的第一场雨有一种气味。**小雨比暴雨更香：雨滴太快，气泡来不及形成。**风把它带到几公里以外。"


class Endpoint:
    """The endpoint, and what it was asked, read and told. `script` is a body that is sent instead of an answer."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.renew()

    def renew(self) -> None:
        """Forget everything: each test begins with this."""
        self.mode, self.script, self.text = "stream", b"", PASSAGE
        self.scripts: dict[str, bytes] = {}  # by question
        self.asked: list[dict[str, Any]] = []
        self.read: list[dict[str, Any]] = []
        self.told: list[dict[str, Any]] = []
        self.hashes: list[bool] = []
        self.left = threading.Event()

    async def passage(self, request: Request) -> Response:
        """Return the passage behind any locator; in the mode "unreadable", nothing."""
        self.read.append(await request.json())
        if self.mode == "unreadable":
            return JSONResponse({"title": "Not found"}, 404, media_type="application/problem+json")
        return JSONResponse({"evidence": [{"id": "e1", "text": self.text}], "missing": []})

    async def feedback(self, request: Request) -> Response:
        """Take a verdict."""
        self.told.append(await request.json())
        return JSONResponse({"status": "accepted"}, 202)

    async def chat(self, request: Request) -> Response:
        """Answer as the mode says: as a stream, as one JSON object, cut off, busy, or slowly."""
        raw = await request.body()
        self.hashes.append(request.headers.get("x-amz-content-sha256") == hashlib.sha256(raw).hexdigest())
        body = json.loads(raw)
        self.asked.append(body)
        if script := self.scripts.get(body["question"], self.script):
            return Response(script, media_type="text/event-stream")
        if self.mode in REFUSALS:
            status, kind, problem, headers = REFUSALS[self.mode]
            return Response(problem, status, media_type=kind, headers=headers)
        found = answers(self.base).get(body["question"], answers(self.base)["月亮有多重？"])
        if self.mode == "json":
            return JSONResponse(found)
        return StreamingResponse(self._bytes(found), media_type="text/event-stream")

    async def _bytes(self, found: dict[str, Any]) -> AsyncIterator[bytes]:
        text = "".join(self._events(found)).encode()
        cut = len(text) // 2 if self.mode == "cut" else len(text)
        try:
            for at in range(0, cut, 61):
                yield text[at : min(at + 61, cut)]
                await asyncio.sleep(0.02 if self.mode == "slow" else 0)
        except asyncio.CancelledError:
            self.left.set()
            raise

    def _events(self, found: dict[str, Any]) -> list[str]:
        sentences = [s for s in found["answer"].replace("。", "。\0").split("\0") if s]
        parts: list[dict[str, Any]] = [{"type": "start", "messageId": "m1"}]
        parts += [
            {"type": "data-step", "id": "s1", "data": {"step": "search", "text": "检索：小雨"}, "transient": True}
        ]
        parts += [
            {"type": "data-step", "id": "s2", "data": {"step": "read", "text": "阅读：雨后的气味"}, "transient": True}
        ]
        parts += [{"type": "source-url", "sourceId": e["id"], "url": e["url"]} for e in found["evidence"]]
        parts += [{"type": "text-start", "id": "t1"}]
        parts += [{"type": "text-delta", "id": "t1", "delta": s} for s in sentences]
        parts += [{"type": "text-end", "id": "t1"}, {"type": "data-answer", "data": found}, {"type": "finish"}]
        lines = [f"data: {json.dumps(part, ensure_ascii=False)}\r\n\r\n" for part in parts]
        return [lines[0], ": keep-alive\r\n\r\n", *lines[1:], "data: [DONE]\r\n\r\n"]

    async def search(self, request: Request) -> Response:
        """Return one page for any query that holds 雨 or rain."""
        query = request.query_params["q"]
        page = {
            "title": "雨后的气味从哪里来",
            "section": ["谁在制造它"],
            "url": self.base + SMELL,
            "summary": "小雨更香。",
        }
        return JSONResponse({"candidates": [page] if "雨" in query or "rain" in query else []})


class Csp:
    """Adds the policy that the site promises to run under."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, with the header on each response."""

        async def with_header(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), (b"content-security-policy", CSP.encode())]
            await send(message)

        await self.app(scope, receive, with_header)


class Served:
    """A site served from a thread: `url` is its root, `endpoint` the endpoint (None: a plain web host)."""

    def __init__(self, folder: Path, base: str, *, answering: bool) -> None:
        self.endpoint = Endpoint(base) if answering else None
        api = self.endpoint
        routes = (
            [
                Route("/api/public/qa/chat", api.chat, methods=["POST"]),
                Route("/api/public/search", api.search),
                Route("/api/public/read", api.passage, methods=["POST"]),
                Route("/api/public/feedback", api.feedback, methods=["POST"]),
            ]
            if api
            else []
        )
        inner = [*routes, Mount("/", StaticFiles(directory=folder, html=True))]
        app = Starlette(routes=[Mount(base.rstrip("/"), routes=inner)], middleware=[Middleware(Csp)])
        self._server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._base = base

    def __enter__(self) -> Served:
        self._thread.start()
        while not self._server.started:
            threading.Event().wait(0.01)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}{self._base}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(5)
