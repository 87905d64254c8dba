"""Runs a workflow's shell steps on this machine, in order: GitHub's own actions are left out, a local one is entered.

Only the part of the expression language that the workflows use is known: names, strings, ``== != && ||``, `always()`.
"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
_TOKEN = re.compile(r"'[^']*'|[A-Za-z_][\w.-]*(?:\(\))?|==|!=|&&|\|\||[()]")
_NOT_KEPT = ("AWS_ACCESS", "AWS_SECRET", "GEOSMIN_", "GIT_", "GITHUB_")
_WORDS = {"&&": " and ", "||": " or "}


@dataclass(frozen=True)
class Step:
    """One shell step that was run: its name, exit code, and everything it printed."""

    name: str
    code: int
    printed: str


@dataclass
class Runner:
    """A machine that runs jobs in `folder`. `context` holds github, runner, secrets and vars by their dotted names."""

    folder: Path
    temp: Path
    context: dict[str, str]
    env: Mapping[str, str]
    left_out: Collection[str] = ("install",)
    ran: list[Step] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    _more: dict[str, str] = field(default_factory=dict)
    _failed: bool = False

    def run(self, workflow: Path, job: str) -> list[Step]:
        """Run a job and return the shell steps that were run; after a failure only those with `always()` are."""
        flow = yaml.safe_load(workflow.read_text("utf-8"))
        self.temp.mkdir(parents=True, exist_ok=True)
        for step in flow["jobs"][job]["steps"]:
            self._step(step, {}, workflow.parents[2])
        return self.ran

    def names(self) -> list[str]:
        """Return the names of the steps that were run."""
        return [step.name for step in self.ran]

    def _step(self, step: Mapping[str, Any], inputs: Mapping[str, str], root: Path) -> None:
        uses = step.get("uses", "")
        if found := re.search(r"/\.github/actions/(\w+)(?:@|$)", uses):
            self._enter(step, inputs, (root if uses.startswith("./") else ROOT) / found[0].rstrip("@").lstrip("/"))
        elif "run" in step and step.get("name") not in self.left_out and self._wanted(step, inputs):
            self._shell(step, inputs)

    def _enter(self, step: Mapping[str, Any], inputs: Mapping[str, str], place: Path) -> None:
        action = yaml.safe_load((place / "action.yml").read_text("utf-8"))
        given = {key: self._text(str(value), inputs) for key, value in step.get("with", {}).items()}
        assert set(given) <= set(action["inputs"]), "an input that the action does not have"
        inner = {name: given.get(name, str(about.get("default", ""))) for name, about in action["inputs"].items()}
        self._more["GITHUB_ACTION_PATH"] = str(place)
        for one in action["runs"]["steps"]:
            assert "uses" in one or one["shell"] == "bash"
            self._step(one, inner, place)

    def _wanted(self, step: Mapping[str, Any], inputs: Mapping[str, str]) -> bool:
        condition = str(step.get("if", "'yes'"))
        return bool(self._value(condition, inputs)) and (not self._failed or "always()" in condition)

    def _shell(self, step: Mapping[str, Any], inputs: Mapping[str, str]) -> None:
        env = {key: self._text(str(value), inputs) for key, value in step.get("env", {}).items()}
        files = {
            name: self.temp / name for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")
        }
        for path in files.values():
            path.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder, capture_output=True, encoding="utf-8", check=False, timeout=300,
            env={**self.env, **self._more, **{k: str(v) for k, v in files.items()}, "RUNNER_TEMP": str(self.temp), **env},
        )  # fmt: skip
        self._more |= dict(_pairs(files["GITHUB_ENV"]))
        self.outputs |= {f"steps.{step.get('id', '')}.outputs.{k}": v for k, v in _pairs(files["GITHUB_OUTPUT"])}
        self.ran.append(Step(step.get("name", step["run"]), done.returncode, done.stdout + done.stderr))
        self._failed |= done.returncode != 0

    def _text(self, text: str, inputs: Mapping[str, str]) -> str:
        def shown(match: re.Match[str]) -> str:
            value = self._value(match[1], inputs)
            return str(value).lower() if isinstance(value, bool) else str(value)

        return re.sub(r"\$\{\{(.*?)\}\}", shown, text)

    def _value(self, expression: str, inputs: Mapping[str, str]) -> Any:
        known = {**self.context, **self.outputs, **{f"inputs.{k}": v for k, v in inputs.items()}, "always()": "yes"}
        known["runner.temp"] = str(self.temp)

        def python(token: str) -> str:
            if token[0].isalpha() or token[0] == "_":
                return repr(known.get(token, ""))
            return _WORDS.get(token, token)

        tokens = _TOKEN.findall(expression)
        assert "".join(tokens) == re.sub(r"\s+(?=(?:[^']*'[^']*')*[^']*$)", "", expression), expression
        return eval(" ".join(map(python, tokens)), {"__builtins__": {}})


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what a step wrote for later steps: ``key=value``, or ``key<<END`` with a value of many lines."""
    lines = iter(path.read_text("utf-8").splitlines())
    for line in lines:
        key, mark, end = line.partition("<<")
        if mark and "=" not in key:
            yield key, "\n".join(itertools.takewhile(lambda text, end=end: text != end, lines))
        else:
            key, _, value = line.partition("=")
            yield key, value


def machine(tools: Path, **env: str) -> dict[str, str]:
    """Return the environment of a runner: this Geosmin and the given tools on the path, no keys of any account."""
    kept = {k: v for k, v in os.environ.items() if k == "GEOSMIN_CACHE" or not k.startswith(_NOT_KEPT)}
    path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**kept, "PATH": path, "CI": "true", "COLUMNS": "200", "GITHUB_REPOSITORY": "you/notes", **env}
