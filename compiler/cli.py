"""The `geosmin` command: which commands there are, and how an error leaves.

Exit codes: 0 ok · 1 switched, with problems · 2 usage · 3 failed, nothing switched · 4 another build holds the lock.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from importlib import import_module
from typing import Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from compiler.errors import GeosminError, LockedError, SettingsError
from compiler.terminal import err, is_redacted, told
from query_fn.errors import ArtifactError

# A command's module is imported when it is called: a build needs no server and an answer no MkDocs (0.2 to 0.4 s).
COMMANDS = {
    "init": "compiler.commands.init:init",
    "build": "compiler.commands.build:build",
    "check": "compiler.commands.check:check",
    "leakcheck": "compiler.commands.leakcheck:leakcheck",
    "lint": "compiler.commands.lint:lint",
    "serve": "compiler.commands.serve:serve",
    "ask": "compiler.commands.ask:ask",
    "search": "compiler.commands.search:search",
    "package": "compiler.commands.package:bundle",
    "upload": "compiler.commands.upload:upload",
    "rollback": "compiler.commands.upload:rollback",
    "deploy": "compiler.commands.deploy:deploy",
    "answers": "compiler.commands.answers:answers",
    "due": "compiler.commands.due:due",
    "compare": "compiler.commands.compare:compare",
    "propose": "compiler.commands.propose:propose",
    "log": "compiler.commands.log:log",
    "gaps": "compiler.commands.gaps:gaps",
    "doctor": "compiler.commands.doctor:doctor",
    "eval": "compiler.evaluate.command:evaluation",
}


class _Commands(TyperGroup):
    """The commands of the table."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return all names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name, None when there is no such one."""
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        single = typer.Typer(add_completion=False, rich_markup_mode="rich")
        single.command(cmd_name)(getattr(import_module(module), function))
        return typer.main.get_command(single)


app = typer.Typer(
    name="geosmin",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback()
def geosmin() -> None:
    """Compile a Markdown knowledge base into a wiki that answers. · 把 Markdown 知识库编译成能回答问题的维基。"""


def main() -> None:
    """Run the command; every error leaves as a sentence and an exit code."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    gc.set_threshold(50_000, 20, 100)  # a build makes millions of values and few cycles: a tenth of its time
    try:
        app()
    except SettingsError as error:
        _fail(str(error), 2)
    except LockedError as error:
        _fail(str(error), 4)
    except (GeosminError, ArtifactError) as error:
        hint = "; run `geosmin build` first" if isinstance(error, ArtifactError) else ""
        _fail(f"{told(error)}{hint}", 3)
    except KeyboardInterrupt:
        _fail("interrupted; what was served before is still served", 3)
    except Exception as error:
        logging.getLogger("geosmin").debug("uncaught", exc_info=True)
        _fail(f"{told(error)} — what is served is whole, the build before or this one; GEOSMIN_DEBUG=1 shows where", 3)


def _fail(message: str, code: int) -> None:
    if os.environ.get("GEOSMIN_DEBUG") and code == 3 and not is_redacted():
        err.print_exception()
    err.print(f"[red]error[/] {escape(message)}")
    sys.exit(code)


if __name__ == "__main__":
    main()
