"""Writes the finished site through MkDocs and Material. Everything that knows MkDocs is in this file.

MkDocs parses nothing: each page arrives as a finished body with its table of contents, MkDocs wraps it in the templates
of `site_template/overrides` and Material's stylesheet dresses it. Its working folder is empty and temporary, so it
never sees the owner's content. Material's script stays out: no inline script, no outside address.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")  # Material prints an end-of-life banner when it is imported

from jinja2 import Environment, TemplateError
from mkdocs.commands.build import build
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents
from mkdocs.utils import clean_directory
from mkdocs.utils.templates import TemplateContext

from compiler.errors import BuildError
from compiler.model import Site, SitePage
from compiler.site import assets, feeds, own, syndication
from compiler.site.listing import file_path
from compiler.site.shelf import Shelf
from compiler.site.view import Views
from compiler.site.words import TEMPLATE, fill, words

LOST = "404.html"
UNLISTED = ("search", "unlock")  # kinds of page that hold nothing by themselves
Progress = Callable[[int, int], None]  # pages written, pages in all


def render(site: Site, out: Path, *, shelf: Shelf | None = None, progress: Progress | None = None) -> tuple[str, ...]:
    """Write the whole site into `out`, which is emptied first; return MkDocs' warnings.

    Only pages that are not on the `shelf` go through MkDocs, and without one it is not started.

    Raises BuildError when two things want one path, a path leaves the site, or MkDocs fails.
    """
    _check_paths(site)
    with tempfile.TemporaryDirectory(prefix="geosmin-site-") as stage, _quiet() as warnings:
        config = _config(site, Path(stage), out)
        theme_css = assets.theme_stylesheet(config.theme.dirs)
        views = Views.of(site, assets.folder(theme_css, site.theme))
        _write_pages(site, out, shelf or Shelf(), config=config, finished=_Finished(site, views, progress))
    _write_attachments(site, out)
    _write_redirects(site, out)
    assets.write(site, out, theme_css)
    dated = [(page.url, page.updated) for page in site.pages if page.kind not in UNLISTED]
    sitemap = feeds.sitemap_xml(dated, site_url=site.site_url, stamp=site.stamp)
    feeds.write(out, {"sitemap.xml": sitemap, **syndication.feeds(site)})
    return tuple(warnings)


def _write_pages(site: Site, out: Path, shelf: Shelf, *, config: MkDocsConfig, finished: _Finished) -> None:
    """Wrap what is new, and take over what is not."""
    parts = {file_path(page.url): finished.views.parts(page) for page in site.pages} | {
        LOST: finished.views.parts(None)
    }
    known = {path for path, inputs in parts.items() if shelf.has(path, inputs)}
    finished.pages = [page for page in site.pages if file_path(page.url) not in known]
    config.plugins["geosmin"] = finished
    clean_directory(str(out))
    if len(known) < len(parts):
        try:
            build(config)
        except TemplateError as error:
            raise own.failure(error) from error
        except (MkDocsException, SystemExit) as error:
            raise BuildError(f"the site could not be written: {error}") from error
    for path in sorted(parts):
        if path in known:
            (out / path).unlink(missing_ok=True)  # MkDocs writes the page for lost readers every time
            shelf.take(path, out)
        else:
            shelf.put(path, parts[path], out)


def _check_paths(site: Site) -> None:
    """Raise BuildError when two pages, files or redirects want the same path, or one leaves the site."""
    taken = {LOST: "the page for lost readers", "sitemap.xml": "the sitemap"}
    taken |= {syndication.ATOM: "a feed", syndication.RSS: "a feed"}
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
            **site.theme.options,
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
    config.theme.static_templates.discard("sitemap.xml")  # ours names the pages that are taken over, too
    return config


class _FinishedPage(Page):
    """A page that is finished before MkDocs meets it."""

    def __init__(self, page: SitePage, file: File, config: MkDocsConfig) -> None:
        super().__init__(page.title, file, config)
        self.given = page

    def read_source(self, config: MkDocsConfig) -> None:
        """Set what MkDocs wants to have read; nothing is read."""
        self.markdown, self.meta = "", {}

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Hand the finished body over; nothing is parsed."""
        self.content, self.toc = self.given.html, TableOfContents([])

    def validate_anchor_links(self, *, files: Files, log_level: int) -> None:
        """Links were resolved by the parser; there is nothing to check again."""


class _NoOptions(Config):  # type: ignore[no-untyped-call]
    """Our plugin object is made in code and has nothing to configure."""


class _Finished(BasePlugin[_NoOptions]):  # type: ignore[no-untyped-call]
    """Our own plugin object: hands pages over and keeps Material's script out of the site."""

    def __init__(self, site: Site, views: Views, progress: Progress | None) -> None:
        super().__init__()
        self.pages: Sequence[SitePage] = site.pages
        self.theme, self.views, self.progress, self.written = site.theme, views, progress, 0

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Leave the theme's files out, and add the finished pages."""
        made = Files([])
        for page in self.pages:
            path = file_path(page.url).removesuffix("index.html") + "index.md"
            file = File.generated(config, path, content="")
            _FinishedPage(page, file, config)
            made.append(file)
        return made

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Escape everything our templates print; Material's own templates are written for no escaping."""
        return own.environment(env, self.theme)

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
        """Hold the page to its policy, and report progress."""
        assert isinstance(page, _FinishedPage)
        self._checked(output, page.given.url, self.views.page_policy(page.given))
        self.written += 1
        if self.progress:
            self.progress(self.written, len(self.pages))
        return output

    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Hold the page for lost readers to its policy."""
        self._checked(output_content, LOST, self.views.policy)
        return output_content

    def _checked(self, html: str, url: str, policy: str) -> None:
        if self.theme.templates:
            own.check(html, url, policy)


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
