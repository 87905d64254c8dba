#!/bin/sh
# For AWS_LAMBDA_EXEC_WRAPPER: the managed runtime calls this with its interpreter, and a loop that streams takes over.
cd "$LAMBDA_TASK_ROOT" && exec "$1" -m query_fn.runtime
