#!/usr/bin/env bash
# To AWS when there is a role for it, and into a folder for GitHub Pages in any case.
set -euo pipefail
more=()
if [ -f function.zip ]; then more+=(--bundle function.zip); fi
if [ -z "$ROLE" ]; then more+=(--set deploy.builds= --set deploy.function= --set deploy.site=); fi
geosmin deploy --content "$CONTENT" --to "$RUNNER_TEMP/site" "${more[@]}"
