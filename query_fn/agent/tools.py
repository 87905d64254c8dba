"""The tools by name: scope, visibility and the owner's switches apply at every single call."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from query_fn.agent import manual, places
from query_fn.agent.chat.base import (
    Call,
    CollectionResult,
    LinksResult,
    ListResult,
    OutlineResult,
    ReadResult,
    Result,
    ToolError,
)
from query_fn.agent.collection import collection
from query_fn.agent.evidence import Book, find_article
from query_fn.agent.manual import DELEGATE, MAX_READ, Arguments
from query_fn.contract import ArticleRow
from query_fn.errors import BadRequest, NotFound
from query_fn.model import Scope, SearchResult
from query_fn.retrieve.search import Searcher, narrowed
from query_fn.store import Store
from query_fn.visibility import Visibility


class Tools(Struct, frozen=True):
    """What a model may use for one question. `now` is in UTC epoch seconds."""

    store: Store
    searcher: Searcher
    book: Book
    scope: Scope
    now: int
    off: tuple[str, ...] = ()
    helper: Callable[[Arguments, Tools], Result] | None = None  # answers `delegate`; a helper has none itself

    def call(self, call: Call) -> Result:
        """Run one call. What the caller did wrong comes back as a ToolError, never as an exception."""
        known = manual.BY_NAME.get(call.tool)
        if known is None:
            return ToolError("unknown_tool", f"There is no such tool; there are {', '.join(manual.NAMES)}.")
        if call.tool in self.off or (call.tool == DELEGATE and self.helper is None):
            return ToolError("tool_off", f"The tool {call.tool} is switched off here.")
        try:
            return self._dispatch(call.tool, known.read(call.args))
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
        row, articles, visibility = self._article(article), self.store.articles_by_id, self._visibility
        nodes = tuple(n for n in self.store.nodes_of(row.id) if visibility.sees(n, articles))
        return OutlineResult(row, nodes)

    def tree(self, name: str) -> OutlineResult | CollectionResult:
        """Return the tree of the page or folder called so, of the whole base without a name. Raises NotFound."""
        row = find_article(self.store, name) if name.strip("/") else None
        if row is not None and self._visibility.sees(row, self.store.articles_by_id):
            return self.outline(name)
        return collection(name, self.store, self._visibility)

    def read(self, locators: tuple[str, ...]) -> ReadResult:
        """Return evidence for at most MAX_READ locators."""
        return self.book.read(locators[:MAX_READ])

    def links(self, article: str) -> LinksResult:
        """Return the links of one article whose both ends may be seen. Raises NotFound."""
        return places.links(self._article(article), self.store, self._visibility)

    def list(self, asked: places.Asked) -> ListResult:
        """Return the pages that may be seen and fit, in the order of their paths."""
        return places.pages(asked, self.store, self._visibility)

    @property
    def _visibility(self) -> Visibility:
        return Visibility(self.now, self.scope)

    def _article(self, name: str) -> ArticleRow:
        row = find_article(self.store, name)
        if row is None or not self._visibility.sees(row, self.store.articles_by_id):
            raise NotFound("There is no such page.")
        return row

    def _inside(self, name: str | None) -> str | None:
        """Return the id of the article that a search is held to: a name that leads nowhere finds nothing."""
        row = find_article(self.store, name) if name is not None else None
        return row.id if row is not None else name

    def _dispatch(self, tool: str, args: Arguments) -> Result:
        match tool:
            case "search":
                inside = self._inside(args.optional("article"))
                return self.search(args.text("query"), queries=args.texts("queries"), article=inside)
            case "find":
                return self.find(args.text("phrase"), article=self._inside(args.optional("article")))
            case "outline":
                return self.tree(args.text("article"))
            case "links":
                return self.links(args.text("article"))
            case "list":
                return self.list(places.asked(args))
            case "delegate" if self.helper:
                return self.helper(args, self)
        return self.read(args.texts("locators"))
