"""Which room may import which. The table is the architecture; an arrow that is not in it is a defect."""

import ast
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("compiler", "query_fn")

# room -> rooms it may import. A room is a module, or a folder for all modules below it that are not listed themselves.
LEAVES = ("compiler.errors", "compiler.model")
TEXT = ("query_fn.contract", "query_fn.text")
ALLOWED: dict[str, tuple[str, ...]] = {
    "compiler.errors": (),
    "compiler.model": (),
    "compiler.git": (),
    "compiler.addresses": LEAVES,
    "compiler.guide": LEAVES,
    "compiler.theme": LEAVES,
    "compiler.ranges": (),
    "compiler.destination": (*LEAVES, "query_fn.bucket"),
    "compiler.spending": (*LEAVES, "compiler.ranges", "query_fn.prices"),
    "compiler.settings": (
        *LEAVES,
        *TEXT,
        "compiler.addresses",
        "compiler.destination",
        "compiler.guide",
        "compiler.ranges",
        "compiler.spending",
        "compiler.theme",
    ),
    "compiler.progress": (),
    "compiler.parallel": (),
    "compiler.version": (),
    "compiler.cache": ("compiler.parallel",),
    "compiler.lock": LEAVES,
    "compiler.order": (*LEAVES, "compiler.git"),
    "compiler.report": (*LEAVES, "compiler.spending"),
    "compiler.starter": LEAVES,
    "compiler.hosting": (*LEAVES, "compiler.git", "query_fn"),
    "compiler.events": (*LEAVES, "compiler.index.switch"),
    "compiler.proposals": (
        *LEAVES,
        *TEXT,
        "compiler.events",
        "compiler.git",
        "compiler.lock",
        "compiler.parse",
        "compiler.settings",
        "compiler.sources",
        "query_fn.model",
    ),
    "compiler.noticed": (
        *TEXT,
        "compiler.events",
        "compiler.index.switch",
        "compiler.proposals.pending",
        "compiler.settings",
        "compiler.site.listing",
        "query_fn.errors",
        "query_fn.store",
    ),
    "compiler.parse": (*LEAVES, *TEXT, "compiler.sources.urls"),
    "compiler.sources": (
        *LEAVES,
        *TEXT,
        "compiler.settings",
        "compiler.git",
        "compiler.guide",
        "compiler.theme",
        "compiler.parse.comments",
        "compiler.parse.language",
    ),
    "compiler.stuffing": (),
    "compiler.chunk": (
        *LEAVES,
        *TEXT,
        "compiler.settings",
        "compiler.parse.blocks",
        "compiler.parse.language",
        "compiler.stuffing",
    ),
    "compiler.outline": (
        *LEAVES,
        *TEXT,
        "compiler.enrich.definitions",
        "compiler.enrich.folding",
        "compiler.enrich.naming",
    ),
    "compiler.enrich": (*LEAVES, *TEXT, "compiler.cache", "compiler.index.fold"),
    "compiler.enrich.claude": (
        *LEAVES,
        *TEXT,
        "compiler.cache",
        "compiler.enrich",
        "compiler.guide",
        "compiler.spending",
        "query_fn.prices",
    ),
    "compiler.wiki": (*LEAVES, *TEXT, "compiler.cache", "compiler.enrich", "compiler.guide", "compiler.sources.urls"),
    "compiler.index": (
        *LEAVES,
        *TEXT,
        "query_fn.errors",
        "query_fn.retrieve.embed",
        "query_fn.retrieve.model_folder",
        "query_fn.retrieve.signs",
        "query_fn.store",  # what was written is tried by the function's own search before the manifest says so
    ),
    "compiler.index.tune": (*TEXT, "compiler.index.calibrate", "query_fn.retrieve", "query_fn.store"),
    "compiler.embed": (
        *LEAVES,
        *TEXT,
        "compiler.derive",
        "compiler.index",
        "compiler.progress",
        "compiler.settings",
        "query_fn.errors",
        "query_fn.retrieve.embed",
        "query_fn.retrieve.model_folder",
    ),
    "compiler.site": (
        *LEAVES,
        *TEXT,
        "compiler.cache",
        "compiler.enrich.mentions",
        "compiler.settings",
        "compiler.version",
        "compiler.wiki",
    ),
    "compiler.pages": (*LEAVES, "compiler.cache", "compiler.parse", "compiler.sources.keys"),
    "compiler.protected": (
        *LEAVES,
        "compiler.parse",
        "compiler.settings",
        "compiler.site.protect",
        "compiler.sources",
    ),
    "compiler.read": (
        *LEAVES,
        "compiler.cache",
        "compiler.pages",
        "compiler.parse.comments",
        "compiler.parse.markdown",
        "compiler.progress",
        "compiler.protected",
        "compiler.report",
        "compiler.settings",
        "compiler.sources",
    ),
    "compiler.derive": (
        *LEAVES,
        *TEXT,
        "compiler.cache",
        "compiler.chunk",
        "compiler.enrich",
        "compiler.index.rows",
        "compiler.index.texts",
        "compiler.outline",
        "compiler.settings",
        "compiler.wiki",
    ),
    "compiler.enriching": (
        *LEAVES,
        "compiler.cache",
        "compiler.enrich",
        "compiler.settings",
        "compiler.spending",
    ),
    "compiler.telling": (
        *LEAVES,
        *TEXT,
        "compiler.cache",
        "compiler.enriching",
        "compiler.index.rows",
        "compiler.progress",
        "compiler.read",
        "compiler.report",
    ),
    "compiler.plan": (
        *LEAVES,
        "compiler.cache",
        "compiler.derive",
        "compiler.enriching",
        "compiler.lock",
        "compiler.progress",
        "compiler.read",
        "compiler.settings",
        "compiler.spending",
        "compiler.version",
    ),
    "compiler.identity": (*LEAVES, *TEXT, "compiler.cache", "compiler.read", "compiler.settings", "compiler.version"),
    "compiler.publish": (
        *LEAVES,
        *TEXT,
        "compiler.cache",
        "compiler.derive",
        "compiler.embed",
        "compiler.index",
        "compiler.progress",
        "compiler.read",
        "compiler.settings",
        "compiler.site",
        "compiler.wiki",
    ),
    "compiler.build": (
        "compiler",
        "query_fn.contract",
        "!compiler.cli",
        "!compiler.screen",
        "!compiler.serve",
        "!compiler.check",
    ),
    "compiler.due": (
        *LEAVES,
        "compiler.cache",
        "compiler.progress",
        "compiler.read",
        "compiler.settings",
        "compiler.version",
    ),
    "compiler.compare": (
        *LEAVES,
        "compiler.cache",
        "compiler.git",
        "compiler.progress",
        "compiler.read",
        "compiler.settings",
        "compiler.spending",
        "compiler.version",
    ),
    "compiler.check": ("compiler", "!compiler.cli", "!compiler.screen", "!compiler.serve", "!compiler.build"),
    "compiler.leakcheck": (  # shares no code with the stages that keep private text out, but for the decision itself
        *LEAVES,
        *TEXT,
        "compiler.guide",
        "compiler.report",
        "compiler.settings",
        "compiler.sources.articles",
        "compiler.sources.scan",
        "query_fn.store",
    ),
    "compiler.gaps": (),
    "compiler.upload": (
        *LEAVES,
        *TEXT,
        "compiler.order",
        "query_fn.bucket",
        "query_fn.errors",
        "query_fn.signature",
        "query_fn.store",
    ),
    "compiler.deploy": (  # the function's own code tries what it will serve
        *LEAVES,
        *TEXT,
        "compiler.index.switch",
        "compiler.progress",
        "compiler.settings",
        "compiler.upload",
        "query_fn",
    ),
    "compiler.package": (
        *LEAVES,
        *TEXT,
        "query_fn.errors",
        "query_fn.retrieve.embed",
        "query_fn.retrieve.model_folder",
        "query_fn.store",
    ),
    "compiler.lint": (
        *LEAVES,
        *TEXT,
        "compiler.cache",
        "compiler.enrich.claude.prompts",
        "compiler.progress",
        "compiler.read",
        "compiler.settings",
        "query_fn.store",
    ),
    "compiler.doctor": (
        *LEAVES,
        "compiler.git",
        "compiler.index",
        "compiler.settings",
        "query_fn.contract",
        "query_fn.environment",
        "query_fn.retrieve.fuse",
    ),
    "compiler.sharing_screen": (*LEAVES, "compiler.report"),
    "compiler.screen": (*LEAVES, "compiler.report", "compiler.spending"),
    "compiler.local": ("compiler.embed", "compiler.errors", "compiler.settings", "query_fn"),
    "compiler.serve": (
        *LEAVES,
        "compiler.local",
        "compiler.settings",
        "compiler.site.protect",
        "query_fn.app",
        "query_fn.static",
    ),
    "compiler.terminal": (
        *LEAVES,
        "compiler.cache",
        "compiler.git",
        "compiler.progress",
        "compiler.report",
        "compiler.screen",
        "compiler.settings",
        "query_fn.errors",
    ),
    "compiler.commands": ("compiler", "query_fn", "!compiler.cli"),
    "compiler.evaluate": (  # the product's own stages, short of the site, and the function as a reader meets it
        *LEAVES,
        *TEXT,
        "compiler.cache",
        "compiler.derive",
        "compiler.embed",
        "compiler.enriching",
        "compiler.index",
        "compiler.pages",
        "compiler.parse",
        "compiler.progress",
        "compiler.read",
        "compiler.settings",
        "compiler.spending",
        "query_fn",
    ),
    "compiler.evaluate.command": (
        *LEAVES,
        "query_fn",
        "compiler.evaluate",
        "compiler.index",
        "compiler.progress",
        "compiler.screen",
        "compiler.settings",
        "compiler.spending",
        "compiler.terminal",
    ),
    "compiler.cli": ("compiler.errors", "compiler.terminal", "query_fn.errors"),
    "query_fn.contract": (),
    "query_fn.text": ("query_fn.regex",),
    "query_fn.regex": (),
    "query_fn.model": (),
    "query_fn.errors": (),
    "query_fn.prices": (),
    "query_fn.settings": ("query_fn.prices",),
    "query_fn": ("query_fn",),
}


def modules() -> dict[str, Path]:
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            found[name] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """Return the project's modules that one module imports, wherever in the file the import stands."""
    out = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            out |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{name} uses a relative import"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            out |= (inner & known.keys()) or {node.module}
    return {item for item in out if item.split(".")[0] in PACKAGES and item != name}


def room_of(name: str) -> str:
    parts = name.split(".")
    return next(r for i in range(len(parts), 0, -1) if (r := ".".join(parts[:i])) in ALLOWED)


def permitted(room: str, target: str) -> bool:
    rules = ALLOWED[room]
    inside = target == room or target.startswith(room + ".")
    named = any(target == rule or target.startswith(rule + ".") for rule in rules)
    barred = any(target == rule[1:] for rule in rules if rule.startswith("!"))
    return (inside or named) and not barred


@pytest.mark.parametrize("name", sorted(modules()))
def test_a_module_imports_only_what_its_room_may(name: str) -> None:
    """Every import of an own module follows an arrow of the table."""
    known = modules()
    if name in PACKAGES and name == "compiler":
        pytest.skip("the package itself is empty")
    wrong = {t for t in imports(name, known[name], known) if not permitted(room_of(name), t)}
    assert wrong == set()


def test_there_is_no_import_cycle() -> None:
    """The import graph of own modules has no cycle, imports for types included."""
    known = modules()
    graph = {name: imports(name, path, known) & known.keys() for name, path in known.items()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail[trail.index(name) :], name))
        if name not in done:
            for target in sorted(graph[name]):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(graph):
        visit(name, ())


def test_the_function_never_imports_the_compiler() -> None:
    """`query_fn` runs without the compiler and its dependencies."""
    known = modules()
    wrong = [
        n
        for n, p in known.items()
        if n.startswith("query_fn") and any(t.startswith("compiler") for t in imports(n, p, known))
    ]
    assert wrong == []


def test_only_the_edges_catch_everything() -> None:
    """A broad `except` stands only at the CLI, the HTTP edge, the stream and the tool call."""
    edges = {
        "compiler.cli",
        "compiler.commands.serve",
        "query_fn.edge",
        "query_fn.talk",
        "query_fn.agent.tools",
        "query_fn.handler",
        "query_fn.runtime",
        "query_fn.agent.loop",
    }
    broad = set()
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            kind = node.type if isinstance(node, ast.ExceptHandler) else None
            if isinstance(node, ast.ExceptHandler) and (
                kind is None or getattr(kind, "id", "") in ("Exception", "BaseException")
            ):
                broad.add(name)
    assert broad <= edges


def test_nothing_stored_can_run() -> None:
    """No module reads a format that runs code when it is loaded."""
    barred = {"pickle", "marshal", "shelve", "dill", "joblib"}
    found = set()
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {(name, alias.name) for alias in node.names if alias.name.split(".")[0] in barred}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in barred:
                found.add((name, node.module))
    assert found == set()


def test_nothing_calls_print() -> None:
    """`print` is called nowhere: the consoles of rich belong to `compiler.terminal`."""
    talkers = {
        name
        for name, path in modules().items()
        if any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "print"
            for n in ast.walk(ast.parse(path.read_text("utf-8")))
        )
    }
    assert talkers == set()


def test_the_function_starts_without_what_costs_it_time() -> None:
    """No module of the function makes a dataclass or compiles a pattern while it is imported: 140 ms in all."""
    found = set()
    for name, path in modules().items():
        if not name.startswith("query_fn"):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        found |= {
            (name, n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module == "dataclasses"
        }
        for statement in tree.body:
            if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                found |= {(name, "re.compile") for n in ast.walk(statement) if ast.unparse(n) == "re.compile"}
    assert found <= {("query_fn.regex", "re.compile")}


def test_story_files_fit_one_screen() -> None:
    """The two story files stay short enough to be read at once."""
    lengths = {
        name: len((ROOT / name).read_text("utf-8").splitlines())
        for name in ("compiler/build.py", "query_fn/service.py")
    }
    assert all(length <= 130 for length in lengths.values()), lengths


def test_pairwise_table_is_sorted_enough_to_read() -> None:
    """Every room of the table exists."""
    names = set(modules())
    missing = [room for room in ALLOWED if room not in names and not any(n.startswith(room + ".") for n in names)]
    assert missing == []
    assert all(a != b for a, b in pairwise(ALLOWED))


def test_every_bench_can_be_imported() -> None:
    """A bench runs seldom; whatever it imports is still there."""
    names = sorted(f"bench.{path.stem}" for path in (ROOT / "bench").glob("[a-z]*.py"))
    code = f"import {', '.join(names)}"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
