"""Folder rules: paths as files have them, the most private of equals, and no rule that silently protects nothing."""

from pathlib import Path

import pytest

from compiler.errors import BuildError, SettingsError
from compiler.model import Share, SourcePath
from compiler.settings import Rule, SharingSettings, load
from compiler.sources.sharing import dead_rules, hidden_folders, most_specific

WHERE = SourcePath("geosmin.yml")


def _loaded(tmp_path: Path, rule: str) -> str:
    (tmp_path / "c").mkdir()
    overrides = [f"sharing.rules=[{{path: '{rule}', share: private}}]"]
    return load(tmp_path / "c", tmp_path / "o", tmp_path / "s", overrides=overrides).sharing.rules[0].path


@pytest.mark.parametrize(
    ("written", "meant"), [("./a/**", "a/**"), ("././a", "a"), ("a/./b", "a/b"), ("cafe\u0301/**", "caf\u00e9/**")]
)
def test_a_rule_s_path_is_written_as_files_are(tmp_path: Path, written: str, meant: str) -> None:
    """NFC and without ./, so that it matches what it names."""
    assert _loaded(tmp_path, written) == meant


@pytest.mark.parametrize("path", ["a\\\\b", "a//b", "{a,b}/**", "[ab]/**", "/a", "!a", "../a", ".", " "])
def test_a_rule_s_path_that_is_none_is_refused(tmp_path: Path, path: str) -> None:
    """What would match nothing, or something else, stops before anything is read."""
    with pytest.raises(SettingsError):
        _loaded(tmp_path, path)


@pytest.mark.parametrize(
    ("private", "public", "path", "share"),
    [
        ("notes/inner/**", "notes/**", "notes/inner/a.md", Share.PRIVATE),
        ("notes/**", "notes/open/**", "notes/open/a.md", Share.PUBLIC),
        ("notes/*", "notes/a.md", "notes/a.md", Share.PUBLIC),
        ("**", "notes/**", "notes/a.md", Share.PUBLIC),
        ("**/secret*", "notes/**", "notes/secret.md", Share.PRIVATE),
        ("**/secret*", "notes/secret.md", "notes/secret.md", Share.PUBLIC),
        ("notes/*", "notes/**", "notes/a.md", Share.PRIVATE),
        ("notes", "notes/*", "notes/a.md", Share.PRIVATE),
        ("notes/**/x*", "notes/deep/**", "notes/deep/x.md", Share.PRIVATE),
    ],
)
def test_of_two_rules_the_narrower_wins_else_the_private(private: str, public: str, path: str, share: Share) -> None:
    """A rule inside another's folder is narrower; two that only overlap are decided for the private one."""
    rule = most_specific((Rule(private, Share.PRIVATE), Rule(public, Share.PUBLIC)), SourcePath(path))
    assert rule is not None
    assert rule.share is share


@pytest.mark.parametrize(
    ("rule", "hidden"),
    [
        ("a", ("a",)),
        ("a/", ("a",)),
        ("a/*", ("a",)),
        ("a/**", ("a",)),
        ("a/x*", ()),
        ("**/a", ()),
        ("**", ()),
        ("a?", ()),
    ],
)
def test_only_a_rule_for_a_whole_folder_hides_its_name(rule: str, hidden: tuple[str, ...]) -> None:
    """A rule for some files of a folder leaves the paths of the others as they are."""
    assert hidden_folders((Rule(rule, Share.PRIVATE),)) == hidden


def test_a_dead_private_rule_stops_an_open_build() -> None:
    """Where everything else is public, a rule with a slip in its path would publish what it should keep back."""
    with pytest.raises(BuildError) as caught:
        dead_rules(SharingSettings(Share.PUBLIC, (Rule("人亊/**", Share.PRIVATE),)), [SourcePath("人事/a.md")], WHERE)
    assert "人亊" not in caught.value.redacted


@pytest.mark.parametrize("rule", [".obsidian/**", "files/**"])
def test_a_rule_for_attachments_or_unread_folders_stops_nothing(rule: str) -> None:
    """Attachments count as files, and a folder that is never read needs no protection."""
    settings = SharingSettings(Share.PUBLIC, (Rule(rule, Share.PRIVATE),))
    assert all(not p.public for p in dead_rules(settings, [SourcePath("files/a.png")], WHERE))
