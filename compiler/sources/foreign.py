"""Privacy keys of other tools: never obeyed in secret, never ignored when they ask for less than public."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compiler.errors import FileError
from compiler.model import FrontMatter
from compiler.sources.keys import fold_key

_NO = frozenset({"false", "no", "off", "0", "n", "f", "null", "none", "~", "", "否", "不", "无"})
_YES = frozenset({"true", "yes", "on", "1", "y", "t", "public", "published", "是", "公开", "已公开", "所有人"})
_UNFINISHED = frozenset({"draft", "private", "unpublished", "hidden", "草稿", "私密", "隐藏", "未发布"})


def _is_set(value: str) -> bool:
    return value not in _NO


def _is_denied(value: str) -> bool:
    return value in _NO - {""} or value in _UNFINISHED


def _is_not_public(value: str) -> bool:
    return value not in _YES and value != ""


# Key (folded, without - and _) -> whether a value asks for less than public, and why we know that.
FOREIGN: Mapping[str, tuple[Callable[[str], bool], str]] = {
    **dict.fromkeys(("private", "hidden", "unlisted", "unpublish"), (_is_set, "it hides the page elsewhere")),
    **dict.fromkeys(("published", "dgpublish", "public", "listed"), (_is_denied, "it keeps the page back elsewhere")),
    **dict.fromkeys(("visibility", "sharing", "access"), (_is_not_public, "it names who may read the page")),
    "status": (lambda value: value in _UNFINISHED, "it says that the page is not finished or not public"),
    **dict.fromkeys(
        ("expirydate", "expiry", "expire", "expiration", "expirationdate", "expiresat", "unpublishdate", "unpublishon"),
        (_is_set, "it takes the page back one day"),
    ),
    **dict.fromkeys(("私密", "私有", "隐藏", "不公开", "草稿", "保密"), (_is_set, "它要求不公开")),
    **dict.fromkeys(("公开", "分享", "发布", "共享", "可见性"), (_is_not_public, "它说明谁可以读")),
    **dict.fromkeys(("过期", "到期", "过期时间", "有效期", "密码", "口令"), (_is_set, "它限制谁、何时可以读")),
}


def refuse_foreign(front: FrontMatter) -> None:
    """Raise FileError when a privacy key of another tool asks for less than public; the caller asks when it matters."""
    for key, value in front.values.items():
        asks_less, reason = FOREIGN.get(fold_key(key).replace("-", "").replace("_", ""), (None, ""))
        texts = (value,) if isinstance(value, str) else value
        if asks_less and any(asks_less(fold_key(text).strip()) for text in texts):
            raise FileError(
                "sharing-foreign-key",
                f"another tool's key is not a sharing key here, but {reason}",
                line=front.lines[key],
                fix="write `share: private` or `share: public`",
            )
