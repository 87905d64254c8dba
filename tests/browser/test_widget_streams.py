"""Streams of the real function, cut anywhere: what the box makes of them is what was sent."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page

from tests.browser.whole import build, serve

QUESTIONS = [
    *(
        "雨后的气味由什么合成？",
        "雨后的气味从哪里来？",
        "人能闻到多低的浓度？",
        "谁在制造雨后的气味？",
        "链霉菌是什么？",
    ),
    *(
        "Where should the rain gauge be put?",
        "How far from a wall?",
        "What fell in May?",
        "rain gauge",
        "Reading the rain",
    ),
    *(
        "土臭素 😀",
        "月亮有多重？",
        "hello",
        "你好",
        "What can I ask?",
        "比较雨和气味",
        "有几个页面？",
        "采样",
        "𠮷野家在哪里？",
        "the key",
    ),
]
CUTTINGS = 100


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a built and served knowledge base."""
    with serve(build(tmp_path_factory.mktemp("streams"))) as address:
        yield address


def recorded(site: str) -> list[bytes]:
    """Return the stream to each question, as the function sent it; every third with CR LF, each with an emoji's bytes."""
    streams = []
    for number, question in enumerate(QUESTIONS):
        reply = httpx.post(f"{site}api/public/qa/chat", json={"question": question}, timeout=30)
        note = f": 😀 keep-alive {number}\n\n".encode()
        text = note + reply.content.replace(
            b"data: [DONE]", 'data: {"type":"data-note","data":"雨😀"}\n\ndata: [DONE]'.encode()
        )
        streams.append(text.replace(b"\n", b"\r\n") if number % 3 == 0 else text)
    return streams


def cuts(length: int, seed: int) -> list[int]:
    """Return the places at which a stream of this many bytes is cut: many or few, sorted, from 0 to its end."""
    chance = random.Random(seed)
    return sorted({0, length, *(chance.randrange(length) for _ in range(chance.choice([1, 7, 50, length // 3])))})


RUN = """async ([address, streams]) => {
  const { events } = await import(address + "stream.js"), { initial, reduce } = await import(address + "reducer.js");
  const found = [];
  for (const [bytes, cuttings] of streams) for (const cut of cuttings) {
    const all = Uint8Array.from(bytes);
    const body = new ReadableStream({ start(c) { cut.slice(1).forEach((end, i) => c.enqueue(all.slice(cut[i], end))); c.close(); } });
    let state = reduce(initial, { type: "ask", question: "q" }), text = "";
    for await (const event of events(body)) { text += event.type === "text-delta" ? event.delta : ""; state = reduce(state, event); }
    found.push(JSON.stringify([text, state]));
  }
  return found;
}"""


def test_text_is_the_same_however_a_stream_is_cut(page: Page, site: str) -> None:
    """100 random cuttings of each of 20 recorded streams: text, answer and steps are those of the uncut stream."""
    page.set_default_timeout(60_000)
    page.goto(site)
    widget = page.evaluate("document.querySelector('script[src*=geosmin-ask]').src.replace('geosmin-ask.js', '')")
    for number, stream in enumerate(recorded(site)):
        whole = [0, len(stream)]
        cuttings = [whole, *(cuts(len(stream), 1000 * number + seed) for seed in range(CUTTINGS))]
        found = page.evaluate(RUN, [widget, [[list(stream), cuttings]]])
        assert set(found) == {found[0]}
        text, state = json.loads(found[0])
        assert text == state["turns"][0]["answer"]["answer"]
        assert text == source_of(stream)


def source_of(stream: bytes) -> str:
    """Return the text that a stream's parts hold, read by Python."""
    lines = [line[6:] for line in stream.decode().splitlines() if line.startswith("data: {")]
    return "".join(part["delta"] for part in map(json.loads, lines) if part["type"] == "text-delta")
