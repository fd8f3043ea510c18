"""Find the data folders: collectors, reports, schema and published."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_SHIPPED = _PACKAGE / "_data"  # in an installed wheel; a checkout has none


def folder(name: str) -> Path:
    """Return the folder *name*, from the wheel if installed, else from the checkout."""
    root = _SHIPPED if _SHIPPED.is_dir() else _PACKAGE.parent
    path = root / name
    if not path.is_dir():
        raise FileNotFoundError(f"this installation of benchdb lacks {path}")
    return path
