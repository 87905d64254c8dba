"""A tiny bilingual knowledge base, written through the real index stage. Other test rooms use it as a fixture."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from compiler.index.rows import BuildMeta, Rows
from compiler.index.switch import switch
from compiler.index.write import write_artifacts
from compiler.stuffing import hollow
from query_fn.contract import (
    ArticleRow,
    ChunkRow,
    ContributionRow,
    LinkRow,
    Manifest,
    NodeRow,
    PageRow,
    QuestionRow,
)

NOW = 1_800_000_000  # 2027-01-15
SOON = NOW + 1_000  # "temporary-notice" and "临时通知" end here
BUILD_ID = "build-1"

TEXTS: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    # id: (language, folder, tags, Markdown)
    "install": (
        "en",
        "guide",
        ("setup",),
        "# Installation\n\nGeosmin runs on Python 3.11 or newer. Install it with pip.\n\n"
        "## Docker Compose\n\nThe Docker image listens on port 8080. Mount the content folder at `/content`.\n\n"
        "## HTTPS\n\nPut a reverse proxy such as Caddy in front. It renews the certificate every 60 days.\n",
    ),
    "backup": (
        "en",
        "guide",
        ("operations",),
        "# Backups\n\nBackups run every night at 02:30 UTC and are kept for 14 days.\n\n"
        "## Restore\n\n1. Stop the service.\n2. Unpack the archive.\n3. Start the service again.\n",
    ),
    "billing": (
        "en",
        "finance",
        ("money",),
        "# Expense policy\n\nEmployees may claim travel costs within 30 days. Meals are capped at 45 euros a day.\n\n"
        "## Approval\n\nClaims above 500 euros need the approval of the finance lead, Maria Jensen.\n",
    ),
    "安装": (
        "zh",
        "指南",
        ("setup",),
        "# 安装指南\n\n本项目需要 Python 3.11 以上版本，用 pip 安装。\n\n"
        "## 离线安装\n\n先在有网络的机器上下载全部依赖包，再复制到目标机器，用本地目录安装。\n\n"
        "## 常见问题\n\n如果提示端口被占用，请把默认端口 8080 改成别的端口。\n",
    ),
    "检索": (
        "zh",
        "指南",
        ("search",),
        "# 检索原理\n\n系统同时使用关键词检索和向量检索，再用倒数排名融合合并两路结果。\n\n"
        "## 分词\n\n中文按单字和双字切分，不需要词典，因此任何子串都能被检索到。\n\n"
        "## 向量\n\n向量由多语言模型 multilingual-e5-small 生成，维度是 384。\n",
    ),
    "茶": (
        "zh",
        "生活",
        ("tea",),
        "# 龙井茶\n\n龙井茶产于杭州西湖，清明节前采摘的叫明前茶。\n\n"
        "## 冲泡\n\n水温控制在 80 度左右，不要用沸水，浸泡两分钟即可。\n",
    ),
    "temporary-notice": (
        "en",
        "",
        (),
        "# Office closure\n\nThe Lisbon office is closed on Friday because of a fire drill.\n",
    ),
    "临时通知": ("zh", "", (), "# 停电通知\n\n周五下午三点到五点机房停电，请提前保存工作。\n"),
}
QUESTIONS: dict[str, str] = {
    "install.0": "Which Python version is needed?",
    "install.1": "Which port does the Docker image listen on?",
    "backup.0": "How long are backups kept?",
    "backup.1": "How do I restore a backup?",
    "billing.1": "Who approves large claims?",
    "安装.1": "没有网络时怎么安装？",
    "安装.2": "端口被占用怎么办？",
    "检索.0": "系统怎样合并两路检索结果？",
    "检索.2": "向量的维度是多少？",
    "茶.1": "泡龙井茶用多少度的水？",
    "临时通知.0": "机房什么时候停电？",
}


def make_rows() -> Rows:
    """Return eight articles with a chunk per heading, questions, trees, two wiki pages and two links."""
    articles = tuple(_article(n, article_id) for n, article_id in enumerate(TEXTS))
    chunks = tuple(replace(chunk, n=n) for n, chunk in enumerate(c for a in articles for c in _chunks(a)))
    nodes = tuple(replace(node, n=n) for n, node in enumerate(m for a in articles for m in _nodes(a, chunks)))
    return Rows(articles, chunks, _questions(chunks), nodes, _pages(), _contributions(), _links())


def make_artifacts(folder: Path, *, rows: Rows | None = None, model: Path | None = None) -> Manifest:
    """Write the artifacts of `rows` (default: all) into the new folder; with `model` the vectors are real ones too."""
    meta = BuildMeta(BUILD_ID, NOW, "测试知识库 Test base", ("en", "zh"), next_change=SOON)
    rows = rows or make_rows()
    if model is None:
        return write_artifacts(rows, folder, meta=meta)
    from compiler.index.vectors import embed_all
    from query_fn.retrieve.embed import Embedder

    return write_artifacts(rows, folder, meta=meta, vectors=embed_all(rows, Embedder(model)))


def make_build(out: Path, *, model: Path | None = None) -> Path:
    """Make a whole build folder with its pointer and return the artifacts' folder behind the pointer."""
    make_artifacts(out / "builds" / BUILD_ID / "artifacts", model=model)
    (out / "builds" / BUILD_ID / "site").mkdir()
    switch(out, BUILD_ID)
    return out / "current" / "artifacts"


def _article(n: int, article_id: str) -> ArticleRow:
    lang, folder, tags, text = TEXTS[article_id]
    url = f"{folder}/{article_id}/".lstrip("/")
    end = SOON if article_id in {"temporary-notice", "临时通知"} else None
    body = text.split("\n\n")
    return ArticleRow(
        *(n, article_id, f"{url.rstrip('/')}.md", url, body[0].removeprefix("# "), lang, body[1].strip()),
        *("article", folder, tags, (), "2026-01-02", f"2026-0{n + 1}-03", text, end, (article_id,)),
    )


def _chunks(article: ArticleRow) -> list[ChunkRow]:
    heads = list(re.finditer(r"^(#+) (.+)$", article.text, re.M))
    ends = [*(head.start() for head in heads[1:]), len(article.text)]
    out = []
    for ordinal, head, end in zip(count(), heads, ends, strict=False):
        path = (article.title,) if ordinal == 0 else (article.title, head[2])
        anchor = "" if ordinal == 0 else head[2].lower().replace(" ", "-")
        text, line = article.text[head.start() : end], article.text[: head.start()].count("\n") + 1
        out.append(
            ChunkRow(
                *(0, f"{article.id}.{ordinal}", article.id, ordinal, head[2], path, anchor, article.lang, text, 0, 0),
                *(head.start(), end, line, article.not_after, article.sources, hollow(text)),
            )
        )
    return out


def _nodes(article: ArticleRow, chunks: tuple[ChunkRow, ...]) -> list[NodeRow]:
    own = [chunk for chunk in chunks if chunk.article_id == article.id]
    root = f"{article.id}#"
    return [
        NodeRow(
            *(0, f"{article.id}#{chunk.anchor}", article.id, root if chunk.ordinal else None, chunk.ordinal),
            *(min(chunk.ordinal, 1), chunk.title, chunk.path, chunk.anchor, ""),
            *(chunk.start, chunk.end, chunk.end if chunk.ordinal else len(article.text)),
            *(chunk.not_after, chunk.sources),
        )
        for chunk in own
    ]


def _questions(chunks: tuple[ChunkRow, ...]) -> tuple[QuestionRow, ...]:
    asked = [chunk for chunk in chunks if chunk.id in QUESTIONS]
    return tuple(
        QuestionRow(n, f"{c.id}.q0", c.id, QUESTIONS[c.id], c.lang, "local", c.not_after, c.sources)
        for n, c in enumerate(asked)
    )


def _pages() -> tuple[PageRow, ...]:
    docker = "A way to run containers. The image listens on port 8080."
    return (
        PageRow(0, "docker", "entity", "Docker", "wiki/docker/", "en", docker, docker, True, None, None, ("install",)),
        PageRow(
            *(1, "向量检索", "concept", "向量检索", "wiki/向量检索/", "zh", "用向量的距离找相近的段落。"),
            *("向量检索与关键词检索互补。", True, None, None, ("检索",)),
        ),
    )


def _contributions() -> tuple[ContributionRow, ...]:
    return (
        ContributionRow(0, "docker", "install", "The image listens on port 8080.", ("install.1",), None, ("install",)),
        ContributionRow(1, "向量检索", "检索", "两路结果合并。", ("检索.0",), None, ("检索",)),
    )


def _links() -> tuple[LinkRow, ...]:
    return (
        LinkRow(
            *(0, "backup", "restore", "install", "", "wikilink", "Installation", "See Installation."),
            *(None, ("backup", "install")),
        ),
        LinkRow(1, "安装", "", "检索", "", "wikilink", "检索原理", "参见检索原理。", None, ("安装", "检索")),
    )
