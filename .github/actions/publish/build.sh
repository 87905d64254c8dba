#!/usr/bin/env bash
# Exit code 1 publishes: some files stayed private because of an error, and the rest is whole. Anything else stops.
set -euo pipefail
code=0
geosmin build --redact --content "$CONTENT" "$@" || code=$?
if [ "$code" -eq 1 ]; then
  echo "::warning::some files have errors and stayed private; everything else is published"
elif [ "$code" -ne 0 ]; then
  exit "$code"
fi
