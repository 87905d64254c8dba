"""The index stage: refuses contradictions, indexes each heading once, switches one pointer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from compiler.errors import BuildError
from compiler.index.fold import fold_table
from compiler.index.rows import BuildMeta, Rows, chunk_fields, fields_of
from compiler.index.switch import current_build, remove_superseded, switch
from compiler.index.write import verify, write_artifacts
from tests.artifacts import make_artifacts, make_build, make_rows

ROWS = make_rows()
META = BuildMeta("b", 0, "t", ("en",))


def _first(rows: Rows, table: str, **change: object) -> Rows:
    found = getattr(rows, table)
    return replace(rows, **{table: (structs.replace(found[0], **change), *found[1:])})


CONTRADICTIONS: list[tuple[str, Callable[[], Rows]]] = [
    ("chunks: id 'install.1' occurs twice", lambda: _first(ROWS, "chunks", id="install.1")),
    ("chunks\\[0\\] has n=5", lambda: _first(ROWS, "chunks", n=5)),
    ("refers to 'gone'", lambda: _first(ROWS, "chunks", article_id="gone")),
    ("questions .* refers to 'gone.1'", lambda: _first(ROWS, "questions", chunk_id="gone.1")),
    ("nodes .* refers to 'gone'", lambda: _first(ROWS, "nodes", article_id="gone")),
    ("links .* refers to 'gone'", lambda: _first(ROWS, "links", target_id="gone")),
    ("is not the slice", lambda: _first(ROWS, "chunks", start=1)),
]


@pytest.mark.parametrize(("message", "make"), CONTRADICTIONS)
def test_contradicting_rows_are_a_build_error(tmp_path: Path, message: str, make: Callable[[], Rows]) -> None:
    """Nothing is written for rows that contradict each other."""
    with pytest.raises(BuildError, match=message):
        write_artifacts(make(), tmp_path / "a", meta=META)
    assert not (tmp_path / "a").exists()


def test_an_empty_base_is_a_build_too(tmp_path: Path) -> None:
    """No articles give complete, verifiable artifacts."""
    write_artifacts(Rows(()), tmp_path / "a", meta=META)
    assert verify(tmp_path / "a").counts["chunks"] == 0


def test_artifacts_are_never_written_over_a_build(tmp_path: Path) -> None:
    """A folder in use is refused."""
    make_artifacts(tmp_path / "a")
    with pytest.raises(BuildError, match="not empty"):
        make_artifacts(tmp_path / "a")


def test_a_heading_counts_once() -> None:
    """Heading words stand in title or path, not again in the body; other headings stay there."""
    article = ROWS.articles[0]
    chunk = structs.replace(ROWS.chunks[1], text="## Docker Compose\n\nBody.\n\n### Other ###\n\nMore.\n")
    fields = chunk_fields(chunk, article)
    assert (fields.title, fields.path, fields.body) == ("Installation", "Docker Compose", "Body.\n\nOther\n\nMore.")


def test_every_row_of_a_searched_table_has_its_fields() -> None:
    """The index positions are the row numbers."""
    assert {name: len(found) for name, found in fields_of(ROWS).items()} == {
        "chunks": len(ROWS.chunks),
        "questions": len(ROWS.questions),
        "pages": len(ROWS.pages),
        "nodes": len(ROWS.nodes),
    }


def test_traditional_characters_fold_to_simplified() -> None:
    """The table maps one character to one character."""
    assert "臺灣檢索".translate(str.maketrans(dict(fold_table()))) == "台湾检索"


def test_the_pointer_moves_and_the_old_build_goes(tmp_path: Path) -> None:
    """After a switch `current` leads to the new build; the superseded one is removed, what is not ours stays."""
    old, new = "0" * 16, "1" * 16 + "-1"
    for name in (old, new):
        make_artifacts(tmp_path / "builds" / name / "artifacts")
    (tmp_path / "builds" / "photos").mkdir()
    (tmp_path / "builds" / ".DS_Store").write_text("x")
    (tmp_path / "builds" / ("2" * 16)).symlink_to("photos")
    switch(tmp_path, new)
    assert current_build(tmp_path) == new
    assert remove_superseded(tmp_path) == (old,)
    assert sorted(p.name for p in (tmp_path / "builds").iterdir()) == [".DS_Store", new, "2" * 16, "photos"]
    verify(tmp_path / "current" / "artifacts")


def test_a_build_without_a_manifest_is_not_switched_to(tmp_path: Path) -> None:
    """The old pointer stays when the new build is incomplete."""
    make_build(tmp_path)
    (tmp_path / "builds" / "half" / "artifacts").mkdir(parents=True)
    with pytest.raises(BuildError, match="half"):
        switch(tmp_path, "half")
    assert current_build(tmp_path) == "build-1"


def test_a_real_folder_named_current_is_left_alone(tmp_path: Path) -> None:
    """What a build did not make is never replaced."""
    make_artifacts(tmp_path / "builds" / "b" / "artifacts")
    (tmp_path / "current").mkdir()
    with pytest.raises(BuildError, match="not a symbolic link"):
        switch(tmp_path, "b")
