"""The seam between the loop and whatever decides: a model takes a View of the run so far and returns one Move.

The extractive model (no key), the scripted model (tests) and a paid model all speak it. A model never touches the
store: it proposes calls, the loop checks limits and permissions, runs them, and hands back what they found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from query_fn.agent.router import Intent
from query_fn.contract import ArticleRow, LinkRow, NodeRow
from query_fn.model import Candidate, Evidence, SearchResult, Turn


class Call(Struct, frozen=True):
    """A tool the model wants to use, with its arguments as JSON values."""

    tool: str
    args: Mapping[str, object]
    fault: str = ""  # why it cannot be run, when what the model wrote is no call


class OutlineResult(Struct, frozen=True):
    """The tree of one article, in document order."""

    article: ArticleRow
    nodes: tuple[NodeRow, ...]


class CollectionResult(Struct, frozen=True):
    """The tree of a folder: the folders in it with their pages counted, its pages with their chapters, and how many."""

    folder: str  # "" = the whole base
    folders: tuple[tuple[str, int], ...]
    pages: tuple[tuple[ArticleRow, tuple[NodeRow, ...]], ...]
    total: int


class ReadResult(Struct, frozen=True):
    """The evidence that was read and the locators that lead nowhere."""

    evidence: tuple[Evidence, ...]
    missing: tuple[str, ...] = ()
    onward: tuple[tuple[str, str], ...] = ()  # (evidence id, locator under which its text goes on) of what was cut


class Link(Struct, frozen=True):
    """One link between two pages; `article` is the page at its other end."""

    row: LinkRow
    article: ArticleRow
    inward: bool


class LinksResult(Struct, frozen=True):
    """The links of one page, out and back."""

    article: ArticleRow
    links: tuple[Link, ...]


class ListResult(Struct, frozen=True):
    """Pages by their place, and how many there are in all; of all pages together, the folders and their sizes too."""

    articles: tuple[ArticleRow, ...]
    total: int
    folders: tuple[tuple[str, int], ...] = ()


class Task(Struct, frozen=True):
    """The contract of a delegated sub-question: what to find out, from what, where, within what, and what to bring.

    Its scope and what it may see are the parent's; `steps` and `seconds` are taken from what the parent has left.
    """

    goal: str  # a question that stands alone
    inputs: str = ""  # what is known already
    sources: tuple[str, ...] = ()  # pages or folders to look at first
    expected: str = ""  # what to bring, e.g. "one number with its unit"
    steps: int = 0
    seconds: float = 0.0


class Finding(Struct, frozen=True):
    """What came of a sub-question: places to read, never evidence; whoever delegated reads them before citing."""

    task: Task
    places: tuple[Candidate, ...] = ()
    said: tuple[str, ...] = ()  # its checked sentences: a hint for what to look for
    steps: tuple[str, ...] = ()  # the tools it used, in order
    failed: str = ""  # the name of what went wrong, "" = nothing


class DelegateResult(Struct, frozen=True):
    """The findings of all sub-questions, in the order they were given."""

    findings: tuple[Finding, ...]


class ToolError(Struct, frozen=True):
    """A call that failed, as data: the model may try something else."""

    code: str  # "unknown_tool" | "tool_off" | "bad_arguments" | "not_found" | "repeated" | "not_run" | "failed"
    message: str


Result = (
    SearchResult | OutlineResult | CollectionResult | ReadResult | LinksResult | ListResult | DelegateResult | ToolError
)


class Observation(Struct, frozen=True):
    """One call and what came of it; `turn` counts the model's moves, from 0."""

    call: Call
    result: Result
    ms: float
    turn: int = 0


class Quoted(Struct, frozen=True):
    """One sentence of an answer with the (evidence id, raw quote) pairs that prove it.

    `label` is a title that the server takes from the evidence and puts in front; it is not part of the claim.
    """

    text: str
    quotes: tuple[tuple[str, str], ...]
    label: str = ""
    item: bool = False  # a line of a list
    number: int = 0  # of the line, in a numbered list
    apart: bool = False  # begins a paragraph


class Calls(Struct, frozen=True):
    """Use these tools next."""

    calls: tuple[Call, ...]


class Draft(Struct, frozen=True):
    """Answer with these sentences; the gate decides which stand. No sentence at all means: the pages do not say."""

    sentences: tuple[Quoted, ...]
    uncertainties: tuple[str, ...] = ()  # phrase keys
    confidence: float | None = None  # 0..1, of the model in its own answer; None: as sure as its search
    refused: str = ""  # phrase key: why the model does not answer at all


Move = Calls | Draft


class View(Struct, frozen=True):
    """What a model sees: the question, the run so far, and whether this is its last turn (`final`: no tools)."""

    question: str
    lang: str
    intent: Intent
    turns: tuple[Turn, ...] = ()
    seen: tuple[Observation, ...] = ()
    rejected: tuple[Quoted, ...] = ()  # what the gate dropped from the draft before
    lacks: str = ""  # phrase key of what the draft before lacked although it was true
    final: bool = False
    rounds: int = 2  # retrieval rounds allowed
    carried: tuple[str, ...] = ()  # locators that the turn before cited, for a follow-up; they must be read again
    said: str = ""  # a follow-up in the reader's own words, when `question` has the turn before in front
    task: Task | None = None  # of a delegated sub-question, which delegates nothing itself

    @property
    def asked(self) -> str:
        """What is to be answered, in the reader's own words; `question` is what is searched for."""
        return self.said or self.question


class Claim(Struct, frozen=True):
    """A sentence of a draft, the words it cites, and the headings they stand below."""

    sentence: str
    quotes: tuple[str, ...]
    above: str = ""


class Grader(Protocol):
    """Reads sentences beside their quotes."""

    def follow(self, claims: Sequence[Claim]) -> Sequence[bool]:
        """Return for each claim whether it follows from its quotes alone. Raises ModelFailed when it cannot tell."""
        ...


class ChatModel(Protocol):
    """Decides the next move."""

    @property
    def name(self) -> str:
        """How diagnostics call this model."""
        ...

    @property
    def writes(self) -> bool:
        """Whether it writes its own sentences, so that another draft may say what the first one lacks."""
        ...

    @property
    def grader(self) -> Grader | None:
        """Who reads what it wrote beside the quotes; None: the rules alone decide."""
        ...

    def next(self, view: View) -> Move:
        """Return the next move for this view of the run."""
        ...
