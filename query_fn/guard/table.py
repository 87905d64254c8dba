"""One DynamoDB table: opened when it is first needed, and every fault of it has one name."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from query_fn.guard.counters import StoreDown

SECONDS = 1.0  # to connect and to answer; a slow store must not hold a reader up
REST = 10.0  # seconds in which a table that gave no answer is not asked again


class Table:
    """A table with the string key ``id`` and the time to live ``until`` (UTC epoch seconds)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._rests_until = float("-inf")
        self._clients: dict[int, Any] = {}  # by how often a call is tried

    @property
    def client(self) -> Any:
        """The service's client, one for all threads. A call whose reply is lost is made a second time."""
        return self._made(2)

    @property
    def once(self) -> Any:
        """A client that makes each call once: a lost reply may be that of a call that was done."""
        return self._made(1)

    def _made(self, attempts: int) -> Any:
        with self._lock:
            if attempts not in self._clients:
                import boto3  # 0.4 s
                from botocore.config import Config

                retries = {"total_max_attempts": attempts, "mode": "standard"}
                wanted = Config(connect_timeout=SECONDS, read_timeout=SECONDS, retries=retries, max_pool_connections=50)
                self._clients[attempts] = boto3.client("dynamodb", config=wanted)
            return self._clients[attempts]

    @contextmanager
    def asking(self) -> Iterator[list[str]]:
        """Turn what AWS raises into StoreDown; a condition that was not met is put into the list.

        A table that gave no answer is left alone for REST seconds: a question asks it up to six times.
        """
        from botocore.exceptions import BotoCoreError, ClientError

        if time.monotonic() < self._rests_until:
            raise StoreDown("it gave no answer a moment ago")
        refused: list[str] = []
        try:
            yield refused
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            if code != "ConditionalCheckFailedException":
                raise StoreDown(code) from error
            refused.append(code)
        except BotoCoreError as error:
            self._rests_until = time.monotonic() + REST
            raise StoreDown(type(error).__name__) from error
