"""A folder as a zip whose bytes depend on names and contents alone."""

from __future__ import annotations

import zipfile
from pathlib import Path

_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold
_UNIX = 3
_FILE, _PROGRAM = 0o100644 << 16, 0o100755 << 16


def write_zip(folder: Path, out: Path) -> int:
    """Write all files of `folder` to `out`, in the order of their names, and return the bytes of the zip."""
    out.parent.mkdir(parents=True, exist_ok=True)
    aside = out.with_name(f".{out.name}.part")
    with zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _DATE)
            entry.create_system, entry.compress_type = _UNIX, zipfile.ZIP_DEFLATED
            entry.external_attr = _PROGRAM if {".so", ".sh"} & set(path.suffixes) else _FILE
            archive.writestr(entry, path.read_bytes())
    aside.replace(out)
    return out.stat().st_size
