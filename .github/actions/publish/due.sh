#!/usr/bin/env bash
# An hourly run builds when a page has expired since the last run that went well, or when that run was of another commit.
set -euo pipefail
last="$(gh run list --workflow "$GITHUB_WORKFLOW" --status success --limit 1 --json createdAt,headSha)"
since="$(jq -r '.[0] | select(.headSha == env.GITHUB_SHA) | .createdAt' <<< "$last")"
echo "due=$(geosmin due --content "$CONTENT" --since "$since")" >> "$GITHUB_OUTPUT"
