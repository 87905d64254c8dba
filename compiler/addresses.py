"""What the owner may write as an address, a base path, or the path of a folder rule. Strings only."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote, urlsplit

from compiler.errors import SettingsError


def check_address(name: str, address: str) -> None:
    """Raise SettingsError unless an address is empty or a plain http(s) address: it is printed on every page."""
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if address and not (sound and re.fullmatch(r"[^\s\\<>\"'`\x00-\x1f\x7f]+", address)):
        raise SettingsError(f"{name} is {address!r}; accepted: an address that begins with https:// or http://")
    if "@" in address.partition("://")[2].partition("/")[0]:
        raise SettingsError(f"{name} holds a user name or password, and it would be published; leave it out")


def base_path(chosen: str, url: str) -> str:
    """Return the path of the site on its host, with a slash at both ends: `chosen`, else that of its address.

    Raises SettingsError for a path that climbs or holds characters that no path of a site has.
    """
    path = urlsplit(url).path if chosen in ("", "/") and "://" in url else chosen
    parts = [unquote(part) for part in path.strip("/").split("/")] if path.strip("/") else []
    if any(part in ("", ".", "..") or re.search(r"[\\?#%<>\"'\s\x00-\x1f\x7f]", part) for part in parts):
        raise SettingsError(f"site.base_path is {path!r}; accepted: a path such as /wiki/ without . and ..")
    return "/" + path.strip("/") + "/" if parts else "/"


def rule_path(path: str) -> str:
    """Return a rule's path as file paths are written: NFC, without ``./``. Raises SettingsError for what is no path."""
    clean = unicodedata.normalize("NFC", path.strip())
    while clean.startswith("./"):
        clean = clean[2:]
    clean = clean.replace("/./", "/")
    if not clean or clean.startswith(("!", "/")) or re.search(r"[\\{}\[\]]|//|(^|/)\.{1,2}(/|$)", clean):
        raise SettingsError(
            f"sharing.rules path {path!r}: use a path from the content folder with / * ** ?, e.g. notes/**"
        )
    return clean
