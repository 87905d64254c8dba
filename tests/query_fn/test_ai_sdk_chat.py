"""The handbook's code for `useChat`, run by the AI SDK's own transport against the function on loopback."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.whole import build, serve

SDK = Path(__file__).parents[1] / "ai_sdk"
HANDBOOK = Path(__file__).parents[2] / "content"
NODE = shutil.which("node")
TRANSPORT = re.compile(r"^const transport = .*?^\}\);$", re.MULTILINE | re.DOTALL)

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not installed"),
    pytest.mark.skipif(not (SDK / "node_modules").is_dir(), reason="run `npm ci --prefix tests/ai_sdk` first"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a built and served knowledge base."""
    with serve(build(tmp_path_factory.mktemp("sdk"))) as address:
        yield address


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_transport_of_the_handbook_holds_a_conversation(site: str, lang: str) -> None:
    """Copied as it stands, with the address changed, it gets a cited answer, and a follow-up with the answer's token."""
    code = TRANSPORT.findall((HANDBOOK / lang / "24-embed.md").read_text("utf-8"))
    assert len(code) == 1
    asked = {
        "code": code[0].replace("https://notes.example/", site),
        "questions": ["Where should the rain gauge be put?", "How far from it?"],
    }
    assert NODE
    done = subprocess.run(
        [NODE, SDK / "chat.mjs"], input=json.dumps(asked).encode(), capture_output=True, check=False, timeout=60
    )
    assert done.stderr == b""
    answers = [_answer(message) for message in json.loads(done.stdout) if message["role"] == "assistant"]
    assert "in the open" in answers[0]["answer"]
    assert answers[0]["citations"] != []
    assert len(answers) == 2
    assert [name for name in answers[1]["diagnostics"]["degraded"] if name.startswith("conversation_")] == []
    assert answers[1]["conversation"] != answers[0]["conversation"]


def _answer(message: dict[str, Any]) -> dict[str, Any]:
    return next(part["data"] for part in message["parts"] if part["type"] == "data-answer")
