"""The owner's templates: called before ours, run in Jinja's sandbox, and held to the policy of every page."""

from __future__ import annotations

import re

from jinja2 import BaseLoader, ChoiceLoader, DictLoader, Environment, FileSystemLoader, PrefixLoader, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import escape

from compiler.errors import BuildError
from compiler.model import Theme
from compiler.site.words import TEMPLATE

OURS = "geosmin"  # `{% extends "geosmin/main.html" %}` is our template, whatever the owner has of that name
_LOADS = re.compile(r"<(?:script|link|style|base|img|iframe)\b", re.IGNORECASE)


def environment(given: Environment, theme: Theme) -> Environment:
    """Return the environment that pages are made in. Templates of ours and of the owner escape what they print.

    The owner's run in a sandbox: a copy of a repository must not be able to run code in a build.
    """
    overrides = TEMPLATE / "overrides"
    made = given
    if theme.templates:
        made = ImmutableSandboxedEnvironment(loader=_loader(given.loader, theme), auto_reload=False)
        made.filters.update(given.filters)
        made.globals.update(given.globals)
    made.autoescape = lambda name: (
        name is not None and (name in theme.templates or name.startswith(f"{OURS}/") or (overrides / name).is_file())
    )
    made.trim_blocks = made.lstrip_blocks = True
    return made


def _loader(given: BaseLoader | None, theme: Theme) -> BaseLoader:
    ours = FileSystemLoader(TEMPLATE / "overrides")
    return ChoiceLoader([DictLoader(theme.templates), PrefixLoader({OURS: ours}), *([given] if given else [])])


def check(html: str, url: str, policy: str) -> None:
    """Raise BuildError unless a page made with the owner's templates has its policy before anything that it rules."""
    head, found, _ = html.partition(f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">')
    if not found or _LOADS.search(head):
        raise BuildError(
            f"_theme/overrides: the page {url or 'home'!r} has lost its content security policy, or loads something "
            f'before it; extend "{OURS}/partials/g-frame.html" and fill its blocks'
        )


def failure(error: TemplateError) -> BuildError:
    """Return what the owner is told of a template that does not work."""
    where = f"{getattr(error, 'name', None) or 'a template'}:{getattr(error, 'lineno', '?')}"
    return BuildError(f"_theme/overrides/{where}: {error.message or error}")
