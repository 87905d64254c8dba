"""`geosmin.yml` and ``--set key=value`` become one frozen Settings, validated once."""

from __future__ import annotations

import dataclasses
import difflib
import math
import types
import typing
import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import yaml

from compiler.addresses import base_path, check_address, rule_path
from compiler.destination import DeploySettings, check_destination
from compiler.errors import SettingsError
from compiler.guide import Guide, read_guide
from compiler.model import Share, Theme
from compiler.ranges import between as _between
from compiler.spending import BudgetSettings, EnrichSettings, Provider
from compiler.theme import read_theme
from query_fn.text import Analyser

CONFIG_NAME = "geosmin.yml"


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """How the site presents itself."""

    title: str = "Geosmin"
    description: str = ""
    lang: str = ""  # "" = the language most public pages are in
    url: str = ""  # "https://example.org/repo/"; its path is the base path
    base_path: str = "/"
    edit_url: str = ""  # "https://example.org/notes/edit/main/content/": where a file's path follows
    repository_url: str = ""  # shown only when set: the address of a private repository is private


@dataclass(frozen=True, slots=True)
class Rule:
    """A folder rule: every file that `path` matches is `share` unless its front matter says otherwise."""

    path: str
    share: Share


@dataclass(frozen=True, slots=True)
class SharingSettings:
    """Who may read what when a page does not say."""

    default: Share = Share.PRIVATE
    rules: tuple[Rule, ...] = ()
    timezone: str = "UTC"
    repository_is_public: bool = False  # the owner knows that private notes in this Git repository are public already


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """Sizes in characters of text."""

    target: int = _between(1200, 1, 100_000)
    tail: int = _between(400, 1, 100_000)
    cap: int = _between(3200, 1, 100_000)
    overlap: int = _between(320, 0, 100_000)


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """The embedder: `model` is "multilingual-e5-small", "none", or a folder that holds an ONNX model."""

    model: str = "multilingual-e5-small"
    script: str = "latin+han+kana"
    seconds: float = _between(0.0, 0, 86_400)  # time budget of one build for embeddings; 0 = no limit
    threads: int = _between(0, 0, 256)  # texts embedded at once; 0 = one per processor


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How words are cut: `bigram` finds every run of characters, `jieba` the words of a Chinese dictionary."""

    analyser: Analyser = Analyser.BIGRAM


@dataclass(frozen=True, slots=True)
class QuestionSettings:
    """Generated questions: aliases that lead to a chunk."""

    per_chunk: int = _between(3, 0, 20)


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Where the page's question box sends questions; "" = the site's own address."""

    endpoint: str = ""


@dataclass(frozen=True, slots=True)
class LintSettings:
    """`geosmin lint` ends with exit code 1 when its score is under this one."""

    score: int = _between(0, 0, 100)


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Caps that keep one file from harming the build."""

    file_bytes: int = _between(10_000_000, 1, 1_000_000_000)
    attachment_bytes: int = _between(50_000_000, 1, 1_000_000_000)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an owner can configure. `content`, `out` and `state` come from the command line."""

    content: Path
    out: Path
    state: Path
    site: SiteSettings = field(default_factory=SiteSettings)
    sharing: SharingSettings = field(default_factory=SharingSettings)
    chunk: ChunkSettings = field(default_factory=ChunkSettings)
    embed: EmbedSettings = field(default_factory=EmbedSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    questions: QuestionSettings = field(default_factory=QuestionSettings)
    ask: AskSettings = field(default_factory=AskSettings)
    enrich: EnrichSettings = field(default_factory=EnrichSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    lint: LintSettings = field(default_factory=LintSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    deploy: DeploySettings = field(default_factory=DeploySettings)
    guide: Guide = Guide()  # noqa: RUF009 - frozen
    theme: Theme = Theme()  # noqa: RUF009 - frozen


SECTIONS = (
    *("site", "sharing", "chunk", "embed", "search", "questions", "ask", "enrich", "budget", "lint", "limits"),
    "deploy",
)


def load(
    content: Path, out: Path, state: Path, *, config: Path | None = None, overrides: Sequence[str] = ()
) -> Settings:
    """Return the validated settings.

    `config` defaults to ``<content>/geosmin.yml`` when that exists. Each override is ``section.key=value`` with the
    value in YAML. Raises SettingsError that names the key, where it stands, and what is accepted.
    """
    place = config or content / CONFIG_NAME
    if config and not config.is_file():
        raise SettingsError(f"{config}: no such configuration file")
    raw = _read_yaml(place) if place.is_file() else {}
    for item in overrides:
        _apply(raw, item)
    unknown = [key for key in raw if key not in SECTIONS]
    if unknown:
        raise SettingsError(_unknown(str(place), unknown[0], SECTIONS))
    hints = typing.get_type_hints(Settings)
    sections = {name: _section(hints[name], raw[name], name, str(place)) for name in SECTIONS if name in raw}
    guide, theme = read_guide(content), read_theme(content)
    return _check(Settings(content=content, out=out, state=state, guide=guide, theme=theme, **sections))


def public_view(settings: Settings) -> dict[str, Any]:
    """Return what of the settings shapes public output: an input of the build id. Paths and budgets stay out."""
    view = {
        name: dataclasses.asdict(getattr(settings, name)) for name in ("site", "chunk", "search", "questions", "ask")
    }
    view["guide"] = dataclasses.asdict(settings.guide)
    view["embed"] = {"model": settings.embed.model, "script": settings.embed.script}
    if settings.enrich.provider is not Provider.LOCAL:
        view["enrich"] = {"models": (settings.enrich.question_model, settings.enrich.page_model)}
    return view


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        _refuse_twice(yaml.compose(text, Loader=yaml.BaseLoader), path)
        data = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - strings only
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{path}: not readable as YAML: {' '.join(str(error).split())}") from None
    if data in (None, ""):
        return {}
    if not isinstance(data, dict):
        raise SettingsError(f"{path}: expected sections such as `site:` and `sharing:`, found {type(data).__name__}")
    return data


def _refuse_twice(node: yaml.Node | None, path: Path) -> None:
    """Raise SettingsError for a key that stands twice: YAML would silently keep the last one."""
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            if str(key.value) in keys:
                raise SettingsError(f"{path}:{key.start_mark.line + 1}: `{key.value}` stands twice; keep one")
            keys.add(str(key.value))
            _refuse_twice(value, path)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_twice(value, path)


def _apply(raw: dict[str, Any], item: str) -> None:
    key, equals, value = item.partition("=")
    section, dot, name = key.strip().partition(".")
    if not equals or not dot or not name:
        raise SettingsError(f"--set {item}: expected section.key=value, e.g. --set sharing.default=public")
    if section not in SECTIONS:
        raise SettingsError(_unknown("--set", section, SECTIONS))
    place = raw.get(section) or {}
    if not isinstance(place, dict):
        raise SettingsError(f"--set {item}: the configuration's `{section}` is not a section")
    try:
        place[name] = yaml.load(value, Loader=yaml.BaseLoader) if value else ""  # noqa: S506 - strings only
    except yaml.YAMLError:
        raise SettingsError(f"--set {item}: the value is not YAML") from None
    raw[section] = place


def _section(cls: Any, raw: Any, where: str, place: str) -> Any:
    if raw in (None, ""):
        return cls()
    if not isinstance(raw, Mapping):
        raise SettingsError(f"{place}: `{where}` should hold key: value lines")
    hints = typing.get_type_hints(cls)
    unknown = [key for key in raw if key not in hints]
    if unknown:
        raise SettingsError(_unknown(place, f"{where}.{unknown[0]}", [f"{where}.{name}" for name in hints]))
    needed = [f.name for f in dataclasses.fields(cls) if f.default is f.default_factory is dataclasses.MISSING]
    if missing := [name for name in needed if name not in raw]:
        raise SettingsError(f"{place}: `{where}` needs `{missing[0]}`")
    values = {key: _value(hints[key], value, f"{where}.{key}", place) for key, value in raw.items()}
    for item in dataclasses.fields(cls):
        low, high = item.metadata.get("range", (-math.inf, math.inf))
        if item.metadata and item.name in values and not low <= values[item.name] <= high:
            message = f"{place}: `{where}.{item.name}` is {raw[item.name]!r}; accepted: {low:,} to {high:,}"
            raise SettingsError(message)
    return cls(**values)


def _value(hint: Any, value: Any, where: str, place: str) -> Any:
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise SettingsError(f"{place}: `{where}` should be a list")
        inner = typing.get_args(hint)[0]
        return tuple(_item(inner, item, f"{where}[{i}]", place) for i, item in enumerate(value))
    return _scalar(hint, value, where, place)


def _item(hint: Any, value: Any, where: str, place: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return _section(hint, value, where, place)
    return _scalar(hint, value, where, place)


def _scalar(hint: Any, value: Any, where: str, place: str) -> Any:
    if isinstance(hint, types.UnionType) or not isinstance(value, str):
        raise SettingsError(f"{place}: `{where}` should be one value")
    if hint is bool:
        if value not in ("true", "false"):
            raise SettingsError(f"{place}: `{where}` is true or false, not {value!r}")
        return value == "true"
    try:
        return hint(value)
    except ValueError:
        accepted = ", ".join(m.value for m in hint) if issubclass(hint, Enum) else f"a {hint.__name__}"
        raise SettingsError(f"{place}: `{where}` is {value!r}; accepted: {accepted}") from None


def _unknown(place: str, key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"{place}: unknown key `{key}`" + (
        f"; did you mean `{near[0]}`?" if near else f"; known: {', '.join(known)}"
    )


def _check(settings: Settings) -> Settings:
    """Check what single values cannot show: paths apart, zone known, sizes in order, rules understood."""
    content, out, state = (p.resolve() for p in (settings.content, settings.out, settings.state))
    for name, place in (("--out", out), ("--state", state)):
        if place == content or content.is_relative_to(place):
            raise SettingsError(f"{name} {place} holds the content folder; choose a folder beside it")
        if place.exists() and not place.is_dir():
            raise SettingsError(f"{name} {place} is a file; choose a folder")
        if place.is_relative_to(content) and not any(p.startswith(".") for p in place.relative_to(content).parts):
            raise SettingsError(f"{name} {place} lies inside the content folder and would be read as content")
    if state == out or state.is_relative_to(out):
        raise SettingsError(f"--state {state} lies inside --out and would be published; choose a folder beside it")
    try:
        zoneinfo.ZoneInfo(settings.sharing.timezone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise SettingsError(f"sharing.timezone {settings.sharing.timezone!r} is not a known time zone") from None
    if settings.sharing.default is Share.PASSWORD:
        raise SettingsError("sharing.default is public or private; a password belongs in a page's front matter")
    sizes = settings.chunk
    if not sizes.tail <= sizes.target <= sizes.cap or sizes.overlap >= sizes.target:
        raise SettingsError("chunk sizes must satisfy tail <= target <= cap and overlap < target")
    for name, address in (
        ("site.url", settings.site.url),
        ("site.edit_url", settings.site.edit_url),
        ("site.repository_url", settings.site.repository_url),
        ("ask.endpoint", settings.ask.endpoint),
        ("deploy.address", settings.deploy.address),
    ):
        check_address(name, address)
    check_destination(settings.deploy)
    rules = tuple(dataclasses.replace(rule, path=rule_path(rule.path)) for rule in settings.sharing.rules)
    site = dataclasses.replace(settings.site, base_path=base_path(settings.site.base_path, settings.site.url))
    return dataclasses.replace(settings, site=site, sharing=dataclasses.replace(settings.sharing, rules=rules))
