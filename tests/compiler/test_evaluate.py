"""`geosmin eval` over real bases: documents, pages, the owner's build; the report, the page and the gate."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import validate
from typer.testing import CliRunner

from compiler.cli import app
from compiler.errors import SettingsError
from compiler.evaluate.bases import of_docs
from compiler.evaluate.gate import Fall, falls
from compiler.evaluate.report import report
from compiler.evaluate.run import How, evaluate
from compiler.evaluate.sets import read_set
from compiler.index.embed_cache import EmbedCache
from compiler.index.export import export_model
from compiler.progress import Clock, Silent
from compiler.settings import load

from .evaluate_sample import CHINESE, ENGLISH, QUERIES, TEXTS, make_pages, make_set
from .vault import PUBLIC, write

MODEL = export_model()
FAST = ("--set", "embed.model=none")
SHARE = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
COUNT = {"type": "integer", "minimum": 0}
MEASURES = ["recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@10"]
FIGURES = {"type": "object", "required": MEASURES, "properties": dict.fromkeys(MEASURES, SHARE)}
KINDS = {"type": "object", "additionalProperties": FIGURES}
ANSWER = ["contains_gold@150", "contains_gold@300", "citation_precision"]
SCHEMA = {
    "type": "object",
    "required": ["set", "docs", "queries", "routes", "fused", "selected", "by_type", "by_lang", "answer", "refusal"],
    "properties": {
        "set": {"type": "string"}, "docs": COUNT, "queries": COUNT,
        "routes": KINDS, "steps": KINDS, "fused": FIGURES, "selected": FIGURES, "by_type": KINDS, "by_lang": KINDS,
        "answer": {"type": "object", "required": ANSWER, "properties": dict.fromkeys(ANSWER, SHARE)},
        "refusal": {
            "type": "object", "required": ["auc", "rejected_at_5pct", "precision", "recall"],
            "additionalProperties": SHARE,
        },
        "latency_ms": {"type": "object", "required": ["p50", "p99", "split", "embedding", "answer"]},
    },
}  # fmt: skip


def run(*args: str | Path, code: int = 0) -> str:
    """Run the command, check its exit code and return its standard output."""
    done = CliRunner().invoke(app, ["eval", *map(str, args), *FAST])
    if isinstance(done.exception, SettingsError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.stdout


@cache
def small() -> tuple[Path, dict[str, Any]]:
    """The small set and its report."""
    folder = make_set(Path(mkdtemp()) / "small")
    return folder, json.loads(run(folder, "--json"))


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in ("latency_ms", "run")}


def test_the_report_has_its_documented_form() -> None:
    """Every figure is there, between 0 and 1, or null where the set cannot tell."""
    found = small()[1]
    validate(found, SCHEMA)
    assert (found["set"], found["docs"], found["queries"]) == ("small", len(TEXTS), len(QUERIES))
    assert {"chunk_words", "question_words"} <= found["routes"].keys()
    assert found["degraded"] == ["no_embedder"]


def test_only_questions_with_a_document_are_ranked() -> None:
    """What cannot be answered, or is not known, counts for no ranking."""
    found = small()[1]
    ranked = [item for item in QUERIES if item["relevant"]]
    assert found["routes"]["chunk_words"]["queries"] == found["judged"] == len(ranked)
    assert {name: own["queries"] for name, own in found["by_lang"].items()} == {"en": 4, "zh": 3}
    assert {name: own["queries"] for name, own in found["by_type"].items()} == {"number": 2, "follow-up": 1}


def test_answers_are_told_by_kind() -> None:
    """For each kind of question: how many were asked, were right, and were refused."""
    kinds = small()[1]["answers_by_type"]
    assert {name: own["asked"] for name, own in kinds.items()} == {"number": 2, "follow-up": 1}
    assert (kinds["number"]["right"], kinds["number"]["refused"]) == (0.5, 0.5)  # "hot" stands nowhere


def test_words_find_every_document_of_the_small_set() -> None:
    """Each question shares words with its document alone: all are found, cited, and nothing is lost on the way."""
    found = small()[1]
    assert found["fused"] == found["selected"] == dict.fromkeys(MEASURES, 1.0)
    assert found["misses"] == []
    assert found["lost"]["@10"] == {"routes": 0.0, "fusion": 0.0, "selection": 0.0}
    assert found["answer"]["citation_precision"] == 1.0


def test_unanswerable_questions_are_told_apart() -> None:
    """Both foreign questions are refused, and confidence ranks them below all others."""
    refusal = small()[1]["refusal"]
    assert (refusal["auc"], refusal["rejected_at_5pct"], refusal["recall"]) == (1.0, 1.0, 1.0)
    assert refusal["answers_refused"] == 1.0


def test_the_previous_turn_is_used(tmp_path: Path) -> None:
    """A question that leans on the one before finds its page only with it."""
    texts = {name: text for name, text in ENGLISH.items() if name in ("kiln", "glaze", "fees")}
    alone = {"id": "1", "text": "And how long is it?", "relevant": ["kiln"]}
    both = []
    for number, item in enumerate((alone, alone | {"context": "What is said of the kiln?"})):
        folder = make_set(tmp_path / str(number), texts)
        (folder / "queries.jsonl").write_text(json.dumps(item), "utf-8")
        both.append(json.loads(run(folder, "--json"))["fused"]["recall@1"])
    assert both == [0.0, 1.0]


def test_same_seed_same_numbers() -> None:
    """Two runs give the same report, times apart; the sample of answered questions is drawn with the seed."""
    folder = small()[0]
    first, second, other = (
        without_times(json.loads(run(folder, "--json", "--sample", "3", "--seed", seed))) for seed in ("1", "1", "6")
    )
    assert first == second
    assert first["answer"]["asked"] <= 3
    assert first["fused"] == other["fused"]
    assert first["answer"] != other["answer"]


def test_pages_of_a_folder_can_be_asked(tmp_path: Path) -> None:
    """With --pages a folder is read as the product reads it, and `relevant_files` is the truth."""
    make_pages(tmp_path)
    found = json.loads(run(tmp_path, "--pages", tmp_path / "repo", "--json"))
    assert (found["docs"], found["fused"]["recall@1"]) == (len(TEXTS), 1.0)
    assert found["set"] == f"{tmp_path.name}@repo"


def test_a_mixed_base_holds_both_languages(tmp_path: Path) -> None:
    """With --mix every other document is that of the parallel set, and figures are split by language."""
    names = list(ENGLISH)
    english = dict(zip(names, ENGLISH.values(), strict=True))
    chinese = dict(zip(names, CHINESE.values(), strict=True))
    first, second = make_set(tmp_path / "a", english), make_set(tmp_path / "b", chinese)
    found = json.loads(run(first, "--mix", second, "--json"))
    assert (found["set"], found["docs"]) == ("a+b", len(names))
    assert found["by_lang"].keys() == {"en", "en→zh"}


def test_golden_questions_are_asked_of_the_own_build(tmp_path: Path) -> None:
    """A YAML file names pages and headings of the owner's build; a wrong heading or a missing text is a miss."""
    text = (
        f"{PUBLIC}# Studio\n\nWelcome.\n\n## Firing\n\nThe kiln reaches 1,240 degrees.\n\n## Fees\n\nA seat costs 35.\n"
    )
    content = write(tmp_path / "content", {"studio.md": text, "garden.md": f"{PUBLIC}# Garden\n\nSixteen beds.\n"})
    places = ("--content", content, "--out", tmp_path / "out", "--state", tmp_path / "state")
    built = CliRunner().invoke(app, ["build", *map(str, places), *FAST])
    assert built.exit_code == 0, built.output
    golden = tmp_path / "golden.yml"
    golden.write_text(
        "- {question: 'How many degrees does the kiln reach?', page: studio.md, heading: Firing, must_contain: '1,240'}\n"
        "- {question: 'How many degrees does the kiln reach?', page: /studio/, heading: Closing, must_contain: '999'}\n"
        "- {question: 'Which airline flies to Reykjavik?', must_refuse: true}\n",
        "utf-8",
    )
    found = json.loads(run(golden, *places, "--json"))
    assert (found["fused"]["recall@1"], found["answer"]["contains_gold"]) == (0.5, 0.5)
    assert found["refusal"]["recall"] == 1.0
    assert [miss["id"] for miss in found["misses"]] == ["2"]
    assert [wrong["id"] for wrong in found["wrong_answers"]] == ["2"]


@pytest.mark.skipif(MODEL is None, reason="the extra `embedder` is not installed")
def test_a_second_run_embeds_nothing(tmp_path: Path) -> None:
    """With a model the vector routes are measured too; vectors of documents, questions and sentences are kept."""
    asked = read_set(make_set(tmp_path / "small"))
    settings = load(tmp_path / "small", tmp_path / "first", tmp_path / "kept")
    seen = []
    for place in ("first", "second"):
        with closing(EmbedCache(tmp_path / "kept" / "vectors.db")) as vectors:
            clock = Clock(Silent())
            base = of_docs(asked.docs, replace(settings, out=tmp_path / place), vectors=vectors, clock=clock)
            seen.append(report(evaluate(asked, base, how=How(sample=4), clock=clock)))
    first, second = seen
    assert first["routes"]["chunk_vector"]["recall@1"] > 0.8
    assert first["latency_ms"]["embedding"]["p50"] > 0
    assert (first["run"]["embedded"] > len(TEXTS), second["run"]["embedded"]) == (True, 0)
    assert without_times(first) == without_times(second)


def test_a_table_is_printed(tmp_path: Path) -> None:
    """Without --json a person reads the steps, the answers and what is degraded."""
    shown = run(small()[0])
    assert re.search(r"fused +1\.000 +1\.000", shown)
    assert "20 documents" in shown
    assert "degraded: no_embedder" in shown


def test_the_page_stands_alone(tmp_path: Path) -> None:
    """--html writes one page with two plots, without a script and without a request; texts of a set are escaped."""
    folder = make_set(tmp_path / "small")
    asked = {"id": "1", "text": "<script>alert(x)</script>?", "relevant": ["kiln"]}
    (folder / "queries.jsonl").write_text(json.dumps(asked), "utf-8")
    run(folder, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    plots = [ElementTree.fromstring(plot) for plot in re.findall(r"<svg.*?</svg>", page, re.S)]
    assert len(plots) == 2
    assert "&lt;script&gt;" in page
    assert not re.search(r"<script|https?:|src=|url\(", page)


def test_the_gate_names_what_fell(tmp_path: Path) -> None:
    """Against its own figures a run passes; against better ones it ends with code 1 and names the figure."""
    folder, found = small()
    place = tmp_path / "baseline.json"
    place.write_text(json.dumps(found), "utf-8")
    run(folder, "--json", "--baseline", place)
    better = found | {"answer": found["answer"] | {"citation_precision": 1.5}}
    place.write_text(json.dumps(better), "utf-8")
    done = CliRunner().invoke(app, ["eval", str(folder), "--json", "--baseline", str(place), *FAST])
    assert (done.exit_code, "answer.citation_precision: 1.5000 → 1.0000" in done.stderr) == (1, True)
    run(folder, "--json", "--baseline", place, "--fail-under", "0.6")


@pytest.mark.parametrize(
    ("before", "now", "share", "fell"),
    [
        ({"fused": {"mrr@10": 0.8}}, {"fused": {"mrr@10": 0.8}}, 1.0, []),
        ({"fused": {"mrr@10": 0.8}}, {"fused": {"mrr@10": 0.79}}, 1.0, [Fall("fused.mrr@10", 0.8, 0.79)]),
        ({"fused": {"mrr@10": 0.8}}, {"fused": {"mrr@10": 0.79}}, 0.98, []),
        ({"fused": {"mrr@10": 0.8}}, {"fused": {"mrr@10": None}}, 0.5, [Fall("fused.mrr@10", 0.8, None)]),
        ({"fused": {"mrr@10": None}}, {"fused": {"mrr@10": 0.1}}, 1.0, []),
        (
            {"refusal": {"false_refusals": 0.1}}, {"refusal": {"false_refusals": 0.2}}, 0.9,
            [Fall("refusal.false_refusals", 0.1, 0.2)],
        ),
        ({"refusal": {"false_refusals": 0.2}}, {"refusal": {"false_refusals": 0.1}}, 1.0, []),
        ({"by_type": {"a": {"queries": 9}}}, {"by_type": {"a": {"queries": 3}}}, 1.0, []),
        ({"routes": {"a": {"mrr@10": 0.9}}}, {"routes": {"a": {"mrr@10": 0.1}}}, 1.0, []),
    ],
)  # fmt: skip
def test_what_counts_as_a_fall(before: Any, now: Any, share: float, fell: list[Fall]) -> None:
    """A figure under the share of the baseline's fell; one that is no longer measured fell too; less refusing is better."""
    same = {"set": "s", "docs": 1, "queries": 1}
    assert falls(same | now, same | before, share) == fell


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--chat", "claude"), "--chat claude: needs"),
        (("--baseline", "nowhere.json"), "not the --json output"),
        (("--mix", "nowhere"), "no such file"),
        (("--pages", "nowhere"), "no such folder"),
    ],
)
def test_what_cannot_be_done_is_told(args: tuple[str, ...], said: str) -> None:
    """An option that cannot be followed ends with a sentence that names it."""
    with pytest.raises(SettingsError, match=said):
        run(small()[0], *args)


def test_a_baseline_of_another_set_is_refused(tmp_path: Path) -> None:
    """Figures of different sets are never compared."""
    folder, found = small()
    place = tmp_path / "baseline.json"
    place.write_text(json.dumps(found | {"docs": 7}), "utf-8")
    with pytest.raises(SettingsError, match="its docs is 7, that of this run 20"):
        run(folder, "--baseline", place)
