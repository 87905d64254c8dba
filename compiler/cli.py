"""The `geosmin` command: arguments, messages, progress, exit codes. Besides `evaluate.command` the only
module that prints.

Exit codes: 0 ok · 1 switched, with problems · 2 usage · 3 failed, nothing switched · 4 another build holds the lock.
"""

from __future__ import annotations

import gc
import logging
import os
import secrets
import sys
import threading
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from compiler import screen, serve, sharing_screen, starter
from compiler.build import How
from compiler.build import build as run_build
from compiler.cache import STAGES
from compiler.check import check as run_check
from compiler.doctor import examine
from compiler.errors import BuildError, GeosminError, LockedError, SettingsError
from compiler.evaluate.command import evaluation
from compiler.leakcheck.scan import leakcheck as run_leakcheck
from compiler.leakcheck.scan import told
from compiler.local import Local
from compiler.progress import Clock, Progress, Silent
from compiler.report import Report, sharing_json, to_json
from compiler.settings import Settings
from compiler.terminal import (
    CONTENT,
    OUT,
    STATE,
    All,
    AsJson,
    Config,
    Content,
    From,
    NoCache,
    Now,
    Older,
    Out,
    Rebuild,
    Redact,
    Set,
    State,
    Strict,
    Wait,
    err,
    out,
    settings_of,
    write_json,
)
from query_fn import wire
from query_fn.agent.events import Done, Sentence, Step
from query_fn.errors import ArtifactError

app = typer.Typer(
    name="geosmin",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Compile a Markdown knowledge base into a wiki that answers. · 把 Markdown 知识库编译成能回答问题的维基。",
)


@dataclass(frozen=True, slots=True)
class View:
    """How one command shows its result."""

    json: bool
    redact_with: bytes | None = None
    everything: bool = False

    def progress(self) -> Progress:
        """Return where progress goes: a terminal's standard error, also beside JSON."""
        return Silent() if self.json and not err.is_terminal else screen.Screen(err)


@app.command()
def init(folder: Annotated[Path, typer.Argument(help="Where to start.")] = Path(), as_json: AsJson = False) -> None:
    """Write a small knowledge base to start from."""
    written = starter.write_starter(folder)
    if as_json:
        write_json({"written": [str(p) for p in written]})
        return
    for place in written:
        out.print(f"[green]+[/] {place}")
    out.print("next: geosmin build, then geosmin serve")


@app.command()
def build(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    now: Now = None,
    redact: Redact = None,
    strict: Strict = False,
    everything: All = False,
    from_stage: From = None,
    rebuild: Rebuild = False,
    no_cache: NoCache = False,
    wait: Wait = 0,
    older: Older = False,
) -> None:
    """Compile content/ into a site and search artifacts, and switch to them at once."""
    anew = _anew(from_stage, rebuild=rebuild, no_cache=no_cache)
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    view = View(as_json, _redaction_key(redact), everything)
    how = How(anew=anew, wait=wait, older=older)
    report = run_build(settings, now=_now(now), progress=view.progress(), how=how)
    _show_build(report, settings, view)
    raise typer.Exit(_code(report, strict=strict))


@app.command()
def check(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    now: Now = None,
    redact: Redact = None,
    strict: Strict = False,
    everything: All = False,
) -> None:
    """Show what is public and why, and every problem. Writes nothing."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    view = View(as_json, _redaction_key(redact), everything)
    report = run_check(settings, now=_now(now), progress=view.progress())
    if view.json:
        write_json(to_json(report, redact_with=view.redact_with) | sharing_json(report, redact_with=view.redact_with))
    else:
        out.print(sharing_screen.sharing(report, view.redact_with, everything=view.everything))
        _show_problems(report, view)
    raise typer.Exit(_code(report, strict=strict))


@app.command()
def leakcheck(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    now: Now = None,
    redact: Redact = None,
) -> None:
    """Search the current build for anything of your files that is not public. Exit code 1 when something is found."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    view = View(as_json, _redaction_key(redact))
    clock = Clock(view.progress())
    with clock.stage("leakcheck"):
        report = run_leakcheck(settings, now=_now(now), progress=clock.progress.update)
    found = told(report, redact_with=view.redact_with)
    if view.json:
        write_json(asdict(found))
    else:
        out.print(screen.leaks(found))
    raise typer.Exit(int(bool(report.hits)))


@app.command("serve")
def serve_command(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8000,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show drafts and private pages too, on this machine only.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch/--no-watch", help="Rebuild when a file changes.")] = True,
) -> None:
    """Build, then serve site and API on one address; rebuild when a file changes."""
    settings = settings_of(content, out_dir, state, config=config, overrides=overrides)
    if preview:
        serve.require_loopback(host)
        settings = serve.preview_settings(settings)
    view = View(json=False)
    _build_once(settings, view, preview=preview, first=True)
    out.print(screen.address(f"http://{host}:{port}{settings.site.base_path}", preview=preview))
    stop = threading.Event()
    if watch:
        serve.watch(settings.content, lambda: _build_once(settings, view, preview=preview, first=False), stop)
    try:
        serve.run_server(settings, host=host, port=port)
    finally:
        stop.set()


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="Your question, in any language your pages are in.")],
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    lang: Annotated[str | None, typer.Option(help="Language of the answer: zh or en.")] = None,
) -> None:
    """Ask the current build a question; the answer cites the pages it comes from."""
    local = Local.open(settings_of(content, out_dir, state, config=config, overrides=overrides))
    for event in local.ask(question, lang):
        if isinstance(event, Step) and not as_json:
            err.print(f"[dim]{escape(event.text)}[/]")
        elif isinstance(event, Sentence) and not as_json:
            out.print(event.text, end="", markup=False)
        elif isinstance(event, Done):
            answer = wire.answer(event.answer, local.site, conversation=None)
            if as_json:
                write_json(answer)
            else:
                out.print(screen.sources(answer))


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="Words or a question.")],
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
    limit: Annotated[int, typer.Option(min=1, max=20, help="How many results.")] = 10,
) -> None:
    """Search the current build."""
    found: Any = Local.open(settings_of(content, out_dir, state, config=config, overrides=overrides)).search(
        query, limit
    )
    if as_json:
        write_json(found)
    else:
        out.print(screen.search_list(found))


@app.command()
def doctor(
    content: Content = CONTENT,
    out_dir: Out = OUT,
    state: State = STATE,
    config: Config = None,
    overrides: Set = None,
    as_json: AsJson = False,
) -> None:
    """Show versions, model and artifacts, and what is degraded and why."""
    found = examine(settings_of(content, out_dir, state, config=config, overrides=overrides, need_content=False))
    if as_json:
        write_json({"findings": [{"state": f.state, "name": f.name, "detail": f.detail} for f in found]})
    else:
        out.print(screen.findings(found))
    raise typer.Exit(1 if any(f.state == "bad" for f in found) else 0)


app.command("eval")(evaluation)


def main() -> None:
    """Run the command; every error leaves as a sentence and an exit code."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    gc.set_threshold(50_000, 20, 100)  # a build makes millions of values and few cycles: a tenth of its time
    try:
        app()
    except SettingsError as error:
        _fail(str(error), 2)
    except LockedError as error:
        _fail(str(error), 4)
    except (GeosminError, ArtifactError) as error:
        hint = "; run `geosmin build` first" if isinstance(error, ArtifactError) else ""
        _fail(f"{_told(error)}{hint}", 3)
    except KeyboardInterrupt:
        _fail("interrupted; what was served before is still served", 3)
    except Exception as error:
        logging.getLogger("geosmin").debug("uncaught", exc_info=True)
        _fail(f"{_told(error)} — what is served is whole, the build before or this one; GEOSMIN_DEBUG=1 shows where", 3)


def _told(error: Exception) -> str:
    """Return an error as a sentence; redacted, one that may quote a file is only its class and errno."""
    redact = _is_redacted()
    if isinstance(error, BuildError) and error.redacted and redact:
        return error.redacted
    if isinstance(error, GeosminError | ArtifactError):
        return str(error)
    number = f" {error.errno}" if isinstance(error, OSError) and error.errno else ""
    return f"{type(error).__name__}{number}" if redact else f"{type(error).__name__}: {error}"


def _is_redacted() -> bool:
    """Tell whether names are redacted, from the command line as typed: an error may come before it is parsed."""
    asked = [word == "--redact" for word in sys.argv if word in ("--redact", "--no-redact")]
    return asked[-1] if asked else bool(os.environ.get("CI"))


def _fail(message: str, code: int) -> None:
    if os.environ.get("GEOSMIN_DEBUG") and code == 3 and not _is_redacted():
        err.print_exception()
    err.print(f"[red]error[/] {escape(message)}")
    sys.exit(code)


def _build_once(settings: Settings, view: View, *, preview: bool, first: bool) -> None:
    """Build for `serve`; after the first time a failure is told and the last good build stays."""
    try:
        report = run_build(
            settings,
            now=datetime.now(UTC),
            progress=view.progress(),
            how=How(preview=preview, older=True, durable=False),
        )
    except Exception as error:
        if first:
            raise
        err.print(f"[red]not rebuilt[/] {escape(_told(error))}; the last good build is still served")
        return
    if first or not report.unchanged:
        _show_build(report, settings, view)


def _show_build(report: Report, settings: Settings, view: View) -> None:
    if view.json:
        write_json(to_json(report, redact_with=view.redact_with))
        return
    _show_problems(report, view)
    out.print(screen.build_summary(report, str(settings.out)))


def _show_problems(report: Report, view: View) -> None:
    if report.problems:
        err.print(screen.problem_list(report.problems, view.redact_with, everything=view.everything))


def _redaction_key(asked: bool | None) -> bytes | None:
    """Return the key of redacted names (the owner's secret, else one for this run), None when names may be shown."""
    redact = bool(os.environ.get("CI")) if asked is None else asked
    return (os.environ.get("GEOSMIN_SECRET", "").encode() or secrets.token_bytes(16)) if redact else None


def _anew(stage: str | None, *, rebuild: bool, no_cache: bool) -> tuple[str, ...]:
    """Return the stages that take nothing from the cache."""
    if sum((stage is not None, rebuild, no_cache)) > 1:
        raise SettingsError("--from, --rebuild and --no-cache say three different things; give one of them")
    if stage is not None and stage not in STAGES:
        raise SettingsError(f"--from {stage}: no such stage; one of {', '.join(STAGES)}")
    if rebuild:
        return tuple(name for name in STAGES if name != "embed")
    return STAGES[0 if no_cache else STAGES.index(stage) :] if no_cache or stage else ()


def _now(value: str | None) -> datetime:
    if value is None:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise SettingsError(f"--now {value}: not an ISO instant") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _code(report: Report, *, strict: bool) -> int:
    return int(bool(report.errors) or (strict and bool(report.problems)))


if __name__ == "__main__":
    main()
