"""The site's tree: built once from folders and pages, then pruned for each page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from compiler.model import NavNode
from compiler.site.listing import Listing

WINDOW = 15  # siblings shown on each side of the current page in a long folder; 31 lines fill a screen


@dataclass(frozen=True, slots=True)
class Row:
    """One visible line of a page's tree. `more` is the number of siblings left out before or after it."""

    title: str
    url: str
    current: bool = False
    folder: bool = False
    children: tuple[Row, ...] = ()
    more: int = 0


@dataclass(slots=True)
class _Folder:
    """A folder being filled, in the order in which things arrive."""

    title: str
    url: str = ""
    order: list[Listing | _Folder] = field(default_factory=list)


def build(listings: Iterable[Listing], folders: Mapping[str, str]) -> tuple[NavNode, ...]:
    """Return the tree of pages in the order given; `folders` maps "a/b" to a title, else the last segment is the title.

    A page whose URL is its folder's own ("guide/" in "guide") becomes the folder's page.
    """
    made: dict[str, _Folder] = {"": _Folder("")}
    for item in listings:
        folder = _folder(item.folder, made, folders)
        if item.folder and item.url.rstrip("/").count("/") == item.folder.count("/"):
            folder.url, folder.title = item.url, folders.get(item.folder, item.title)
        elif item.url:
            folder.order.append(item)
    return tuple(_freeze(item) for item in made[""].order)


def _folder(path: str, made: dict[str, _Folder], titles: Mapping[str, str]) -> _Folder:
    """Return the folder at `path`, creating it and its parents."""
    if path not in made:
        parent, _, name = path.rpartition("/")
        made[path] = _Folder(titles.get(path, name))
        _folder(parent, made, titles).order.append(made[path])
    return made[path]


def _freeze(item: Listing | _Folder) -> NavNode:
    """Turn a filled folder or a page into a NavNode."""
    if isinstance(item, Listing):
        return NavNode(item.title, item.url)
    return NavNode(item.title, item.url, tuple(_freeze(child) for child in item.order))


def trails(nodes: Iterable[NavNode], above: tuple[int, ...] = ()) -> dict[str, tuple[int, ...]]:
    """Return for each page URL its place in the tree, as indexes from the top."""
    found: dict[str, tuple[int, ...]] = {}
    for index, node in enumerate(nodes):
        here = (*above, index)
        if node.url:
            found.setdefault(node.url, here)
        for url, place in trails(node.children, here).items():
            found.setdefault(url, place)
    return found


def branch(nodes: tuple[NavNode, ...], trail: tuple[int, ...]) -> tuple[Row, ...]:
    """Return the rows that a page at `trail` shows: its own branch open, every other folder closed."""
    at = trail[0] if trail else -1
    first, last = _window(len(nodes), at)
    shown = enumerate(nodes[first:last], first)
    rows = [_row(node, trail[1:] if index == at else None) for index, node in shown]
    if first:
        rows.insert(0, Row("", "", more=first))
    if last < len(nodes):
        rows.append(Row("", "", more=len(nodes) - last))
    return tuple(rows)


def _window(count: int, at: int) -> tuple[int, int]:
    """Return the slice of `count` siblings that is shown around index `at`."""
    if count <= 3 * WINDOW:
        return 0, count
    first = max(0, min(at - WINDOW, count - 2 * WINDOW))
    return first, min(count, first + 2 * WINDOW + 1)


def _row(node: NavNode, below: tuple[int, ...] | None) -> Row:
    """Return one row; `below` is the rest of the trail when the current page is this node or inside it."""
    children = branch(node.children, below) if below is not None and node.children else ()
    return Row(node.title, node.url or _first_url(node), below == (), bool(node.children), children)


def _first_url(node: NavNode) -> str:
    """Return the URL of the first page inside a folder that has none of its own."""
    for child in node.children:
        if url := child.url or _first_url(child):
            return url
    return ""
