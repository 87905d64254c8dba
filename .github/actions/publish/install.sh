#!/usr/bin/env bash
# Installs the Geosmin that this action came with: pinned libraries with their hashes, then the source itself.
set -euo pipefail
source_folder="$(cd "$GITHUB_ACTION_PATH/../../.." && pwd)"
home="$RUNNER_TEMP/geosmin"
python -m venv "$home"
pip=("$home/bin/python" -m pip install --quiet --disable-pip-version-check)
"${pip[@]}" --require-hashes --only-binary :all: --no-binary jieba -r "$source_folder/requirements/base.txt"
"${pip[@]}" --require-hashes -r "$source_folder/requirements/build.txt"
"${pip[@]}" --no-deps --no-build-isolation "$source_folder"
echo "$home/bin" >> "$GITHUB_PATH"
