"""One JSON line for each request and each verdict: what happened and how long it took, and nothing of the reader.

A question is written as a keyed hash, its words only when the owner asks for them. The line is also CloudWatch's
embedded metric format, so a log line on standard output is a metric without a call.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sys
import time
from collections.abc import Mapping
from typing import Any

LOGGERS = ("geosmin.records", "geosmin.feedback")
LONGEST = 500  # characters of a question or a comment that are written at most
_log = logging.getLogger(LOGGERS[0])


def write(event: str, fields: Mapping[str, Any], *, metrics: Mapping[str, str] | None = None) -> None:
    """Write one line. `metrics` names fields that are numbers, with their units; strings are escaped to ASCII."""
    line: dict[str, Any] = {"event": event, **fields}
    if metrics:
        units = [{"Name": name, "Unit": unit} for name, unit in metrics.items() if name in fields]
        place = {"Namespace": "Geosmin", "Dimensions": [["route"]], "Metrics": units}
        line["_aws"] = {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [place]}
    _log.info(json.dumps(line, ensure_ascii=True))


def asked(question: str, *, secret: bytes | None, words: bool) -> dict[str, str]:
    """Return what may be written of a question: a hash that only this function can make, and the words if wanted."""
    folded = " ".join(question.casefold().split())
    digest = hashlib.blake2b(folded.encode(), key=(secret or b"")[:64], digest_size=12).hexdigest()
    return {"question": digest, **({"text": question[:LONGEST]} if words else {})}


def to_standard_output() -> None:
    """Let the lines leave as they are: Lambda's own log format would hide the metrics in them."""
    plain = logging.StreamHandler(sys.stdout)
    for log in map(logging.getLogger, LOGGERS):
        log.handlers, log.propagate = [plain], False
        log.setLevel(logging.INFO)
