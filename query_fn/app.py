"""The routes: HTTP in, service calls, HTTP out. `create_app(None)` serves ``dist/``."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from query_fn import requests, service, wire
from query_fn.agent.evidence import Book
from query_fn.agent.tools import Tools
from query_fn.contract import MANIFEST, POINTER, ManifestError, load_manifest
from query_fn.edge import Endpoint, guarded, read_json, recorded
from query_fn.errors import NotFound
from query_fn.guard.guards import guards_for
from query_fn.guard.proof import HEADER, Holder, Proof
from query_fn.guard.visitors import address, name_of
from query_fn.live import Build, Live
from query_fn.model import Scope
from query_fn.pump import attended
from query_fn.records import LONGEST, asked
from query_fn.settings import Settings
from query_fn.static import serve
from query_fn.talk import Talk, site_of
from query_fn.visibility import Visibility

SITE_BUILD = "x-geosmin-build"  # the id in the site's build.json; whoever sends none is not on a site
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_feedback = logging.getLogger("geosmin.feedback")


def create_app(settings: Settings | None = None, *, clock: Callable[[], int] | None = None) -> Starlette:
    """Return the ASGI application. Nothing is opened before the first request.

    `settings` None means the build in ``dist/`` with its site. `clock` (UTC epoch seconds) is for tests.
    """
    settings = settings or dist_settings()
    _prepare_log()
    live = Live(settings, clock=clock)
    api = Api(settings, live)
    base = f"/{settings.base_path.strip('/')}/".replace("//", "/")

    def route(path: str, endpoint: Endpoint, *methods: str) -> Route:
        told = recorded(endpoint, path.split("{", maxsplit=1)[0].strip("/")) if settings.log_requests else endpoint
        wrapped = guarded(told, origins=settings.allow_origins, methods=methods, door=settings.door)
        return _any_method(base + path, wrapped)

    routes = [
        route("api/public/qa/chat", api.chat, "POST"),
        route("api/public/session", api.session, "GET", "HEAD"),
        route("api/public/search", api.search, "GET", "HEAD"),
        route("api/public/outline", api.collection, "GET", "HEAD"),
        route("api/public/outline/{article:path}", api.outline, "GET", "HEAD"),
        route("api/public/read", api.read, "POST"),
        route("api/public/feedback", api.feedback, "POST"),
        route("healthz", api.health, "GET", "HEAD"),
        route("openapi.json", api.openapi, "GET", "HEAD"),
        route("api/{rest:path}", _unknown, *METHODS),
    ]
    if settings.site is not None:
        routes.append(
            Route(base + "{path:path}", _site(settings.site, base, settings.allow_origins), methods=["GET", "HEAD"])
        )
    if base != "/":
        routes.append(Route("/", _to(base)))
    everywhere = guarded(_unknown, origins=settings.allow_origins, methods=METHODS)

    async def strange(request: Request, _: Exception) -> Response:
        return await everywhere(request)  # a path that no pattern matches: one with a newline

    app = Starlette(routes=[*routes, _any_method("/{rest:path}", everywhere)], exception_handlers={404: strange})
    app.state.warm = live.warm
    app.state.health = lambda: _health(live.current())
    return app


def dist_settings(out: Path = Path("dist")) -> Settings:
    """Return the settings that serve the current build below `out`, at the base path it was built for."""
    artifacts = out / POINTER / "artifacts"
    try:
        base = load_manifest((artifacts / MANIFEST).read_text("utf-8")).base_path
    except (OSError, ManifestError):
        base = "/"
    return Settings(artifacts=artifacts, site=out / POINTER / "site", base_path=base)


@cache
def openapi_document() -> wire.Json:
    """Return the OpenAPI 3.1 document that ships beside this module."""
    document: wire.Json = json.loads(Path(__file__).with_name("openapi.json").read_text("utf-8"))
    return document


class Api:
    """The endpoints. Each reads a request, asks the service in a worker thread, and writes JSON or a stream."""

    def __init__(self, settings: Settings, live: Live) -> None:
        self._settings = settings
        self._live = live
        self._guards = guards_for(settings)

    async def chat(self, request: Request) -> Response:
        """Answer a question, as one JSON object or as a stream of events."""
        if self._guards.proof is not None:
            request.state.passed = await anyio.to_thread.run_sync(self._admit, request, self._guards.proof)
        pays = await anyio.to_thread.run_sync(self._guards.enter, self._visitor(request))
        body = await read_json(request, self._settings.max_body_bytes)
        question = requests.chat(body, max_chars=self._settings.max_question_chars)
        site = request.headers.get(SITE_BUILD, "")
        build = await anyio.to_thread.run_sync(self._live.agreeing, site)
        talk = Talk(question, build, self._settings, guards=self._guards, pays=pays)
        request.state.facts = talk.facts
        if question.ask.stream:
            return StreamingResponse(talk.stream(), headers=wire.STREAM_HEADERS)
        return JSONResponse(await attended(talk.whole, request.is_disconnected))

    async def session(self, request: Request) -> Response:
        """Return the work that must be done before the first question. Raises NotFound when none is."""

        def challenge(build: Build) -> wire.Json:
            if self._guards.proof is None:
                raise NotFound("No proof is needed here.")
            found = self._guards.proof.challenge(self._holder(request, build))
            return {"challenge": found.token, "bits": found.bits, "expires_in": found.seconds}

        return await self._in_thread(request, challenge)

    async def search(self, request: Request) -> Response:
        """Return candidates for a query."""
        asked = requests.search(request.query_params.multi_items(), max_chars=self._settings.max_question_chars)
        return await self._in_thread(request, lambda build: _search(asked, build))

    async def collection(self, request: Request) -> Response:
        """Return all pages by folder: the outline of the whole."""
        return await self._in_thread(request, _collection)

    async def outline(self, request: Request) -> Response:
        """Return the outline of one page, named by id, URL or path."""
        name = request.path_params["article"]
        return await self._in_thread(request, lambda build: wire.outline(_tools(build).outline(name), site_of(build)))

    async def read(self, request: Request) -> Response:
        """Return the text behind up to four locators."""
        locators = requests.read(await read_json(request, self._settings.max_body_bytes))
        return await self._in_thread(request, lambda build: _read(locators, build))

    async def feedback(self, request: Request) -> Response:
        """Accept a verdict on an answer and append it to the log as one JSON line."""
        await anyio.to_thread.run_sync(self._guards.enter, self._visitor(request))
        given = requests.feedback(await read_json(request, self._settings.max_body_bytes))
        said = asked(given.question, secret=self._settings.secret, words=self._settings.log_words)
        line = {"event": "feedback", "rating": given.rating, **said, "comment": given.comment[:LONGEST]}
        _feedback.info(json.dumps({**line, "build_id": given.build_id}, ensure_ascii=True))
        return JSONResponse({"status": "accepted"}, 202)

    async def health(self, request: Request) -> Response:
        """Return the build that is served and every named fallback."""
        return JSONResponse(await anyio.to_thread.run_sync(lambda: _health(self._live.current())))

    async def openapi(self, request: Request) -> Response:
        """Return the OpenAPI document of this API."""
        base = self._settings.base_path.strip("/")
        return JSONResponse({**openapi_document(), "servers": [{"url": f"/{base}"}]})

    async def _in_thread(self, request: Request, work: Callable[[Build], wire.Json]) -> Response:
        def whole() -> wire.Json:
            self._guards.browse(self._visitor(request))
            return work(self._live.current())

        return JSONResponse(await anyio.to_thread.run_sync(whole))

    def _admit(self, request: Request, proof: Proof) -> str:
        """Return the session of who may ask. Raises ProofNeeded, which costs a visitor nothing of a limit."""
        self._guards.look()
        return proof.admit(request.headers.get(HEADER, ""), self._holder(request, self._live.current()))

    def _holder(self, request: Request, build: Build) -> Holder:
        manifest = build.deps.store.manifest
        visitor = name_of(self._visitor(request), self._settings.secret or b"")
        return Holder(f"{manifest.site_url}{manifest.base_path}", visitor)

    def _visitor(self, request: Request) -> str:
        client = request.client.host if request.client else ""
        forwarded = ",".join(request.headers.getlist("x-forwarded-for"))
        return address(client, forwarded, self._settings.trusted_hops)


def _tools(build: Build) -> Tools:
    now = build.deps.clock()
    book = Book(build.deps.store, Visibility(now))
    return Tools(build.deps.store, build.deps.searcher, book, Scope(), now)


def _search(asked: requests.SearchRequest, build: Build) -> wire.Json:
    searcher = build.lexical if asked.mode == "lexical" else build.deps.searcher
    look = {"exact": searcher.find, "meaning": searcher.alike}.get(asked.mode, searcher.search)
    found = look(asked.query, scope=asked.scope, limit=asked.limit, now=build.deps.clock())
    return wire.search(found, site_of(build))


def _read(locators: tuple[str, ...], build: Build) -> wire.Json:
    found = _tools(build).read(locators)
    if not found.evidence:
        raise NotFound("There is nothing at these locators.", pointer="/locators")
    return wire.read(found, site_of(build))


def _collection(build: Build) -> wire.Json:
    store, visibility = build.deps.store, Visibility(build.deps.clock())
    rows = [row for row in store.articles() if visibility.sees(row, store.articles_by_id)]
    rows.sort(key=lambda row: (row.folder, row.url))
    return {"articles": [wire.article(row, site_of(build)) for row in rows], "build_id": site_of(build).build_id}


def _health(build: Build) -> wire.Json:
    degraded = [*service.notes(build.deps), *build.faults()]
    manifest = build.deps.store.manifest
    return {"status": "ok", "build_id": manifest.build_id, "degraded": degraded, "next_change": manifest.next_change}


def _site(site: Path, base: str, embedders: tuple[str, ...]) -> Callable[[Request], Response]:
    def page(request: Request) -> Response:
        return serve(site, request.path_params["path"], base=base, embedders=embedders)

    return page


def _any_method(path: str, endpoint: Endpoint) -> Route:
    """Return a route that leaves every method to its endpoint, also one that nobody has heard of."""
    route = Route(path, endpoint)
    route.methods = None
    return route


def _to(base: str) -> Callable[[Request], Response]:
    def redirect(_: Request) -> Response:
        return RedirectResponse(base, 307)

    return redirect


async def _unknown(_: Request) -> Response:
    raise NotFound("There is nothing at this address.")


def _prepare_log() -> None:
    """Let feedback lines through; where nobody configured logging they go to standard error."""
    _feedback.setLevel(logging.INFO)
    if not _feedback.hasHandlers():
        _feedback.addHandler(logging.StreamHandler(sys.stderr))
