"""A model that reads well: it fills in every form of the enricher from the article alone. Faults are put around it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.fake_claude.script import Reply, Script, Turn

Answer = dict[str, Any]
_HAN = re.compile("[\u3400-\u9fff]")


def stage_of(body: dict[str, Any]) -> str:
    """Return what a request asks for."""
    form = body["output_config"]["format"]["schema"]["properties"]
    if "passages" in form:
        return "questions"
    if "sections" in form:
        return "sections"
    task = body["messages"][0]["content"][1]["text"]
    return "sayings" if "`sayings`" in task else "subjects" if "`subjects`" in task else "source"


def material_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the article, or the part of it, that a request is about."""
    found: dict[str, Any] = json.loads(body["messages"][0]["content"][0]["text"])
    return found


def answer_to(body: dict[str, Any]) -> Answer:
    """Return a good answer."""
    return {
        "questions": _questions,
        "sections": _sections,
        "source": _source,
        "subjects": _subjects,
        "sayings": _sayings,
    }[stage_of(body)](body)


def author(body: dict[str, Any]) -> Reply:
    """Answer well."""
    return Turn.says(json.dumps(answer_to(body), ensure_ascii=False))


def spoiled(change: Callable[[Answer], object], *stages: str) -> Script:
    """Return an author whose answers are changed in place before they are sent."""

    def script(body: dict[str, Any]) -> Reply:
        answer = answer_to(body)
        if stage_of(body) in stages or not stages:
            change(answer)
        return Turn.says(json.dumps(answer, ensure_ascii=False))

    return script


def _sheet(**filled: Any) -> Answer:
    return {"summary": "", "points": [], "subjects": [], "sayings": [], "relations": []} | filled


def _questions(body: dict[str, Any]) -> Answer:
    material = material_of(body)
    return {"passages": [_asked(one, material["count"]) for one in material["passages"]]}


def _asked(passage: dict[str, Any], count: int) -> Answer:
    word, chinese = _word(passage["text"]), passage["language"] == "zh"
    forms = (
        ["{w}有什么作用？", "怎样使用{w}？", "{w}适合谁？"]
        if chinese
        else ["What does {w} do?", "How does {w} work?", "Who needs {w}?"]
    )
    return {"passage": passage["id"], "questions": [form.format(w=word) for form in forms[:count]]}


def _sections(body: dict[str, Any]) -> Answer:
    listed = material_of(body)["sections"]
    return {"sections": [{"section": one["id"], "summary": f"Tells of {_word(one['text'])}"} for one in listed]}


def _source(body: dict[str, Any]) -> Answer:
    passages = _passages(body)
    points = [{"text": f"The model notes {_word(p['text'])}.", "passage": p["id"]} for p in passages[:12]]
    return _sheet(summary=f"The model read about {_word(passages[0]['text'])}.", points=points)


def _subjects(body: dict[str, Any]) -> Answer:
    found: dict[str, Answer] = {}
    for passage in _passages(body):
        for name in re.findall(r"\*\*([^*\n]{2,40})\*\*", passage["text"]):
            defined = f"{name} is what the model says it is."
            found.setdefault(name, {"name": name, "aliases": [], "definition": defined, "passage": passage["id"]})
    if not found:
        first = _passages(body)[0]
        name = _word(first["text"])
        found[name] = {"name": name, "aliases": [], "definition": "", "passage": first["id"]}
    return _sheet(subjects=list(found.values())[:20])


def _sayings(body: dict[str, Any]) -> Answer:
    given = json.loads(body["messages"][0]["content"][1]["text"].rpartition("\n\n")[2])
    first = _passages(body)[0]["id"]
    said = [{"subject": n, "text": f"The model adds this about {n}.", "passage": first} for n in given["subjects"]]
    others = [name for name in given["names"] if name != given["subjects"][0]]
    related = [
        {
            "subject": given["subjects"][0],
            "kind": "uses",
            "object": n,
            "text": f"The model joins it with {n}.",
            "passage": first,
        }
        for n in others[:1]
    ]
    return _sheet(sayings=said, relations=related)


def _passages(body: dict[str, Any]) -> list[Answer]:
    return [passage for passage in material_of(body)["passages"] if "id" in passage]


def _word(text: str) -> str:
    """Return a word of a text."""
    words = re.findall(r"[A-Za-z]{4,}|[\u3400-\u9fff]{2,6}", text)
    return words[0] if words else "it"
