"""The counters of all containers, in one DynamoDB table: an item for each key, the sums in ``n``, ``n1``, …"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from query_fn.guard.table import Table, failing_as_down

if TYPE_CHECKING:
    from collections.abc import Mapping

    from query_fn.guard.counters import Amounts


class DynamoCounters:
    """Counters by conditional updates: the table adds, so no two containers can pass a limit together."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def take(self, key: str, amounts: Amounts, *, limits: Amounts, until: int) -> bool:
        """Add when all fit; it is one update, so there is no moment in which one is added and the other is not."""
        room = [limit - amount for amount, limit in zip(amounts, limits, strict=True)]
        if min(room) < 0:
            return False
        fits = [f"(attribute_not_exists({name}) OR {name} <= :most_{name})" for name in _names(amounts)]
        most = {f":most_{name}": {"N": str(free)} for name, free in zip(_names(amounts), room, strict=True)}
        with failing_as_down() as refused:
            self._add(key, amounts, until, most, ConditionExpression=" AND ".join(fits))
        return not refused

    def give(self, key: str, amounts: Amounts, *, until: int) -> None:
        """Add in any case."""
        with failing_as_down():
            self._add(key, amounts, until, {})

    def flag(self, key: str) -> str:
        """Return the attribute ``word`` of an item."""
        with failing_as_down():
            item = self._table.client.get_item(TableName=self._table.name, Key={"id": {"S": key}}).get("Item", {})
        return str(item.get("word", {}).get("S", ""))

    def _add(self, key: str, amounts: Amounts, until: int, values: Mapping[str, Any], **more: str) -> None:
        added = {f":{name}": {"N": str(amount)} for name, amount in zip(_names(amounts), amounts, strict=True)}
        sums = ", ".join(f"{name} :{name}" for name in _names(amounts))
        self._table.client.update_item(
            TableName=self._table.name,
            Key={"id": {"S": key}},
            UpdateExpression=f"ADD {sums} SET #until = :until",
            ExpressionAttributeNames={"#until": "until"},
            ExpressionAttributeValues={":until": {"N": str(until)}, **added, **values},
            **more,
        )


def _names(amounts: Amounts) -> list[str]:
    return [f"n{place or ''}" for place in range(len(amounts))]
