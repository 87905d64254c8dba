"""The counters of all containers, in one DynamoDB table: an item for each key, the sums in ``n``, ``n1``, …"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from query_fn.guard.table import Table

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
        asked = self._adding(key, amounts, until, most) | {"ConditionExpression": " AND ".join(fits)}
        with self._table.asking() as refused:
            self._table.client.update_item(**asked)
        return not refused

    def give(self, key: str, amounts: Amounts, *, until: int) -> None:
        """Add in any case, and never twice: what is given back twice would be spent again."""
        with self._table.asking():
            self._table.once.update_item(**self._adding(key, amounts, until, {}))

    def flag(self, key: str) -> str:
        """Return the attribute ``word`` of an item."""
        with self._table.asking():
            item = self._table.client.get_item(TableName=self._table.name, Key={"id": {"S": key}}).get("Item", {})
        return str(item.get("word", {}).get("S", ""))

    def _adding(self, key: str, amounts: Amounts, until: int, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request that adds; `values` are those of its condition."""
        added = {f":{name}": {"N": str(amount)} for name, amount in zip(_names(amounts), amounts, strict=True)}
        sums = ", ".join(f"{name} :{name}" for name in _names(amounts))
        return {
            "TableName": self._table.name,
            "Key": {"id": {"S": key}},
            "UpdateExpression": f"ADD {sums} SET #until = :until",
            "ExpressionAttributeNames": {"#until": "until"},
            "ExpressionAttributeValues": {":until": {"N": str(until)}, **added, **values},
        }


def _names(amounts: Amounts) -> list[str]:
    return [f"n{place or ''}" for place in range(len(amounts))]
