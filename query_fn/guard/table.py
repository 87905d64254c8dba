"""One DynamoDB table: opened when it is first needed, and every fault of it has one name."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from query_fn.guard.counters import StoreDown

SECONDS = 1.0  # to connect and to answer; a slow store must not hold a reader up


class Table:
    """A table with the string key ``id`` and the time to live ``until`` (UTC epoch seconds)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._client: Any = None

    @property
    def client(self) -> Any:
        """The service's client, one for all threads."""
        with self._lock:
            if self._client is None:
                import boto3  # 0.4 s
                from botocore.config import Config

                retries = {"total_max_attempts": 2, "mode": "standard"}
                wanted = Config(connect_timeout=SECONDS, read_timeout=SECONDS, retries=retries, max_pool_connections=50)
                self._client = boto3.client("dynamodb", config=wanted)
            return self._client


@contextmanager
def failing_as_down() -> Iterator[list[str]]:
    """Turn what AWS raises into StoreDown; a condition that was not met is put into the list."""
    from botocore.exceptions import BotoCoreError, ClientError

    refused: list[str] = []
    try:
        yield refused
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code != "ConditionalCheckFailedException":
            raise StoreDown(code) from error
        refused.append(code)
    except BotoCoreError as error:
        raise StoreDown(type(error).__name__) from error
