#!/usr/bin/env bash
# Proves to AWS which workflow this is: GitHub's signed token goes into a file, and AWS's clients trade it for an hour
# as the role. No key is kept anywhere.
set -euo pipefail
umask 077
token="$RUNNER_TEMP/aws-token"
curl --silent --show-error --fail --header "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \
  "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=sts.amazonaws.com" | jq --exit-status --join-output .value > "$token"
{
  echo "AWS_WEB_IDENTITY_TOKEN_FILE=$token"
  echo "AWS_ROLE_ARN=$ROLE"
  echo "AWS_ROLE_SESSION_NAME=geosmin-$GITHUB_RUN_ID"
  echo "AWS_REGION=$REGION"
  echo "AWS_DEFAULT_REGION=$REGION"
} >> "$GITHUB_ENV"
