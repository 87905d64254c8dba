"""What is searched for: the reader's question with its words' weights, and the same in the base's other language."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from query_fn.retrieve.bilingual import LANGUAGES, Translation, translated
from query_fn.retrieve.catalog import Catalog
from query_fn.retrieve.confidence import Wanted, asked_for, coverage, coverage_across, wanted
from query_fn.retrieve.lexical import Lexical
from query_fn.retrieve.routes import Query
from query_fn.retrieve.select import Item, Weights, covered, weigh
from query_fn.text import Fold, script_lang, tokenise

FEW = 0.10  # share of the passages under which a base hardly speaks a language
SAID = 0.5  # share of the question's content that must be sayable in the other language


class Across(Struct, frozen=True):
    """The question in the base's other language; `alone` when the base hardly speaks the reader's."""

    query: Query
    translation: Translation
    weights: Weights
    terms: Wanted
    alone: bool


class Asked(Struct, frozen=True):
    """The question as it came, and across languages where the base speaks another one."""

    query: Query
    weights: Weights
    across: Across | None

    def covered(self, item: Item, *, foreign: bool) -> float:
        """Return the share of the question's words in one candidate, in the candidate's language."""
        return covered(self.across.weights if foreign and self.across else self.weights, item.terms)

    def coverages(self, items: Sequence[Item]) -> list[tuple[Query, float]]:
        """Return each query with the best share of it in one of the first candidates."""
        found = [(self.query, coverage(self.weights, items))]
        if self.across:
            share = coverage_across(self.across.terms, self.across.translation.share, items)
            found.append((self.across.query, share))
        return found


def other_language(question: str, catalog: Catalog) -> str:
    """Return the language besides the question's own that the base speaks, "" for none."""
    mine = script_lang(question)
    spoken = [lang for lang in LANGUAGES if lang != mine and catalog.lang_share(lang) >= FEW]
    return spoken[0] if mine in LANGUAGES and spoken else ""


def ask(
    query: Query, catalog: Catalog, lexical: Lexical, *, prepare: Callable[[str], Query], fold: Fold | None
) -> Asked:
    """Return what is searched for; `prepare` makes a query of the translated text."""
    weights = weigh(tokenise(asked_for(query.text), fold), lexical.idf)
    to = other_language(query.text, catalog)
    found = translated(query.text, to, content=asked_for, fold=fold) if to else None
    if found is None or found.share < SAID:
        return Asked(query, weights, None)
    own = weigh(tokenise(found.text, fold), lexical.idf)
    alone = catalog.lang_share(script_lang(query.text)) < FEW
    return Asked(query, weights, Across(prepare(found.text), found, own, wanted(found, lexical.idf, fold), alone))
