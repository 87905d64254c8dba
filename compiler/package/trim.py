"""What of the libraries is never loaded by the function: about a third of their bytes."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

# Patterns of paths below the bundle's root. The smoke test answers from what is left.
UNUSED = (
    "bin/*",
    "*/tests/*",
    "*/__pycache__/*",
    "*.pyi",
    "*.pxd",
    "*.a",
    "*.h",
    "*.hpp",
    "*.pyx",
    "*.dist-info/RECORD",  # lists what is no longer there
    "*.dist-info/INSTALLER",
    "*.dist-info/REQUESTED",
    "*.dist-info/sboms/*",
    "numpy/f2py/*",
    "numpy/_core/include/*",
    "numpy/_pyinstaller/*",
    "onnxruntime/transformers/*",
    "onnxruntime/quantization/*",
    "onnxruntime/tools/*",
    "onnxruntime/datasets/*",
    "onnxruntime/backend/*",
    "onnxruntime/capi/libonnxruntime.so*",  # for programs in C: the Python module holds the same code again
    "boto3/examples/*",
)
_SERVICES = ("dynamodb", "s3")  # of the 400 that botocore describes


def trim(folder: Path) -> None:
    """Delete what the function does not load, and folders that are empty then."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif _unused(path.relative_to(folder).as_posix()):
            path.unlink()


def _unused(name: str) -> bool:
    parts = name.split("/")
    if parts[:2] == ["botocore", "data"] and len(parts) > 3:
        return parts[2] not in _SERVICES
    return any(fnmatchcase(name, pattern) for pattern in UNUSED)
