"""The counters of all containers, in one DynamoDB table: string key ``id``, number ``n``, time to live ``until``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from query_fn.guard.counters import StoreDown

SECONDS = 1.0  # to connect and to answer; a slow store must not hold a reader up

if TYPE_CHECKING:
    from collections.abc import Mapping


class DynamoCounters:
    """Counters by conditional updates: the table adds, so no two containers can pass the limit together."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._client: Any = None

    def take(self, key: str, amount: int, *, limit: int, until: int) -> bool:
        """Add when it fits."""
        if amount > limit:
            return False
        fits = {"ConditionExpression": "attribute_not_exists(n) OR n <= :most"}
        with _failing_as_down() as refused:
            self._add(key, amount, until, {**fits, "most": {":most": {"N": str(limit - amount)}}})
        return not refused

    def give(self, key: str, amount: int, *, until: int) -> None:
        """Add in any case."""
        with _failing_as_down():
            self._add(key, amount, until, {})

    def flag(self, key: str) -> str:
        """Return the attribute ``word`` of an item."""
        with _failing_as_down():
            item = self._opened().get_item(TableName=self._table, Key={"id": {"S": key}}).get("Item", {})
        return str(item.get("word", {}).get("S", ""))

    def _add(self, key: str, amount: int, until: int, extra: Mapping[str, Any]) -> None:
        more = {name: value for name, value in extra.items() if name != "most"}
        self._opened().update_item(
            TableName=self._table,
            Key={"id": {"S": key}},
            UpdateExpression="ADD n :amount SET #until = :until",
            ExpressionAttributeNames={"#until": "until"},
            ExpressionAttributeValues={
                ":amount": {"N": str(amount)},
                ":until": {"N": str(until)},
                **extra.get("most", {}),
            },
            **more,
        )

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None:
                import boto3  # 0.4 s
                from botocore.config import Config

                retries = {"total_max_attempts": 2, "mode": "standard"}
                wanted = Config(connect_timeout=SECONDS, read_timeout=SECONDS, retries=retries, max_pool_connections=50)
                self._client = boto3.client("dynamodb", config=wanted)
            return self._client


@contextmanager
def _failing_as_down() -> Iterator[list[str]]:
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
