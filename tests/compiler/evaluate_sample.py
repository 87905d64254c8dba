"""A bilingual question set of twenty documents, and the same as a content folder. Texts are made up for the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ENGLISH = {
    "kiln": ("The kiln", "The kiln reaches 1,240 degrees. It takes nine hours to cool down."),
    "glaze": ("Glazes", "The blue glaze holds cobalt oxide. Stir it before use."),
    "wheel": ("Wheels", "Every potter's wheel is oiled on the first Monday of a month."),
    "clay": ("Clay", "Stoneware clay is kept in the cellar, wrapped in wet jute."),
    "fees": ("Fees", "A seat costs 35 crowns an evening; students pay 20 crowns."),
    "keys": ("Keys", "Spare keys hang behind the counter of Mrs Aldina Voss."),
    "dust": ("Dust", "Sweep with a wet mop: dry dust harms the lungs."),
    "fair": ("The fair", "The autumn fair fills the courtyard with forty stalls."),
    "tools": ("Tools", "Ribs, needles and loops lie in the third drawer."),
    "waste": ("Waste", "Leftover slip is dried on plaster and thrown again."),
}
CHINESE = {
    "菜园": ("菜园", "菜园在河的南岸，共有十六块地。"),
    "浇水": ("浇水", "夏天每天清晨六点浇水，中午不要浇。"),
    "堆肥": ("堆肥", "堆肥要翻三次，温度到六十度才算熟。"),
    "种子": ("种子", "种子放在铁盒里，由管理员周蓝保管。"),
    "工具": ("农具", "锄头和铲子用完要擦干，挂在木棚里。"),
    "番茄": ("番茄", "番茄苗在四月下旬移栽，株距五十厘米。"),
    "蜜蜂": ("蜜蜂", "蜂箱朝东南，靠近时不要穿深色衣服。"),
    "费用": ("租金", "一块地一年的租金是三百元，押金一百元。"),
    "采摘": ("采摘", "草莓在上午采摘，放进浅竹篮。"),
    "围栏": ("围栏", "围栏高一米二，每年春分刷一次桐油。"),
}
TEXTS = ENGLISH | CHINESE
QUERIES: list[dict[str, Any]] = [
    {"id": "e1", "text": "How hot does the kiln get?", "relevant": ["kiln"], "answers": ["1,240 degrees"], "type": "number"},
    {"id": "e2", "text": "What does the blue glaze hold?", "relevant": ["glaze"], "answers": ["cobalt oxide"]},
    {"id": "e3", "text": "When are the potter's wheels oiled?", "relevant": ["wheel"], "answers": ["Monday"]},
    {"id": "e4", "text": "How long does it take to cool down?", "context": "How hot does the kiln get?", "relevant": ["kiln"], "answers": ["nine hours"], "type": "follow-up"},
    {"id": "z1", "text": "夏天几点浇水？", "relevant": ["浇水"], "answers": ["六点"], "type": "number"},
    {"id": "z2", "text": "种子由谁保管？", "relevant": ["种子"], "answers": ["周蓝"]},
    {"id": "z3", "text": "番茄苗什么时候移栽？", "relevant": ["番茄"], "answers": ["四月下旬"]},
    {"id": "n1", "text": "Which airline flies to Reykjavik?", "relevant": [], "answerable": False, "answers": []},
    {"id": "n2", "text": "量子计算机怎样纠错？", "relevant": [], "answerable": False, "answers": []},
    {"id": "u1", "text": "Where is the nearest bakery?", "relevant": []},
]  # fmt: skip


def make_set(folder: Path, texts: dict[str, tuple[str, str]] | None = None) -> Path:
    """Write a set: `docs.jsonl` of `texts` (default: all twenty) and `queries.jsonl`."""
    folder.mkdir(parents=True)
    docs = [{"id": name, "title": title, "text": text} for name, (title, text) in (texts or TEXTS).items()]
    _write(folder / "docs.jsonl", docs)
    _write(folder / "queries.jsonl", QUERIES)
    return folder


def make_pages(folder: Path) -> Path:
    """Write the documents as a content folder of two languages below `site/`, and questions that name its files."""
    for name, (title, text) in TEXTS.items():
        place = folder / "repo" / "site" / ("en" if name in ENGLISH else "zh") / f"{name}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"# {title}\n\n{text}\n", "utf-8")
    files = {name: f"{'en' if name in ENGLISH else 'zh'}/{name}.md" for name in TEXTS}
    asked = [item | {"relevant_files": [files[name] for name in item["relevant"]], "relevant": []} for item in QUERIES]
    _write(folder / "queries.jsonl", asked)
    return folder


def _write(path: Path, items: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), "utf-8")
