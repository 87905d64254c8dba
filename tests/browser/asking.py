"""What the tests of the question box share: asking, the questions the double knows, and streams written by hand."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page

SMALL_RAIN = "为什么小雨比暴雨更香？"
MOON = "月亮有多重？"
SHADOW = "document.querySelector('geosmin-ask').shadowRoot"


def ask(page: Page, question: str) -> None:
    """Open the panel if it is closed, and ask with the keyboard."""
    if page.locator("dialog.sheet[open]").count() == 0:
        page.locator(".launch").click()
    page.locator("form textarea").fill(question)
    page.locator("form textarea").press("Enter")


def focused(page: Page) -> str:
    """Return the class or the text of what has the focus in the box."""
    return page.evaluate(
        f"(() => {{ const e = {SHADOW}.activeElement; return e?.className || e?.textContent || ''; }})()"
    )


def stream(*parts: dict[str, Any]) -> bytes:
    """Return a stream of these parts, ended as the function ends its streams."""
    lines = "".join(f"data: {json.dumps(part, ensure_ascii=False)}\n\n" for part in parts)
    return (lines + "data: [DONE]\n\n").encode()
