"""The API over real artifacts: answers, errors, headers, and the OpenAPI document checked against real responses."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from compiler.index.rows import BuildMeta
from compiler.index.switch import switch
from compiler.index.write import write_artifacts
from query_fn.app import create_app, openapi_document
from query_fn.settings import Settings
from tests.artifacts import BUILD_ID, NOW, SOON, make_artifacts, make_build, make_rows

SECRET = b"a secret of the owner, not short"
ORIGIN = "https://notes.example"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build with a small site behind its pointer."""
    folder: Path = tmp_path_factory.mktemp("out")
    make_build(folder)
    site = folder / "builds" / BUILD_ID / "site"
    (site / "guide").mkdir()
    (site / "index.html").write_text("<h1>home</h1>")
    (site / "guide" / "index.html").write_text("<h1>guide</h1>")
    (site / "404.html").write_text("<h1>nothing</h1>")
    (site / "empty").mkdir()
    (site / "中文.md").write_text("# 中文")
    (site / "out").symlink_to(folder)
    (folder / "secret.txt").write_text("secret")
    return folder


def _settings(out: Path, **more: Any) -> Settings:
    return Settings(out / "current" / "artifacts", out / "current" / "site", secret=SECRET, **more)


@pytest.fixture(scope="module")
def client(out: Path) -> Iterator[TestClient]:
    """A client of the application at the root, with one allowed origin."""
    with TestClient(create_app(_settings(out, allow_origins=(ORIGIN,)), clock=lambda: NOW)) as found:
        yield found


def _ask(client: TestClient, question: str, **more: Any) -> dict[str, Any]:
    response = client.post("/api/public/qa/chat", json={"question": question, "stream": False, **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def _valid(name: str, value: object) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": openapi_document()["components"]}
    Draft202012Validator(schema).validate(value)


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "quote", "url"),
    [
        ("How long are backups kept?", "kept for 14 days", "/guide/backup/"),
        ("Which port does the Docker image listen on?", "listens on port 8080", "/guide/install/#docker-compose"),
        ("Who approves claims above 500 euros?", "Maria Jensen", "/finance/billing/#approval"),
        ("泡龙井茶用多少度的水？", "80 度", "/%E7%94%9F%E6%B4%BB/%E8%8C%B6/#%E5%86%B2%E6%B3%A1"),
        (
            "离线安装要下载什么？",
            "下载全部依赖包",
            "/%E6%8C%87%E5%8D%97/%E5%AE%89%E8%A3%85/#%E7%A6%BB%E7%BA%BF%E5%AE%89%E8%A3%85",
        ),
        ("向量的维度是多少？", "384", "/%E6%8C%87%E5%8D%97/%E6%A3%80%E7%B4%A2/#%E5%90%91%E9%87%8F"),
    ],
)
def test_answers(client: TestClient, question: str, quote: str, url: str) -> None:
    """A question is answered from the right passage, with a link to its heading."""
    found = _ask(client, question)
    assert (found["status"], found["diagnostics"]["degraded"]) == ("completed", ["no_embedder", "no_model"])
    assert quote in found["answer"]
    assert url in [e["url"] for e in found["evidence"]]
    _valid("Answer", found)


def test_every_citation_is_real(client: TestClient) -> None:
    """Each citation's offsets give its quote in the text that read returns for that evidence."""
    found = _ask(client, "How do I restore a backup?")
    assert found["citations"]
    for cited in found["citations"]:
        locator = next(e["locator"] for e in found["evidence"] if e["id"] == cited["evidence"])
        text = client.post("/api/public/read", json={"locators": [locator]}).json()["evidence"][0]["text"]
        assert text[cited["start"] : cited["end"]] == cited["quote"]


def test_steps_are_listed(client: TestClient) -> None:
    """A question for steps is answered by the list, whole and in order."""
    found = _ask(client, "How do I restore a backup?")
    assert found["answer"].split("\n") == [
        "1. Stop the service.",
        "2. Unpack the archive.",
        "3. Start the service again.",
    ]


@pytest.mark.parametrize("question", ["Who won the chess world cup?", "量子引力的最新进展是什么？"])
def test_no_answer(client: TestClient, question: str) -> None:
    """What the pages do not say is said to be absent, without evidence."""
    found = _ask(client, question)
    assert (found["status"], found["evidence"], found["citations"]) == ("no_answer", [], [])
    assert ("没有说明" if question[0] == "量" else "do not say") in found["answer"]
    _valid("Answer", found)


def test_scope_of_nothing(client: TestClient) -> None:
    """An empty list in the scope means nothing: no answer and no nearest pages."""
    found = _ask(client, "How long are backups kept?", scope={"articles": []})
    assert (found["status"], found["nearest"]) == ("no_answer", [])


def test_expired_is_like_absent(out: Path) -> None:
    """A page is answered from until the second it expires, and is then like one that never was."""
    question = "Why is the Lisbon office closed on Friday?"
    before = TestClient(create_app(_settings(out), clock=lambda: SOON - 1))
    after = TestClient(create_app(_settings(out), clock=lambda: SOON))
    assert "fire drill" in _ask(before, question)["answer"]
    found = _ask(after, question)
    assert found["status"] == "no_answer"
    assert "temporary-notice" not in json.dumps(found)
    assert after.get("/api/public/outline/temporary-notice").status_code == 404
    assert after.post("/api/public/read", json={"locators": ["temporary-notice.0"]}).status_code == 404


def test_follow_up(client: TestClient) -> None:
    """With the signed token a follow-up resolves; without it the same words find nothing."""
    first = _ask(client, "泡龙井茶用多少度的水？")
    follow = _ask(client, "那它产于哪里？", conversation=first["conversation"])
    assert "杭州西湖" in follow["answer"]


def test_forged_token_is_named(client: TestClient) -> None:
    """A token that we did not sign is ignored and named."""
    found = _ask(client, "How long are backups kept?", conversation="e30.AAAA")
    assert "conversation_invalid" in found["diagnostics"]["degraded"]
    assert found["status"] == "completed"


@pytest.mark.parametrize(("question", "word"), [("你好", "引用原文"), ("What can you do?", "published pages")])
def test_small_talk(client: TestClient, question: str, word: str) -> None:
    """A greeting is answered with what can be asked here."""
    found = _ask(client, question)
    assert word in found["answer"]
    assert found["follow_ups"]
    _valid("Answer", found)


# --- the other endpoints ----------------------------------------------------------------------------------------------


def test_search(client: TestClient) -> None:
    """Search returns places without their text."""
    found = client.get("/api/public/search", params={"q": "倒数排名融合", "limit": 3}).json()
    assert found["candidates"][0]["locator"] == "检索.0"
    _valid("SearchResult", found)


def test_search_folder(client: TestClient) -> None:
    """A folder filter keeps the rest out."""
    found = client.get("/api/public/search", params={"q": "approval backups", "folder": "finance"}).json()
    assert {c["article"] for c in found["candidates"]} == {"billing"}


@pytest.mark.parametrize("name", ["backup", "guide/backup/", "guide/backup.md"])
def test_outline(client: TestClient, name: str) -> None:
    """The outline of a page is found by id, URL or path."""
    found = client.get(f"/api/public/outline/{name}").json()
    assert [(n["level"], n["title"]) for n in found["nodes"]] == [(0, "Backups"), (1, "Restore")]
    _valid("Outline", found)


def test_collection(client: TestClient) -> None:
    """The outline of the whole lists every visible page."""
    found = client.get("/api/public/outline").json()
    assert len(found["articles"]) == 8
    _valid("Collection", found)


def test_read(client: TestClient) -> None:
    """Read returns whole texts and names what leads nowhere."""
    found = client.post("/api/public/read", json={"locators": ["茶.1", "nope"]}).json()
    assert (found["evidence"][0]["text"][:5], found["missing"]) == ("## 冲泡", ["nope"])
    _valid("ReadResult", found)


def test_feedback(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    """Feedback becomes one JSON line, with line breaks and escapes inside it made harmless."""
    with caplog.at_level(logging.INFO, "geosmin.feedback"):
        response = client.post(
            "/api/public/feedback", json={"rating": "up", "comment": '好\n\x1b[31m{"rating":"down"}'}
        )
    assert (response.status_code, len(caplog.messages)) == (202, 1)
    line = caplog.messages[0]
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["comment"] == '好\n\x1b[31m{"rating":"down"}'
    _valid("Accepted", response.json())


def test_health(client: TestClient) -> None:
    """Health names the build, the fallbacks in force and the next change."""
    found = client.get("/healthz").json()
    assert found == {"status": "ok", "build_id": BUILD_ID, "degraded": ["no_embedder", "no_model"], "next_change": SOON}
    _valid("Health", found)


def test_openapi(client: TestClient) -> None:
    """The document is served, and each operation in it is one that the application has."""
    document = client.get("/openapi.json").json()
    served = {route.path for route in create_app(Settings()).routes if hasattr(route, "path")}
    assert document["openapi"] == "3.1.0"
    assert {path.replace("{article}", "{article:path}") for path in document["paths"]} <= served
    for name in document["components"]["schemas"]:
        Draft202012Validator.check_schema(document["components"]["schemas"][name])


def test_openapi_examples() -> None:
    """Every example in the document follows its own schema."""
    document = openapi_document()
    paths: Any = document["paths"]
    chat = paths["/api/public/qa/chat"]["post"]
    for example in chat["requestBody"]["content"]["application/json"]["examples"].values():
        _valid("Messages" if "messages" in example["value"] else "Question", example["value"])
    _valid("Answer", chat["responses"]["200"]["content"]["application/json"]["example"])
    for path, name in (("read", "ReadRequest"), ("feedback", "Feedback")):
        content = paths[f"/api/public/{path}"]["post"]["requestBody"]["content"]["application/json"]
        _valid(name, content["example"])


# --- errors and headers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/public/qa/chat", b"", 400),
        ("POST", "/api/public/qa/chat", b"{", 400),
        ("POST", "/api/public/qa/chat", b'{"question":"x","role":"system"}', 400),
        ("POST", "/api/public/qa/chat", b'{"question":"' + b"a" * 3_000 + b'"}', 413),
        ("POST", "/api/public/qa/chat", b'{"question":"' + b"a" * 100_000 + b'"}', 413),
        ("GET", "/api/public/qa/chat", None, 405),
        ("GET", "/api/public/search", None, 400),
        ("GET", "/api/public/outline/nope", None, 404),
        ("POST", "/api/public/read", b'{"locators":["nope"]}', 404),
        ("POST", "/api/public/read", b'{"locators":[]}', 400),
        ("POST", "/api/public/feedback", b'{"rating":"meh"}', 400),
        ("GET", "/api/nope", None, 404),
        ("DELETE", "/healthz", None, 405),
        ("PUT", "/nope", b"", 404),
    ],
)
def test_problems(client: TestClient, method: str, path: str, body: bytes | None, status: int) -> None:
    """Every fault is a problem document with a request id and nothing of the inside."""
    response = client.request(method, path, content=body)
    assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")
    assert response.json()["request_id"] == response.headers["x-request-id"]
    assert response.headers["cache-control"] == "no-store"
    _valid("Problem", response.json())


def test_compressed_body(client: TestClient) -> None:
    """A compressed body is refused before it is unpacked."""
    response = client.post("/api/public/read", content=b"\x1f\x8b", headers={"content-encoding": "gzip"})
    assert response.status_code == 400


def test_internal_fault_says_nothing(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected fault is a 500 whose body names only the request."""
    monkeypatch.setattr("query_fn.app._search", lambda *_: 1 / 0)
    client = TestClient(create_app(_settings(out), clock=lambda: NOW), raise_server_exceptions=False)
    response = client.get("/api/public/search", params={"q": "x"})
    assert response.status_code == 500
    assert set(response.json()) == {"type", "title", "status", "request_id"}


def test_head(client: TestClient) -> None:
    """HEAD is GET without a body."""
    response = client.head("/healthz")
    assert (response.status_code, response.content) == (200, b"")


def test_cors(client: TestClient) -> None:
    """Only the listed origin is allowed, exactly; answers vary by origin."""
    assert client.get("/healthz", headers={"origin": ORIGIN}).headers["access-control-allow-origin"] == ORIGIN
    for other in ("https://notes.example.evil.org", "https://evilnotes.example", "http://notes.example", "null"):
        response = client.get("/healthz", headers={"origin": other})
        assert "access-control-allow-origin" not in response.headers
        assert response.headers["vary"] == "Origin"


def test_preflight(client: TestClient) -> None:
    """A preflight is granted to the listed origin and refused to another; a plain OPTIONS tells the methods."""
    asking = {"access-control-request-method": "POST"}
    granted = client.options("/api/public/qa/chat", headers={"origin": ORIGIN, **asking})
    refused = client.options("/api/public/qa/chat", headers={"origin": "https://evil.example", **asking})
    assert (granted.status_code, granted.headers["access-control-allow-methods"]) == (204, "POST, OPTIONS")
    assert (refused.status_code, "access-control-allow-origin" in refused.headers) == (403, False)
    assert client.options("/api/public/search").headers["allow"] == "GET, HEAD, OPTIONS"


def test_rate(out: Path) -> None:
    """A client that asks too fast is told when to come back."""
    client = TestClient(create_app(_settings(out, rate_per_minute=2), clock=lambda: NOW))
    codes = [client.post("/api/public/feedback", json={"rating": "up"}) for _ in range(3)]
    assert [r.status_code for r in codes] == [202, 202, 429]
    assert 1 <= int(codes[-1].headers["retry-after"]) <= 30
    _valid("Problem", codes[-1].json())


# --- the site ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/", 200, "home"),
        ("/guide/", 200, "guide"),
        ("/%E4%B8%AD%E6%96%87.md", 200, "# 中文"),
        ("/nope/", 404, "nothing"),
        ("/empty/", 404, "nothing"),
        ("/out/secret.txt", 404, "nothing"),
        ("/..%2f..%2fsecret.txt", 404, "nothing"),
        ("/%2e%2e/%2e%2e/%2e%2e/secret.txt", 404, "nothing"),
        ("/guide%5c..%5cindex.html", 404, "nothing"),
        ("/index.html%00.png", 404, "nothing"),
    ],
)
def test_site(client: TestClient, path: str, status: int, text: str) -> None:
    """Pages are served by folder; what is not there, or not inside, is the 404 page."""
    response = client.get(path)
    assert (response.status_code, text in response.text) == (status, True)
    assert "default-src 'none'" in response.headers["content-security-policy"]


def test_folder_without_slash(client: TestClient) -> None:
    """A folder's address without its slash leads to the one with it."""
    response = client.get("/guide", follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (307, "/guide/")


def test_base_path(out: Path) -> None:
    """Under a base path everything moves with it."""
    client = TestClient(create_app(_settings(out, base_path="/repo/"), clock=lambda: NOW))
    assert client.get("/repo/healthz").status_code == 200
    assert client.get("/repo/guide/").text == "<h1>guide</h1>"
    assert client.get("/repo/openapi.json").json()["servers"] == [{"url": "/repo"}]
    assert client.get("/healthz").json()["status"] == 404
    assert client.get("/", follow_redirects=False).headers["location"] == "/repo/"


# --- builds that come and go ------------------------------------------------------------------------------------------


def test_no_build(tmp_path: Path) -> None:
    """Without a build the API says what to do; when one appears it is served without a restart."""
    client = TestClient(create_app(_settings(tmp_path), clock=lambda: NOW))
    response = client.get("/healthz")
    assert (response.status_code, response.json()["code"]) == (503, "artifacts_missing")
    assert "geosmin build" in response.json()["detail"]
    _valid("Problem", response.json())
    make_build(tmp_path)
    assert client.get("/healthz").json()["build_id"] == BUILD_ID


def test_pointer_moves(tmp_path: Path) -> None:
    """When the pointer moves to a new build, the next request is answered from it."""
    make_build(tmp_path)
    client = TestClient(create_app(_settings(tmp_path), clock=lambda: NOW))
    assert client.get("/healthz").json()["build_id"] == BUILD_ID
    _build_two(tmp_path)
    switch(tmp_path, "build-2")
    assert client.get("/healthz").json()["build_id"] == "build-2"


def test_damaged_build_is_not_served(tmp_path: Path) -> None:
    """A damaged new build leaves the old one in service, named in every answer."""
    make_build(tmp_path)
    client = TestClient(create_app(_settings(tmp_path), clock=lambda: NOW))
    _ask(client, "How long are backups kept?")
    _build_two(tmp_path)
    database = tmp_path / "builds" / "build-2" / "artifacts" / "knowledge.db"
    whole = database.read_bytes()
    database.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    (tmp_path / "next").symlink_to("builds/build-2")
    (tmp_path / "next").replace(tmp_path / "current")
    shutil.rmtree(tmp_path / "builds" / BUILD_ID)
    found = _ask(client, "How long are backups kept?")
    assert "14 days" in found["answer"]
    assert "new_build_refused:artifacts_damaged" in found["diagnostics"]["degraded"]
    assert found["status"] == "degraded"


def test_empty_base(tmp_path: Path) -> None:
    """With nothing published every question is told so."""
    empty = type(make_rows())((), (), (), (), (), (), ())
    make_artifacts(tmp_path / "current" / "artifacts", rows=empty)
    client = TestClient(create_app(_settings(tmp_path), clock=lambda: NOW))
    assert "没有发布" in _ask(client, "有什么内容？")["answer"]
    assert client.get("/api/public/search", params={"q": "x"}).json()["candidates"] == []


def test_dist_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without settings the application serves dist/ of the working folder."""
    make_build(tmp_path / "dist")
    monkeypatch.chdir(tmp_path)
    assert TestClient(create_app()).get("/healthz").json()["build_id"] == BUILD_ID


def _build_two(out: Path) -> None:
    meta = BuildMeta("build-2", NOW, "Test base", ("en", "zh"))
    write_artifacts(make_rows(), out / "builds" / "build-2" / "artifacts", meta=meta)
    (out / "builds" / "build-2" / "site").mkdir()


def test_parallel_questions_do_not_mix(client: TestClient) -> None:
    """Many questions at once get the answers they get alone, each with its own conversation."""
    questions = [
        "How long are backups kept?",
        "泡龙井茶用多少度的水？",
        "How do I restore a backup?",
        "向量的维度是多少？",
    ] * 6
    alone = {q: _ask(client, q)["answer"] for q in set(questions)}
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda q: _ask(client, q), questions))
    assert [f["answer"] for f in found] == [alone[q] for q in questions]
    follow = [_ask(client, "And it?", conversation=f["conversation"]) for f in found[:4]]
    assert [f["diagnostics"]["queries"][0] for f in follow] == [f"{q} And it?" for q in questions[:4]]
