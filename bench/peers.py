"""The same search with other software: the bare indexes, SQLite, and two frameworks with hybrid retrieval.

Each peer gets the same chunks, vectors and queries, the ten best of words and of vectors, and joins them by reciprocal
rank, as its documentation shows. None embeds the query.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tantivy
from usearch.index import Index

from bench.asked import DIMENSION, Asked
from compiler.index.fold import fold_of
from query_fn.text import Analyser, tokenise

Search = Callable[[int], object]
TOP = 10


def _texts(folder: Path) -> list[str]:
    texts: list[str] = json.loads((folder / "texts.json").read_text("utf-8"))
    return texts


def _tokens(text: str) -> list[str]:
    return tokenise(text, fold_of(Analyser.BIGRAM))


def bare(folder: Path, asked: Asked) -> Search:
    """Return tantivy over our tokens and usearch over the vectors, joined by reciprocal rank, with nothing around."""
    schema = tantivy.SchemaBuilder().add_text_field("body", tokenizer_name="whitespace", index_option="freq").build()
    index = tantivy.Index(schema, path=tempfile.mkdtemp())
    writer = index.writer(num_threads=1)
    for text in _texts(folder):
        writer.add_document(tantivy.Document(body=" ".join(_tokens(text))))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    vectors = Index(ndim=DIMENSION, metric="cos", dtype="f16", connectivity=16, expansion_add=64)
    unit = np.load(folder / "unit.npy")
    vectors.add(np.arange(len(unit)), unit, threads=1)
    searcher, either = index.searcher(), tantivy.Occur.Should

    def search(at: int) -> list[int]:
        terms = [(either, tantivy.Query.term_query(schema, "body", token)) for token in _tokens(asked.texts[at])]
        words = searcher.search(tantivy.Query.boolean_query(terms), limit=TOP, count=False).hits
        near = vectors.search(asked.vectors[at], TOP, threads=1).keys.tolist()
        return _joined([address.doc for _, address in words], near)

    return search


def _joined(*lists: list[int]) -> list[int]:
    scores: dict[int, float] = {}
    for found in lists:
        for rank, key in enumerate(found):
            scores[key] = scores.get(key, 0.0) + 1 / (60 + rank)
    return sorted(scores, key=lambda key: -scores[key])[:TOP]


def fts5(folder: Path, asked: Asked) -> Search:
    """Return SQLite's BM25 over our tokens, without vectors."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE chunks USING fts5(body, content='')")
    rows = ((n, " ".join(_tokens(text))) for n, text in enumerate(_texts(folder)))
    db.executemany("INSERT INTO chunks(rowid, body) VALUES (?, ?)", rows)
    sql = "SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY rank LIMIT 20"
    match = [" OR ".join(f'"{token}"' for token in dict.fromkeys(_tokens(text))) for text in asked.texts]
    return lambda at: db.execute(sql, (match[at],)).fetchall()


def llamaindex(folder: Path, asked: Asked) -> Search:
    """Return LlamaIndex's fusion of its BM25 retriever and its vectors in memory."""
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
    from llama_index.core.schema import QueryBundle, TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    unit = np.load(folder / "unit.npy")
    nodes = [
        TextNode(id_=str(n), text=" ".join(_tokens(text)), embedding=unit[n].tolist())
        for n, text in enumerate(_texts(folder))
    ]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=DIMENSION))
    words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=TOP, skip_stemming=True, token_pattern=r"\S+")
    both = [index.as_retriever(similarity_top_k=TOP), words]
    fused = QueryFusionRetriever(
        both, llm=MockLLM(), similarity_top_k=TOP, num_queries=1, mode=FUSION_MODES.RECIPROCAL_RANK, use_async=False
    )
    queries = [
        QueryBundle(" ".join(_tokens(text)), embedding=vector.tolist())
        for text, vector in zip(asked.texts, asked.vectors, strict=True)
    ]
    return lambda at: fused.retrieve(queries[at])


def haystack(folder: Path, asked: Asked) -> Search:
    """Return Haystack's pipeline of BM25, embedding retriever and joiner over its store in memory."""
    from haystack import Document, Pipeline
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    unit, store = np.load(folder / "unit.npy"), InMemoryDocumentStore(bm25_tokenization_regex=r"\S+")
    store.write_documents(
        [
            Document(id=str(n), content=" ".join(_tokens(text)), embedding=unit[n].tolist())
            for n, text in enumerate(_texts(folder))
        ]
    )
    line = Pipeline()
    line.add_component("words", InMemoryBM25Retriever(store, top_k=TOP))
    line.add_component("near", InMemoryEmbeddingRetriever(store, top_k=TOP))
    line.add_component("join", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP))
    line.connect("words", "join")
    line.connect("near", "join")
    queries: list[Mapping[str, Any]] = [
        {"words": {"query": " ".join(_tokens(text))}, "near": {"query_embedding": vector.tolist()}}
        for text, vector in zip(asked.texts, asked.vectors, strict=True)
    ]
    return lambda at: line.run(dict(queries[at]))


ENGINES: Mapping[str, Callable[[Path, Asked], Search]] = {
    "bare": bare,
    "fts5": fts5,
    "llamaindex": llamaindex,
    "haystack": haystack,
}
