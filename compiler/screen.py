"""How things look in a terminal: progress, sharing report, problems, answers. Returns renderables, prints nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from rich.console import Console, Group
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from compiler.model import Problem, Severity
from compiler.report import Report, problem_line
from compiler.spending import Bill, Line

SHOWN = 12  # problems of one kind before "and N more"
QUIET = 15.0  # seconds between two lines of progress where there is no terminal
STAGES = {
    "scan": "reading files",
    "share": "deciding what is public",
    "parse": "parsing pages",
    "protect": "preparing password pages",
    "embedder": "preparing the embedder",
    "compare": "comparing with the served build",
    "derive": "chunks, outline, questions, wiki",
    "embed": "embedding passages and questions",
    "site": "writing the site",
    "search": "indexing the static search",
    "index": "writing the indexes",
    "verify": "verifying every file",
    "switch": "switching",
    "leakcheck": "searching what is published",
    "questions": "searching for every question",
    "answers": "answering questions",
}


class Screen:
    """Progress on standard error: bars with the time left in a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task: Any = None
        self.stage = ""
        self.began = self.said = time.monotonic()

    def begin(self, stage: str) -> None:
        """Show a stage without a size."""
        self.stage = STAGES.get(stage, stage)
        self.began = self.said = time.monotonic()
        self.bars.start()
        self.task = self.bars.add_task(self.stage, total=None)

    def update(self, done: int, total: int) -> None:
        """Move the bar; without a terminal print a line every QUIET seconds with the time left."""
        self.bars.update(self.task, completed=done, total=total)
        now = time.monotonic()
        if not self.console.is_terminal and now - self.said > QUIET and done:
            self.said = now
            left = (now - self.began) / done * (total - done)
            self.console.print(f"{self.stage}: {done}/{total}, about {left:.0f} s left", highlight=False)

    def end(self) -> None:
        """Take the stage off the screen."""
        self.bars.remove_task(self.task)
        self.bars.stop()


def build_summary(report: Report, out: str) -> Group:
    """Return the end of a build: what is served, what it holds, how long each stage took."""
    counts, shown = report.counts, []
    head = "nothing changed; still served" if report.unchanged else "built and switched"
    shown.append(Text.from_markup(f"[green]✓[/] {head}: build [bold]{report.build_id}[/] in {escape(out)}"))
    holds = ("articles", "public pages"), ("chunks", "chunks"), ("questions", "questions"), ("links", "links")
    shown.append(Text("  " + " · ".join(f"{counts[name]} {words}" for name, words in holds)))
    shown.append(Text(f"  {_sharing(report.sharing)}"))
    stages = [f"{name} {seconds:.1f} s" for name, seconds in report.seconds.items() if seconds >= 0.05]
    shown.append(Text(f"  {sum(report.seconds.values()):.1f} s: {' · '.join(stages)}", style="dim"))
    if not report.unchanged:
        fresh = f"  {report.fresh_embeddings} texts embedded, {report.rendered} pages rendered; the rest was cached"
        shown.append(Text(fresh, style="dim"))
    if report.bill:
        shown.append(Text(f"  {_spent(report.bill)}"))
    shown += [Text.from_markup(f"[yellow]![/] degraded: {escape(_reason(name))}") for name in report.degraded]
    shown += [Text.from_markup(f"[yellow]![/] {escape(note)}") for note in report.notes]
    if report.next_build:
        shown.append(Text(f"  next change {_moment(report.next_build)}: build again then", style="dim"))
    return Group(*shown)


def bill_table(bill: Bill) -> Group:
    """Return what a build would ask and pay, stage by stage."""
    if not bill.lines:
        return Group(Text("enrich.provider is local: a build asks no model and costs nothing"))
    head = ("stage", "calls", "kept", "tokens in", "tokens out", "about $", "at most $", "saved $", "model")
    rows = [head, *map(_bill_row, bill.lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [Text(_aligned(row, widths), style="" if n else "bold") for n, row in enumerate(rows)]
    most = sum(line.most_usd for line in bill.lines)
    total = f"about ${bill.usd:.2f} for {bill.calls} calls, at most ${most:.2f}; the budget is ${bill.budget_usd:.2f}"
    stops = [Text("! the build would stop asking at the budget", style="yellow")] if bill.usd > bill.budget_usd else []
    return Group(*lines, Text(total), *stops)


def _bill_row(line: Line) -> tuple[str, ...]:
    data = line.as_json()
    numbers = (data["calls"], data["kept"], data["input_tokens"], data["output_tokens"])
    prices = (line.usd, line.most_usd, line.saved_usd)
    return (line.stage, *(f"{n:,}" for n in numbers), *(f"{usd:.2f}" for usd in prices), line.model)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a row with its numbers to the right; a table of rich would cut them where there is no terminal."""
    first, *numbers, last = zip(row, widths, strict=True)
    return "  ".join((first[0].ljust(first[1]), *(text.rjust(width) for text, width in numbers), last[0]))


def problem_list(problems: Sequence[Problem], redact_with: bytes | None, *, everything: bool) -> Group:
    """Return problems, errors first; of one kind the first dozen unless everything is asked for."""
    shown: list[Text] = []
    for severity in (Severity.ERROR, Severity.WARNING):
        kinds: dict[str, list[Problem]] = {}
        for problem in (p for p in problems if p.severity is severity):
            kinds.setdefault(problem.code, []).append(problem)
        for code, found in sorted(kinds.items()):
            colour = "red" if severity is Severity.ERROR else "yellow"
            shown.append(Text.from_markup(f"[{colour}]{severity.value}[/] [bold]{code}[/] ({len(found)})"))
            limit = len(found) if everything else SHOWN
            shown += [Text(f"  {problem_line(p, redact_with)}") for p in found[:limit]]
            if len(found) > limit:
                shown.append(Text(f"  … and {len(found) - limit} more: --all shows them", style="dim"))
    return Group(*shown)


def search_list(found: Mapping[str, Any]) -> Group:
    """Return search results: title, section, address, summary."""
    rows: list[Text] = []
    for number, item in enumerate(found["candidates"], 1):
        section = " › ".join(item.get("section") or ())
        rows.append(
            Text.from_markup(
                f"[bold]{number}. {escape(item['title'])}[/]" + (f" › {escape(section)}" if section else "")
            )
        )
        rows.append(Text(f"   {unquote(item['url'])}", style="green"))
        if item.get("summary"):
            rows.append(Text(f"   {item['summary']}", style="dim"))
    return Group(*(rows or [Text("nothing found")]))


def _spent(bill: Bill) -> str:
    kept = sum(line.kept for line in bill.lines)
    return f"${bill.usd:.4f} of ${bill.budget_usd:.2f} spent on {bill.calls} calls of a model; {kept} answers were kept"


def _sharing(counts: Mapping[str, int]) -> str:
    return " · ".join(f"{number} {state}" for state, number in counts.items() if number) or "no Markdown files found"


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _reason(name: str) -> str:
    return {
        "no_embedder": "no_embedder — search and answers work on words alone (pip install 'geosmin[embedder]')",
        "no_mermaid": "no_mermaid — diagrams are shown as their source (put mermaid.min.js into the folder _theme)",
        "no_static_search": "no_static_search — the site alone searches titles only (pip install 'geosmin[search]')",
        "enrichment_incomplete": "enrichment_incomplete — some articles have local results; the problems say why",
        "vectors_incomplete": "vectors_incomplete — the time budget ended; the next build goes on",
    }.get(name, name)


def sources(answer: Mapping[str, Any]) -> Group:
    """Return what stands below an answer: its sources, doubts, and the nearest pages of a refusal."""
    rows: list[Text] = [Text("")]
    cited = dict.fromkeys(item["evidence"] for item in answer["citations"])
    by_id = {item["id"]: item for item in answer["evidence"]}
    rows += [_place(f"[green]\\[{number}][/]", by_id[name]) for number, name in enumerate(cited, 1)]
    if answer["status"] == "no_answer":
        rows += [_place("·", item) for item in answer["nearest"]]
    rows += [Text.from_markup(f"[yellow]![/] {escape(line)}") for line in answer["uncertainties"]]
    degraded = answer["diagnostics"].get("degraded") or ()
    state = f"{answer['status']} · confidence {answer['confidence']:.2f}"
    rows.append(Text(" · ".join((state, *degraded)), style="dim"))
    return Group(*rows)


def rows(lines: Sequence[tuple[str, ...]], nothing: str) -> Group:
    """Return rows of text as aligned columns, the last one as long as it is; `nothing` when there are none."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)][:-1] if lines else []
    shown = ["  ".join((*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[-1])) for row in lines]
    return Group(*map(Text, shown or [nothing]))


def proposed(name: str, page: str, share: str) -> Group:
    """Return what is said of a proposal that waits: who could read its page, and how it becomes one."""
    who = {"public": "public once it is merged", "password": "readable with the page's password"}.get(
        share, "private by the rules of its folder; `share: public` in its front matter is yours to write"
    )
    return Group(
        Text.from_markup(
            f"[green]✓[/] proposal [bold]{escape(name)}[/] for {escape(page)} waits for you; it would be {who}"
        ),
        Text(f"  geosmin propose {name} prints the change; --branch or --pull-request makes a commit of it", "dim"),
    )


def _place(mark: str, item: Mapping[str, Any]) -> Text:
    """Return one page or heading as a line: where it stands, and its address as a person reads it."""
    path = list(dict.fromkeys((item["title"], *item["section"])))
    return Text.from_markup(f"{mark} {escape(' › '.join(path))}  [dim]{escape(unquote(item['url']))}[/]")


def address(base: str, *, preview: bool) -> Group:
    """Return where the site is and how to ask, from a browser and from a terminal."""
    body = '{"question": "…", "stream": false}'
    rows = [
        Text.from_markup(f"\n[bold green]{base}[/]  open it and ask, or from a terminal:"),
        Text('  geosmin ask "…"'),
        Text(f"  curl -s {base}api/public/qa/chat -H 'content-type: application/json' -d '{body}'"),
        Text("Ctrl+C stops; a changed file is rebuilt", style="dim"),
    ]
    if preview:
        rows.append(Text("preview: drafts and private pages are shown, on this machine only", style="yellow"))
    return Group(*rows)
