"""Folder rules, expiry, and where a public page stands."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from compiler.model import Share, SourcePath
from compiler.settings import Rule, SharingSettings
from compiler.sources.dates import expiry
from compiler.sources.frontmatter import read_front_matter
from compiler.sources.sharing import Judge, dead_rules, hidden_folders, matches
from compiler.sources.urls import public_path, settle, url_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ("人事", "人事/a.md", True),
        ("人事/", "人事/深/a.md", True),
        ("人事/**", "人事/深/a.md", True),
        ("人事/*", "人事/深/a.md", False),
        ("人事/*", "人事/a.md", True),
        ("人事", "人事部/a.md", False),
        ("**/draft-*", "a/b/draft-x.md", True),
        ("a.md", "a.md", True),
        ("a?.md", "ab.md", True),
        ("a.md", "axmd", False),
    ],
)
def test_a_rule_covers_what_it_says(rule: str, path: str, expected: bool) -> None:
    """A folder covers everything below it, * one level, ** any depth."""
    assert matches(Rule(rule, Share.PRIVATE), SourcePath(path)) is expected


@pytest.mark.parametrize(
    ("path", "block", "share"),
    [
        ("notes/a.md", "", Share.PUBLIC),
        ("notes/inner/a.md", "", Share.PRIVATE),
        ("notes/inner/a.md", "share: public", Share.PUBLIC),
        ("notes/a.md", "share: private", Share.PRIVATE),
        ("other/a.md", "", Share.PRIVATE),
    ],
)
def test_the_most_specific_rule_wins_and_front_matter_overrides_it(path: str, block: str, share: Share) -> None:
    """Default, then the rule with the longest fixed beginning, then the page itself."""
    rules = (Rule("notes/**", Share.PUBLIC), Rule("notes/inner/**", Share.PRIVATE))
    judge = Judge(SharingSettings(rules=rules), NOW)
    assert judge.decide(SourcePath(path), read_front_matter(f"---\n{block}\n---\n")).share is share


def test_a_rule_that_matches_nothing_is_a_problem() -> None:
    """A dead rule protects nothing, so it is an error and not a silence."""
    found = dead_rules(
        SharingSettings(rules=(Rule("typo/**", Share.PRIVATE),)), [SourcePath("a.md")], SourcePath("geosmin.yml")
    )
    assert [p.code for p in found] == ["rule-dead"]


@pytest.mark.parametrize(
    ("value", "zone", "instant"),
    [
        ("2026-12-01", "UTC", "2026-12-02T00:00:00+00:00"),
        ("2026-12-01", "Asia/Shanghai", "2026-12-01T16:00:00+00:00"),
        ("2026-12-01", "America/Los_Angeles", "2026-12-02T08:00:00+00:00"),
        ("2026-12-01T00:00:00+08:00", "UTC", "2026-11-30T16:00:00+00:00"),
        ("2026-12-01 10:00", "Asia/Kolkata", "2026-12-01T04:30:00+00:00"),
        ("2026-12-01T10:00Z", "Asia/Shanghai", "2026-12-01T10:00:00+00:00"),
        ("2026-03-28", "Europe/Berlin", "2026-03-28T23:00:00+00:00"),
        ("2026-03-29", "Europe/Berlin", "2026-03-29T22:00:00+00:00"),
        ("2026-10-25", "Europe/Berlin", "2026-10-25T23:00:00+00:00"),
        ("2026-12-01", "Pacific/Kiritimati", "2026-12-01T10:00:00+00:00"),
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T00:30:00+00:00"),  # the clocks skip it
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00+00:00"),  # the clocks show it twice
        ("2026-10-25T02:30+01:00", "Europe/Berlin", "2026-10-25T01:30:00+00:00"),
        ("2026-09-05", "America/Santiago", "2026-09-06T03:00:00+00:00"),  # a day whose end the clocks skip
        ("2026-04-04", "America/Santiago", "2026-04-05T04:00:00+00:00"),
        ("2026-10-31", "America/Havana", "2026-11-01T04:00:00+00:00"),  # midnight comes twice
    ],
)
def test_expiry_is_one_instant(value: str, zone: str, instant: str) -> None:
    """A day ends at its midnight in the configured zone, across daylight-saving edges too."""
    assert expiry(value, ZoneInfo(zone)).isoformat() == instant


@pytest.mark.parametrize(
    "zone", ["UTC", "Asia/Shanghai", "America/Los_Angeles", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe"]
)
@pytest.mark.parametrize("day", ["2026-03-28", "2026-03-29", "2026-10-24", "2026-10-25", "2026-12-31", "2028-02-29"])
def test_a_day_lasts_to_its_last_second(zone: str, day: str) -> None:
    """The second before the end is that day in its zone, and the end itself no longer is."""
    end = expiry(day, ZoneInfo(zone))
    assert (end - timedelta(seconds=1)).astimezone(ZoneInfo(zone)).date().isoformat() == day
    assert end.astimezone(ZoneInfo(zone)).date().isoformat() > day


@pytest.mark.parametrize(("seconds", "expired"), [(-1, False), (0, True), (1, True)])
def test_a_page_is_gone_from_the_second_it_expires(seconds: int, expired: bool) -> None:
    """Public one second before, expired at the instant itself."""
    end = expiry("2026-12-01", ZoneInfo("UTC"))
    judge = Judge(SharingSettings(), end + timedelta(seconds=seconds))
    front = read_front_matter("---\nshare: public\nexpires: 2026-12-01\n---\n")
    assert judge.decide(SourcePath("a.md"), front).expired is expired


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("index.md", ""),
        ("README.md", ""),
        ("a/_index.md", "a/"),
        ("a/README.md", "a/"),
        ("a/b.md", "a/b/"),
        ("指南/安装 说明.md", "指南/安装-说明/"),
        ("计划 (上).md", "计划-(上)/"),
        ("what?.md", "what/"),
        ("a#b.md", "ab/"),
        ("...md", "page/"),
    ],
)
def test_urls_keep_the_authors_words(path: str, url: str) -> None:
    """Unicode stays, spaces become hyphens, an index file is its folder."""
    assert url_of(SourcePath(path)) == url


def test_an_index_page_keeps_its_url_and_the_other_gets_a_suffix() -> None:
    """Nothing is overwritten when two public files want one URL."""
    wanted = [(SourcePath(p), url_of(SourcePath(p))) for p in ("专题.md", "专题/index.md")]
    urls, problems = settle(wanted)
    assert urls == {"专题/index.md": "专题/", "专题.md": "专题-page/"}
    assert [(p.code, p.path) for p in problems] == [("url-collision", "专题.md")]


def test_case_alone_does_not_make_two_urls() -> None:
    """`A.md` and `a.md` would be one file on many disks."""
    urls, _ = settle([(SourcePath(p), url_of(SourcePath(p))) for p in ("a.md", "A.md")])
    assert len({u.casefold() for u in urls.values()}) == 2


def test_a_hidden_folder_leaves_no_name() -> None:
    """Only a private folder rule hides a segment, and then all of it is one opaque segment."""
    hidden = hidden_folders((Rule("人事/**", Share.PRIVATE), Rule("公开/**", Share.PUBLIC)))
    assert public_path(SourcePath("人事/裁员计划/公告.md"), hidden) == "_/公告.md"
    assert public_path(SourcePath("公开/公告.md"), hidden) == "公开/公告.md"
