"""`geosmin upload` and `geosmin rollback`."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from compiler.errors import SettingsError
from compiler.terminal import CONTENT, STATE, AsJson, Content, Older, State, out, write_json
from compiler.upload import make_keys, origin
from compiler.upload import rollback as roll_back
from compiler.upload import upload as send
from query_fn.bucket import Place
from query_fn.contract import POINTER
from query_fn.signature import key_from

Where = Annotated[str, typer.Argument(metavar="s3://BUCKET/PREFIX", help="Where the builds lie.")]
Build = Annotated[Path, typer.Option("--build", help="Where the local build lies.")]


def upload(
    where: Where = "",
    build: Build = Path("dist"),
    content: Content = CONTENT,
    state: State = STATE,
    make_key: Annotated[bool, typer.Option("--make-key", help="Print a new pair of keys and end.")] = False,
    older: Older = False,
    as_json: AsJson = False,
) -> None:
    """Upload the build to S3, signed, and let the function switch to it."""
    if make_key:
        private, public = make_keys()
        write_json({"GEOSMIN_SIGNING_KEY": private, "GEOSMIN_VERIFY_KEY": public})
        return
    made_from = None if older else origin(content, state)
    build_id = send(build / POINTER / "artifacts", _place(where), key_named("GEOSMIN_SIGNING_KEY"), made_from)
    _tell(build_id, where, as_json=as_json)


def rollback(
    where: Where,
    build_id: Annotated[str, typer.Argument(metavar="BUILD", help="The id of an earlier build.")],
    build: Build = Path("dist"),
    as_json: AsJson = False,
) -> None:
    """Let the function go back to an earlier build, unless that would publish again what is not public now."""
    roll_back(build / POINTER / "artifacts", _place(where), build_id, public=key_named("GEOSMIN_VERIFY_KEY"))
    _tell(build_id, where, as_json=as_json)


def _place(where: str) -> Place:
    place = Place.of(where)
    if place is None:
        raise SettingsError(f"{where or 'nothing'}: name a place such as s3://bucket/prefix")
    if find_spec("boto3") is None:
        raise SettingsError("S3 needs boto3: pip install 'geosmin[aws]'")
    return place


def key_named(name: str) -> bytes:
    """Return a key of the environment. Raises SettingsError when it is not there."""
    key = key_from(os.environ.get(name, ""))
    if key is None:
        raise SettingsError(f"{name} is not set to a key; `geosmin upload --make-key` prints a pair")
    return key


def _tell(build_id: str, where: str, *, as_json: bool) -> None:
    if as_json:
        write_json({"build_id": build_id, "place": where})
    else:
        out.print(f"{escape(where)} serves build {build_id}")
