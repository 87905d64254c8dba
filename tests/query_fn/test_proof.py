"""Work before the first question: what opens the door, for whom, how often, and what does not."""

from __future__ import annotations

import hashlib
import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient

from query_fn.app import create_app
from query_fn.errors import ProofNeeded
from query_fn.guard.counters import Counters, MemoryCounters
from query_fn.guard.dynamo import DynamoCounters
from query_fn.guard.proof import CHALLENGE_SECONDS, SESSION_QUESTIONS, SESSION_SECONDS, Holder, WorkProof
from query_fn.guard.session import Binding, sign
from query_fn.guard.table import Table
from query_fn.settings import Settings
from tests.artifacts import make_build
from tests.aws import make_table

SECRET = b"a secret of the owner, not short"
BITS = 6
ME = Holder("https://example.org/", "me")
ORIGIN = "https://example.org"


def solved(token: str, bits: int = BITS) -> str:
    """Do the work and return what is sent."""
    for nonce in itertools.count():
        given = f"{token}.{nonce}"
        if int.from_bytes(hashlib.sha256(given.encode()).digest()) >> (256 - bits) == 0:
            return given
    raise AssertionError


def work(bits: int = BITS, *, now: float = 1_000.0, shared: Counters | None = None) -> WorkProof:
    """Return a wall at a moment."""
    return WorkProof(bits, SECRET, shared=shared, clock=lambda: now)


def refused(proof: WorkProof, given: str, holder: Holder = ME) -> bool:
    """Say whether the door stays shut."""
    try:
        proof.admit(given, holder)
    except ProofNeeded:
        return True
    return False


def test_work_opens_and_the_session_is_good_for_more() -> None:
    """A solved challenge gives a session; it is good for a number of questions and then no more."""
    proof = work()
    session = proof.admit(solved(proof.challenge(ME).token), ME)
    assert [proof.admit(session, ME) for _ in range(SESSION_QUESTIONS)] == [session] * SESSION_QUESTIONS
    assert refused(proof, session)


def test_a_challenge_is_good_once() -> None:
    """The same work sent again opens nothing, also with another nonce that fits."""
    proof = work()
    token = proof.challenge(ME).token
    first = solved(token)
    proof.admit(first, ME)
    other = next(
        f"{token}.{n}" for n in itertools.count() if f"{token}.{n}" != first and not refused(work(), f"{token}.{n}")
    )
    assert (refused(proof, first), refused(proof, other)) == (True, True)


@pytest.mark.parametrize(
    ("later", "holder", "expected"),
    [
        (CHALLENGE_SECONDS - 1, ME, False),
        (CHALLENGE_SECONDS, ME, True),
        (0, replace(ME, visitor="you"), True),
        (0, replace(ME, site="https://other.example/"), True),
    ],
)
def test_a_challenge_is_for_one_reader_of_one_site(later: float, holder: Holder, expected: bool) -> None:
    """It expires, and nobody else can use it."""
    assert refused(work(now=1_000 + later), solved(work().challenge(ME).token), holder) is expected


@pytest.mark.parametrize(
    ("later", "holder", "expected"),
    [(SESSION_SECONDS - 1, ME, False), (SESSION_SECONDS, ME, True), (0, replace(ME, visitor="you"), True)],
)
def test_a_session_is_for_one_reader_and_some_minutes(later: float, holder: Holder, expected: bool) -> None:
    """It expires, and nobody else can use it."""
    session = work().admit(solved(work().challenge(ME).token), ME)
    assert refused(work(now=1_000 + later), session, holder) is expected


def test_less_work_is_not_enough() -> None:
    """A nonce that does not fit, none, or one made for an easier time is refused."""
    token, easy = work(20).challenge(ME).token, work(1).challenge(ME).token
    wrong = [token, f"{token}.", f"{token}.x", f"{token}.-1", f"{token}.{'0' * 21}", solved(easy, 20), solved(easy, 1)]
    assert all(refused(work(20), given) for given in wrong)


def test_nothing_but_our_own_tokens() -> None:
    """Rubbish, another key, a conversation, and a challenge sent as if it were a session are refused."""
    other = WorkProof(BITS, b"another secret, also long", clock=lambda: 1_000.0)
    conversation = sign([], SECRET, binding=Binding(ME.site, "b", 1_000), seconds=60)
    forged = solved(other.challenge(ME).token)
    given = ["", ".", "..", "a.b.1", "é.é.1", "A" * 5_000, conversation, f"{conversation}.1", forged]
    assert all(refused(work(), each) for each in (*given, work().challenge(ME).token))


@pytest.mark.parametrize("index", range(0, 240, 11))
def test_any_changed_character(index: int) -> None:
    """A session with any one character changed is refused."""
    session = work().admit(solved(work().challenge(ME).token), ME)
    index %= len(session)
    forged = session[:index] + ("A" if session[index] != "A" else "B") + session[index + 1 :]
    assert refused(work(), forged)


@pytest.mark.parametrize(("store", "at_once"), [("memory", 16), ("dynamo", 1)])
def test_containers_know_of_each_other(store: str, at_once: int, cloud: str) -> None:
    """One solved challenge at two containers, fifty times, opens one door."""
    shared: Counters = MemoryCounters() if store == "memory" else DynamoCounters(Table(make_table("proof")))
    doors = [work(shared=shared), work(shared=shared)]
    given = solved(doors[0].challenge(ME).token)
    with ThreadPoolExecutor(at_once) as pool:  # the loopback table makes a new item without a lock; Amazon's does not
        opened = [not shut for shut in pool.map(lambda n: refused(doors[n % 2], given), range(50))]
    assert sum(opened) == 1


def test_a_store_that_is_down_leaves_each_container_its_own_count(cloud: str) -> None:
    """Readers are let in, and the same container still refuses a replay."""
    proof = work(shared=DynamoCounters(Table("nothing-here")))
    given = solved(proof.challenge(ME).token)
    assert (refused(proof, given), refused(proof, given)) == (False, True)


# --- over HTTP --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """A function that wants work."""
    artifacts = make_build(tmp_path_factory.mktemp("out"))
    settings = Settings(artifacts, secret=SECRET, proof_bits=BITS, allow_origins=(ORIGIN,), rate_per_minute=30)
    return TestClient(create_app(settings))


def ask(client: TestClient, given: str = "", **more: Any) -> Any:
    """Ask a question with what was worked for."""
    headers = {"x-geosmin-pass": given, "origin": ORIGIN} if given else {}
    body = {"question": "How long are backups kept?", "stream": False, **more}
    return client.post("/api/public/qa/chat", json=body, headers=headers)


def test_without_work_there_is_no_answer(client: TestClient) -> None:
    """The refusal says what to do, names its kind for programs, and costs nothing of the reader's limit."""
    replies = [ask(client) for _ in range(50)]
    assert {reply.status_code for reply in replies} == {403}
    problem = replies[0].json()
    assert (problem["code"], "api/public/session" in problem["detail"]) == ("proof_needed", True)


@pytest.mark.parametrize("stream", [False, True])
def test_with_work_there_is_one(client: TestClient, stream: bool) -> None:
    """A challenge, its solution, an answer with a session, and a second answer for the session alone."""
    given = client.get("/api/public/session").json()
    first = ask(client, solved(given["challenge"], given["bits"]), stream=stream)
    assert (first.status_code, "14 days" in first.text) == (200, True)
    assert "x-geosmin-pass" in first.headers["access-control-expose-headers"]
    assert ask(client, first.headers["x-geosmin-pass"]).status_code == 200


def test_a_reply_that_is_no_answer_brings_the_session_too(client: TestClient) -> None:
    """Work that was done is not lost when the question is wrong."""
    given = client.get("/api/public/session").json()
    wrong = ask(client, solved(given["challenge"]), question="")
    assert wrong.status_code == 400
    assert ask(client, wrong.headers["x-geosmin-pass"]).status_code == 200


def test_a_page_of_another_origin_may_send_it(client: TestClient) -> None:
    """The preflight of a listed origin allows the header."""
    headers = {"origin": ORIGIN, "access-control-request-method": "POST"}
    reply = client.options("/api/public/qa/chat", headers=headers)
    assert "x-geosmin-pass" in reply.headers["access-control-allow-headers"]


def test_where_no_work_is_wanted_there_is_no_challenge(tmp_path: Path) -> None:
    """Off, the address is like one that is not there."""
    client = TestClient(create_app(Settings(make_build(tmp_path))))
    assert client.get("/api/public/session").status_code == 404
    assert ask(client).status_code == 200
