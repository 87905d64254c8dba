"""Writes the finished site through MkDocs and Material. Everything that knows MkDocs is in this file.

MkDocs parses nothing: each page arrives as a finished body with its table of contents, MkDocs wraps it in the templates
of `site_template/overrides` and Material's stylesheet dresses it. Its working folder is empty and temporary, so it
never sees the owner's content. Material's script stays out: no inline script, no outside address.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")  # Material prints an end-of-life banner when it is imported

from jinja2 import Environment
from mkdocs.commands.build import build
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents
from mkdocs.utils.templates import TemplateContext

from compiler.errors import BuildError
from compiler.model import Site, SitePage
from compiler.site import assets
from compiler.site.listing import file_path
from compiler.site.view import Views
from compiler.site.words import TEMPLATE, fill, words

Progress = Callable[[int, int], None]  # pages written, pages in all


def render(site: Site, out: Path, *, progress: Progress | None = None) -> tuple[str, ...]:
    """Write the whole site into `out`, which is emptied first; return MkDocs' warnings.

    Raises BuildError when two things want one path, a path leaves the site, or MkDocs fails.
    """
    _check_paths(site)
    with tempfile.TemporaryDirectory(prefix="geosmin-site-") as stage, _quiet() as warnings:
        config = _config(site, Path(stage), out)
        config.plugins["geosmin"] = finished = _Finished(site, progress)
        try:
            build(config)
        except (MkDocsException, SystemExit) as error:
            raise BuildError(f"the site could not be written: {error}; {'; '.join(warnings)}") from error
    _write_attachments(site, out)
    _write_redirects(site, out)
    assets.write(site, out, finished.theme_css)
    return tuple(warnings)


def _check_paths(site: Site) -> None:
    """Raise BuildError when two pages, files or redirects want the same path, or one leaves the site."""
    taken: dict[str, str] = {"404.html": "the page for lost readers", "sitemap.xml": "the sitemap"}
    urls = [p.url for p in site.pages] + [a.url for a in site.attachments] + list(site.redirects)
    for url in urls:
        path = file_path(url)
        if path in taken:
            raise BuildError(f"{url!r} and {taken[path]!r} both want the file {path}")
        taken[path] = url


def _config(site: Site, stage: Path, out: Path) -> MkDocsConfig:
    """Return a validated configuration without plugins."""
    (stage / "docs").mkdir()
    config = MkDocsConfig(config_file_path=str(stage / "mkdocs.yml"))
    config.load_dict(
        {
            "site_name": site.title,
            "site_url": site.site_url or None,
            "docs_dir": str(stage / "docs"),
            "site_dir": str(out.resolve()),
            "use_directory_urls": True,
            "plugins": [],
            "nav": [],
            "theme": {
                "name": "material",
                "custom_dir": str(TEMPLATE / "overrides"),
                "font": False,
                "language": "zh" if site.lang.startswith("zh") else "en",
            },
        }
    )
    errors, _ = config.validate()
    if errors:
        raise BuildError("; ".join(f"{key}: {error}" for key, error in errors))
    return config


class _FinishedPage(Page):
    """A page that is finished before MkDocs meets it."""

    def __init__(self, page: SitePage, file: File, config: MkDocsConfig, stamp: str) -> None:
        super().__init__(page.title, file, config)
        self.given = page
        self.update_date = _iso_date(page.updated) or stamp

    def read_source(self, config: MkDocsConfig) -> None:
        """Set what MkDocs wants to have read; nothing is read."""
        self.markdown, self.meta = "", {}

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Hand the finished body over; nothing is parsed."""
        self.content, self.toc = self.given.html, TableOfContents([])

    def validate_anchor_links(self, *, files: Files, log_level: int) -> None:
        """Links were resolved by the parser; there is nothing to check again."""


def _iso_date(text: str | None) -> str:
    """Return the date of an ISO date or date-time, or "" when it is neither."""
    try:
        return date.fromisoformat((text or "")[:10]).isoformat()
    except ValueError:
        return ""


class _NoOptions(Config):  # type: ignore[no-untyped-call]
    """Our plugin object is made in code and has nothing to configure."""


class _Finished(BasePlugin[_NoOptions]):  # type: ignore[no-untyped-call]
    """Our own plugin object: hands pages over and keeps Material's script out of the site."""

    def __init__(self, site: Site, progress: Progress | None) -> None:
        super().__init__()
        self.site, self.progress, self.written = site, progress, 0
        self.stamp = datetime.fromtimestamp(site.stamp, UTC).strftime("%Y-%m-%d")
        self.views = Views.of(site)
        self.theme_css = Path()

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Keep the theme's stylesheet in mind, leave its other files out, and add the finished pages."""
        sheets = [str(file.abs_src_path) for file in files if assets.is_theme_stylesheet(file.src_uri)]
        if len(sheets) != 1:
            raise BuildError(f"expected one stylesheet in the Material theme, found {len(sheets)}")
        self.theme_css = Path(sheets[0])
        self.views.assets = assets.folder(self.theme_css)
        made = Files([])
        for page in self.site.pages:
            path = file_path(page.url).removesuffix("index.html") + "index.md"
            file = File.generated(config, path, content="")
            _FinishedPage(page, file, config, self.stamp)
            made.append(file)
        return made

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Escape everything our templates print; Material's own templates are written for no escaping."""
        env.autoescape = lambda name: name is not None and (TEMPLATE / "overrides" / name).is_file()
        env.trim_blocks = env.lstrip_blocks = True
        return env

    def on_page_context(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Give the template our own view of the page."""
        assert isinstance(page, _FinishedPage)
        context.update(self.views.page(page.given))  # type: ignore[typeddict-item]
        return context

    def on_template_context(
        self, context: TemplateContext, *, template_name: str, config: MkDocsConfig
    ) -> TemplateContext:
        """Give the 404 page, which is shown at any depth, absolute links below the base path."""
        context.update(self.views.lost())  # type: ignore[typeddict-item]
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Report progress."""
        self.written += 1
        if self.progress:
            self.progress(self.written, len(self.site.pages))
        return output


@contextmanager
def _quiet() -> Iterator[list[str]]:
    """Keep MkDocs off the terminal and yield the list that gathers its warnings."""
    logger, gathered = logging.getLogger("mkdocs"), []

    class Gather(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            gathered.append(record.getMessage())

    handler, before = Gather(logging.WARNING), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield gathered
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


def _write_attachments(site: Site, out: Path) -> None:
    """Copy the attachments to their places."""
    for item in site.attachments:
        target = out / file_path(item.url)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(item.data)


def _write_redirects(site: Site, out: Path) -> None:
    """Write one small page per redirect: a canonical link, a refresh, and a sentence."""
    for old, new in sorted(site.redirects.items()):
        target = out / file_path(old)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = fill("redirect.html", lang=site.lang, old=old, new=new, site=site, t=words(site.lang))
        target.write_text(text, "utf-8")
