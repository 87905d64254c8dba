"""The strict front matter reader: strings only, nothing guessed, every doubt is a file error."""

from __future__ import annotations

import yaml

from compiler.errors import FileError
from compiler.model import FrontMatter
from compiler.sources.keys import KEY_LINE, SHARING_KEYS, fold_key, resembles_sharing_key
from compiler.sources.lateblock import refuse_late_block

MAX_BYTES = 64 * 1024
MAX_DEPTH = 8


def read_front_matter(text: str) -> FrontMatter:
    """Return the front matter of a file that begins with a ``---`` line, or an empty one.

    Raises FileError for anything that a careful reader could take two ways: malformed or unclosed YAML, a duplicate
    key, anchors, aliases, tags, depth over 8, more than 64 KB, a block that is not at the top, a key that only looks
    like a sharing key.
    """
    lines = text.split("\n")
    if lines[0].rstrip() == "+++":
        raise FileError("frontmatter-toml", "TOML front matter is not read", line=1, fix="use YAML between --- lines")
    if lines[0].rstrip() != "---":
        refuse_late_block(lines)
        return FrontMatter({}, {}, 1)
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        raise FileError("frontmatter-unclosed", "the front matter has no closing ---", line=1, fix="add a --- line")
    block = "\n".join(lines[1:end])
    _refuse_other_line_ends(lines[:end])
    if len(block.encode()) > MAX_BYTES:
        raise FileError("frontmatter-too-large", "the front matter is larger than 64 KB", line=1, fix="shorten it")
    values, where = _parse(block)
    _refuse_lookalikes(lines[1:end], where)
    if values.get("share") not in ("private", "password"):  # what is kept back already may say what it likes
        refuse_late_block(lines[end + 1 :], before=end + 1)
    return FrontMatter(values, where, end + 2)


def _refuse_other_line_ends(lines: list[str]) -> None:
    """Raise FileError for the line and paragraph separators: YAML breaks a line at them, an editor shows none."""
    for number, line in enumerate(lines, 1):
        if "\u2028" in line or "\u2029" in line:
            message = "a line separator (U+2028 or U+2029) hides where a line ends"
            raise FileError("frontmatter-line-separator", message, line=number, fix="delete it")


def _parse(block: str) -> tuple[dict[str, str | tuple[str, ...]], dict[str, int]]:
    try:
        root = yaml.compose(block, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise FileError("frontmatter-yaml", "not readable as YAML", line=line, fix=_HINT) from None
    except (yaml.YAMLError, RecursionError):
        raise FileError("frontmatter-yaml", "not readable as YAML", line=1, fix=_HINT) from None
    if root is None:
        return {}, {}
    if not isinstance(root, yaml.MappingNode):
        raise FileError(
            "frontmatter-yaml", "expected `key: value` lines", line=2, fix="write each line as `key: value`"
        )
    values: dict[str, str | tuple[str, ...]] = {}
    where: dict[str, int] = {}
    for key_node, value_node in root.value:
        line = key_node.start_mark.line + 2
        if not isinstance(key_node, yaml.ScalarNode):
            raise FileError(
                "frontmatter-yaml", "a key must be one word", line=line, fix="write each line as `key: value`"
            )
        key = str(key_node.value)
        if key in where:
            message = f"this key stands twice (line {where[key]})"
            raise FileError("frontmatter-duplicate-key", message, line=line, fix="keep one")
        where[key], values[key] = line, _value(value_node)
    return values, where


_HINT = 'put values that hold ": " or " #" in quotes'


def _value(node: yaml.Node) -> str | tuple[str, ...]:
    """Return a scalar as a string, a list of scalars as a tuple; nested values of unknown keys are kept as a marker."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode) and all(isinstance(item, yaml.ScalarNode) for item in node.value):
        return tuple(str(item.value) for item in node.value)
    _refuse_duplicates(node)
    return ("<nested>",)


def _refuse_duplicates(node: yaml.Node) -> None:
    if isinstance(node, yaml.MappingNode):
        keys = [str(key.value) for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if len(set(keys)) != len(keys):
            line = node.start_mark.line + 2
            raise FileError("frontmatter-duplicate-key", "a nested key stands twice", line=line, fix="keep one")
        for _, value in node.value:
            _refuse_duplicates(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_duplicates(value)


class _Loader(yaml.BaseLoader):
    """Reads strings only, and refuses what a reader could take two ways as soon as it comes."""

    depth = 0

    def get_event(self) -> yaml.Event:
        """Return the next event. Raises FileError for an alias, an anchor, a tag, or too deep a value."""
        event: yaml.Event = super().get_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 2 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
            message, fix = "YAML aliases, anchors and tags are refused", "write the value itself"
            raise FileError("frontmatter-alias", message, line=line, fix=fix)
        self.depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if self.depth > MAX_DEPTH:
            raise FileError("frontmatter-depth", f"nested deeper than {MAX_DEPTH}", line=line, fix="flatten it")
        return event


def _refuse_lookalikes(block: list[str], where: dict[str, int]) -> None:
    for key, line in where.items():
        if known := resembles_sharing_key(key):
            raise FileError(
                "frontmatter-lookalike-key", f"this key only looks like `{known}`", line=line, fix=f"write `{known}:`"
            )
    for offset, text in enumerate(block):
        line = offset + 2
        match = KEY_LINE.match(text)
        if match and fold_key(match[1]) in SHARING_KEYS and where.get(match[1]) != line:
            raise FileError(
                "frontmatter-hidden-key",
                f"this line looks like `{fold_key(match[1])}:` but YAML reads it as something else",
                line=line,
                fix="start the line with the key and a half-width colon",
            )
