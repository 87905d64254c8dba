#!/usr/bin/env bash
# The comparison goes to the run's summary and, for a comment, to the step's output.
set -euo pipefail
file="$RUNNER_TEMP/comparison.md"
geosmin compare "$BASE" --content "$CONTENT" ${QUESTIONS:+--questions "$QUESTIONS"} > "$file"
cat "$file" >> "$GITHUB_STEP_SUMMARY"
end="end-$RANDOM$RANDOM$RANDOM" # a title could hold a word that is known beforehand
{
  echo "comment<<$end"
  cat "$file"
  echo "$end"
} >> "$GITHUB_OUTPUT"
