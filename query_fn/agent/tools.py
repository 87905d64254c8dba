"""The tools: search, find, outline, read. Scope, visibility and the owner's switches apply at every single call."""

from __future__ import annotations

from dataclasses import dataclass

from query_fn import schema
from query_fn.agent.chat.base import Call, OutlineResult, ReadResult, Result, ToolError
from query_fn.agent.evidence import Book, find_article
from query_fn.errors import BadRequest, NotFound
from query_fn.model import Scope, SearchResult
from query_fn.retrieve.search import Searcher, narrowed
from query_fn.store import Store
from query_fn.visibility import Visibility

MAX_READ = 4
NAMES = ("search", "find", "outline", "read")


@dataclass(frozen=True, slots=True)
class Tools:
    """What a model may use for one question. `now` is in UTC epoch seconds."""

    store: Store
    searcher: Searcher
    book: Book
    scope: Scope
    now: int
    off: tuple[str, ...] = ()

    def call(self, call: Call) -> Result:
        """Run one call. What the caller did wrong comes back as a ToolError, never as an exception."""
        if call.tool not in NAMES:
            return ToolError("unknown_tool", f"There is no tool {call.tool!r}; there are {', '.join(NAMES)}.")
        if call.tool in self.off:
            return ToolError("tool_off", f"The tool {call.tool} is switched off here.")
        try:
            return self._dispatch(call)
        except NotFound as error:
            return ToolError("not_found", error.detail)
        except BadRequest as error:
            return ToolError("bad_arguments", f"{error.pointer}: {error.detail}")

    def search(self, query: str, *, queries: tuple[str, ...] = (), article: str | None = None) -> SearchResult:
        """Return candidates for a query: places to read, no text."""
        found = self.searcher.search(query, scope=self.scope, queries=queries, now=self.now, article=article)
        self.book.note(found)
        return found

    def find(self, phrase: str, *, article: str | None = None) -> SearchResult:
        """Return the places that hold the exact words of a phrase: places to read, no text."""
        found = self.searcher.find(phrase, scope=narrowed(self.scope, article), now=self.now)
        self.book.note(found)
        return found

    def outline(self, article: str) -> OutlineResult:
        """Return the tree of one article. Raises NotFound, the same for absent and not public."""
        visibility = Visibility(self.now, self.scope)
        row = find_article(self.store, article)
        articles = self.store.articles_by_id
        if row is None or not visibility.sees(row, articles):
            raise NotFound("There is no such page.")
        nodes = tuple(n for n in self.store.nodes_of(row.id) if visibility.sees(n, articles))
        return OutlineResult(row, nodes)

    def read(self, locators: tuple[str, ...]) -> ReadResult:
        """Return evidence for at most MAX_READ locators."""
        return self.book.read(locators[:MAX_READ])

    def _dispatch(self, call: Call) -> Result:
        if call.tool == "search":
            args = schema.as_object(call.args, "", keys=("query", "queries", "article"))
            article = args.get("article")
            return self.search(
                schema.as_text(args.get("query"), "/query", most=4_000),
                queries=schema.as_texts(args.get("queries", []), "/queries", most=3),
                article=None if article is None else schema.as_text(article, "/article"),
            )
        if call.tool == "find":
            args = schema.as_object(call.args, "", keys=("phrase", "article"))
            article = args.get("article")
            return self.find(
                schema.as_text(args.get("phrase"), "/phrase", most=200),
                article=None if article is None else schema.as_text(article, "/article"),
            )
        if call.tool == "outline":
            args = schema.as_object(call.args, "", keys=("article",))
            return self.outline(schema.as_text(args.get("article"), "/article"))
        args = schema.as_object(call.args, "", keys=("locators",))
        return self.read(schema.as_texts(args.get("locators"), "/locators", most=MAX_READ))
