"""What `geosmin init` writes for a host: workflows that publish a repository of notes, and the stack of the function.

A workflow calls the action of the repository that this Geosmin was installed from, at the very commit, so
what publishes is what was tried here. Nobody else's repository is ever named.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from compiler import git
from compiler.errors import SettingsError

WORKFLOW, PULL_REQUEST, STACK = ".github/workflows/publish.yml", ".github/workflows/pull-request.yml", "template.yaml"
FORM = "OWNER/REPOSITORY@COMMIT"
_HOST = re.compile(r"github\.com[:/]+([\w.-]+/[\w.-]+?)(?:\.git)?/*$")
_ADDRESS = re.compile(r"[\w.-]+/[\w.-]+@[\w./-]+")
_CHECKOUT = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0"

PUBLISH_TEXT = """\
# Publishes this wiki at every push, and when a page expires. In the repository's settings, under Pages, choose
# "GitHub Actions" as the source.
name: publish
on:
  push: {branches: [main]}
  workflow_dispatch:
  repository_dispatch: {types: [geosmin]}
  schedule: [{cron: "43 * * * *"}]
permissions: {}
concurrency: {group: publish, cancel-in-progress: false}
jobs:
  publish:
    runs-on: ubuntu-24.04
    timeout-minutes: 40
    permissions: {contents: read, actions: read, pages: write, id-token: write}
    environment: {name: github-pages, url: "${{ steps.wiki.outputs.page }}"}
    steps:
      - uses: CHECKOUT
        with: {ref: "${{ github.event.repository.default_branch }}", fetch-depth: 0, persist-credentials: false}
      - id: wiki
        uses: ACTION
        with: # all of it may be missing: then the site goes to Pages and nothing to AWS
          role: ${{ vars.AWS_ROLE }}
          region: ${{ vars.AWS_REGION }}
          function: ${{ vars.AWS_ROLE != '' }}
          anthropic-key: ${{ secrets.ANTHROPIC_API_KEY }}
          signing-key: ${{ secrets.GEOSMIN_SIGNING_KEY }}
          verify-key: ${{ secrets.GEOSMIN_VERIFY_KEY }}
          owner-secret: ${{ secrets.GEOSMIN_SECRET }}
"""
PULL_REQUEST_TEXT = """\
# Tells in the summary of the run what a pull request would publish and unpublish. It has no secret.
name: pull-request
on: pull_request
permissions: {}
jobs:
  compare:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    permissions: {contents: read}
    steps:
      - uses: CHECKOUT
        with: {fetch-depth: 0, persist-credentials: false}
      - uses: ACTION
        with: {base: "${{ github.event.pull_request.base.sha }}"}
"""


def workflows(action: str) -> dict[str, str]:
    """Return the workflows of a repository of notes by path. `action` is ``OWNER/REPOSITORY@COMMIT``, where Geosmin is.

    Raises SettingsError for anything else.
    """
    if not _ADDRESS.fullmatch(action):
        raise SettingsError(f"--action {action!r}: write {FORM}, the copy of Geosmin that you trust")
    texts = ((WORKFLOW, PUBLISH_TEXT, "publish"), (PULL_REQUEST, PULL_REQUEST_TEXT, "compare"))
    repository, _, commit = action.partition("@")
    version = importlib.metadata.version("geosmin")
    return {
        path: text.replace("CHECKOUT", _CHECKOUT).replace(
            "ACTION", f"{repository}/.github/actions/{name}@{commit} # Geosmin {version}"
        )
        for path, text, name in texts
    }


def stack() -> dict[str, str]:
    """Return the template of the function's stack by path."""
    return {STACK: resources.files("query_fn").joinpath("template.yaml").read_text("utf-8")}


def installed_from() -> str:
    """Return ``OWNER/REPOSITORY@COMMIT`` of the GitHub repository that this Geosmin was installed from, "" for none."""
    try:
        text = importlib.metadata.distribution("geosmin").read_text("direct_url.json") or "{}"
    except importlib.metadata.PackageNotFoundError:
        return ""
    told = json.loads(text)
    url, commit = str(told.get("url", "")), str(told.get("vcs_info", {}).get("commit_id", ""))
    if url.startswith("file:"):
        folder = Path(url2pathname(urlsplit(url).path))
        url, commit = (git.run(folder, *args.split()).strip() for args in ("remote get-url origin", "rev-parse HEAD"))
    found = _HOST.search(url)
    return f"{found[1]}@{commit}" if found and commit else ""
