"""The sharing decision: the one place that says whether a file is public. Private until proven public."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from zoneinfo import ZoneInfo

from compiler.errors import BuildError, FileError
from compiler.model import Decision, FrontMatter, Problem, RuleMatch, Severity, Share, SourcePath
from compiler.settings import Rule, SharingSettings
from compiler.sources.dates import expiry
from compiler.sources.foreign import refuse_foreign
from compiler.sources.scan import SKIPPED_FOLDERS

SHORT, NEAR_SHORT, NEAR = 3, 0.5, 0.75  # one wrong character in two or three, or about one in four of a longer path
_PRIVACY = {Share.PUBLIC: 0, Share.PASSWORD: 1, Share.PRIVATE: 2}
_FLAGS: Mapping[str, Mapping[str, Share | None]] = {
    "publish": {"true": Share.PUBLIC, "false": Share.PRIVATE},
    "draft": {"true": Share.PRIVATE, "false": None},
}


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides with the owner's rules at one instant."""

    settings: SharingSettings
    now: datetime
    zone: ZoneInfo = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "zone", ZoneInfo(self.settings.timezone))

    def decide(self, path: SourcePath, front: FrontMatter, *, target: SourcePath | None = None) -> Decision:
        """Return the decision for a file whose front matter was fully understood.

        Front matter overrides the most specific folder rule, which overrides the default. Of a symbolic link the path
        of its `target` is judged too, and the more private of the two rules holds. Raises FileError for an
        unknown value, for synonyms in conflict, and for an `expires` that is no instant.
        """
        claims = [(key, _claim(key, front)) for key in ("share", "publish", "draft") if key in front.values]
        said = [(key, share) for key, share in claims if share is not None]
        if len({share for _, share in said}) > 1:
            names = " and ".join(f"`{key}`" for key, _ in said)
            raise FileError(
                "sharing-conflict", f"{names} disagree", line=front.lines[said[-1][0]], fix="keep one of them"
            )
        fallback = max(self._fallback(path), self._fallback(target or path), key=lambda found: _PRIVACY[found[0]])
        share, reason = fallback if not said else (said[0][1], f"{said[0][0]} in the front matter")
        if share is Share.PASSWORD:
            _check_password(front)
        elif share is Share.PUBLIC:
            _refuse_less(front)
        not_after = self._expiry(front)
        expired = not_after is not None and not_after <= self.now
        return Decision(share, not_after, "expired" if expired else reason, expired)

    def _fallback(self, path: SourcePath) -> tuple[Share, str]:
        rule = most_specific(self.settings.rules, path)
        return (rule.share, f"rule {rule.path}") if rule else (self.settings.default, "default")

    def _expiry(self, front: FrontMatter) -> datetime | None:
        if "expires" not in front.values:
            return None
        value, line = front.values["expires"], front.lines["expires"]
        try:
            return expiry(value if isinstance(value, str) else "", self.zone)
        except ValueError:
            raise FileError(
                "expires-invalid", "`expires` is no date or time that exists", line=line, fix="write 2026-12-31"
            ) from None


def matches(rule: Rule, path: SourcePath) -> bool:
    """Tell whether a rule covers a file: ``dir``, ``dir/``, ``dir/*`` (one level), ``dir/**`` (all), ``**/name*``."""
    return re.fullmatch(_pattern(rule.path), path) is not None


def rule_matches(rules: Sequence[Rule], paths: Sequence[SourcePath]) -> tuple[RuleMatch, ...]:
    """Return each rule with the files it matches, in the order of the configuration."""
    patterns = [(rule, re.compile(_pattern(rule.path))) for rule in rules]
    return tuple(RuleMatch(r.path, r.share, tuple(p for p in paths if found.fullmatch(p))) for r, found in patterns)


def most_specific(rules: Sequence[Rule], path: SourcePath) -> Rule | None:
    """Return the rule that holds for a file: of all that match, the most private one that no narrower rule overrides.

    A rule is narrower than a folder rule (``dir/**``) whose folder it lies in, and a file's own path is narrower than
    anything. A name pattern such as ``**/secret*`` contains no folder and lies in none: it yields to nothing but that.
    """
    found = [rule for rule in rules if matches(rule, path)]
    standing = [rule for rule in found if not any(_overrides(other, rule, path) for other in found)]
    return max(standing, key=lambda r: (_PRIVACY[r.share], len(r.path)), default=None)


def _overrides(narrow: Rule, wide: Rule, path: SourcePath) -> bool:
    if narrow.path == path:
        return wide.path != path
    inner, outer = _fixed(narrow.path).rstrip("/"), _folder(wide.path)
    return outer is not None and inner != outer and (outer == "" or inner.startswith(outer + "/"))


def hidden_folders(rules: Sequence[Rule]) -> tuple[str, ...]:
    """Return the folders that a rule ``share: private`` names whole: their segments never appear in a public path."""
    private = (_folder(rule.path) for rule in rules if rule.share is Share.PRIVATE)
    return tuple(sorted({folder for folder in private if folder}))


def ruled(rules: Sequence[Rule], *paths: SourcePath) -> Share:
    """Return the most private share that rules give to any name of a file that is no article; public without a rule.

    Such a file has no front matter that says otherwise, and the default is meant for pages.
    """
    found = [rule.share for path in paths if (rule := most_specific(rules, path))]
    return max(found, key=_PRIVACY.__getitem__, default=Share.PUBLIC)


def dead_rules(settings: SharingSettings, paths: Sequence[SourcePath], where: SourcePath) -> list[Problem]:
    """Return a problem for each rule that no file matches: it protects nothing, and was meant to.

    Raises BuildError when such a rule was meant to keep back what the default or another rule makes public: when a path
    that exists is nearly the rule's. A rule whose files are simply gone stops nothing.
    """
    dead = [rule for rule in settings.rules if not any(matches(rule, path) for path in paths)]
    opened = settings.default is Share.PUBLIC or any(rule.share is Share.PUBLIC for rule in settings.rules)
    for rule in dead if opened else ():
        meant = "" if rule.share is Share.PUBLIC or _outside_content(rule.path) else _nearly(rule.path, paths)
        if meant:
            raise BuildError(
                f"the rule {rule.path!r} should keep files back but matches none; did you mean {meant!r}?",
                redacted="a rule that should keep files back matches none; see `geosmin check --no-redact`",
            )
    message, fix = "the rule {!r} matches no file", "correct its path, or delete it"
    return [Problem(Severity.ERROR, "rule-dead", where, None, message.format(rule.path), fix) for rule in dead]


def _nearly(pattern: str, paths: Sequence[SourcePath]) -> str:
    """Return the folder or file that a dead rule probably means: one wrong key, another case, or another parent."""
    literal = (_folder(pattern) or _fixed(pattern)).strip("/")
    wanted = _folded(literal)
    places = {"/".join(parts[: i + 1]) for path in paths for parts in [path.split("/")] for i in range(len(parts))}
    known = {_folded(place): place for place in sorted(places)}
    moved = next((known[p] for p in known if wanted and p.rsplit("/", 1)[-1] == wanted.rsplit("/", 1)[-1]), "")
    level = [place for place in known if place.count("/") == wanted.count("/")]
    near = get_close_matches(wanted, level, n=1, cutoff=NEAR_SHORT if len(wanted) <= SHORT else NEAR)
    return moved or (known[near[0]] if near else "")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", path).casefold()


def _outside_content(pattern: str) -> bool:
    """Tell whether a rule names a folder that is never read, such as ``.obsidian``: there is nothing to protect."""
    return any(part.startswith(".") or part in SKIPPED_FOLDERS for part in pattern.split("/"))


def _claim(key: str, front: FrontMatter) -> Share | None:
    value, line = front.values[key], front.lines[key]
    accepted: Mapping[str, Share | None] = {s.value: s for s in Share} if key == "share" else _FLAGS[key]
    if not isinstance(value, str) or value not in accepted:
        raise FileError(
            "sharing-unknown-value",
            f"this value of `{key}` is not understood",
            line=line,
            fix=f"write one of: {', '.join(accepted)}",
        )
    return accepted[value]


def _refuse_less(front: FrontMatter) -> None:
    """Raise when another key of a page that would be public asks for less: a password, or another tool's key."""
    if "password" in front.values:
        raise FileError(
            "password-without-share",
            "a `password` stands on a page that would be public",
            line=front.lines["password"],
            fix="write `share: password`, or delete the password",
        )
    if "share" not in front.values:
        refuse_foreign(front)


def _check_password(front: FrontMatter) -> None:
    value, line = front.values.get("password", ""), front.lines.get("password", front.lines.get("share"))
    if not isinstance(value, str) or not re.fullmatch(r"env:[A-Z][A-Z0-9_]*", value):
        raise FileError(
            "password-literal",
            "`password` must name an environment variable",
            line=line,
            fix="write password: env:NAME and change a password that was written here",
        )


def _fixed(pattern: str) -> str:
    """Return the part of a pattern before its first wildcard, cut at a folder."""
    head = re.split(r"[*?]", pattern, maxsplit=1)[0]
    return head if head == pattern else head[: head.rfind("/") + 1]


def _folder(pattern: str) -> str | None:
    """Return the folder that a pattern covers whole (``dir``, ``dir/``, ``dir/*``, ``dir/**``), None for any other."""
    folder = re.sub(r"(^|/)(\*\*?|\*\*/\*)$", "", pattern).rstrip("/")
    return None if "*" in folder or "?" in folder else folder


def _pattern(path: str) -> str:
    path = path.strip().rstrip("/")
    out = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", path):
        out += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
    return out if "*" in path else out + "(?:/.*)?"
