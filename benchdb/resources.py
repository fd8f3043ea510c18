"""Find the data folders: collectors, reports, schema and published."""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path

from benchdb.user_data import config_folder

_PACKAGE = Path(__file__).resolve().parent
_SHIPPED = _PACKAGE / "_data"  # in an installed wheel; a checkout has none


def folder(name: str) -> Path:
    """Return the folder *name*, from the wheel if installed, else from the checkout."""
    root = _SHIPPED if _SHIPPED.is_dir() else _PACKAGE.parent
    path = root / name
    if not path.is_dir():
        raise FileNotFoundError(f"this installation of benchdb lacks {path}")
    return path


@cache
def program() -> bytes:
    """Return the digest of program, templates, messages and catalogues."""
    whole = hashlib.sha256()
    catalogue = folder("collectors") / "catalogue"
    for place in (_PACKAGE, folder("reports"), folder("schema"), catalogue):
        for path in sorted(place.rglob("*")):
            if path.suffix in {".py", ".j2", ".po", ".css", ".js", ".json", ".svg"}:
                whole.update(path.name.encode() + path.read_bytes())
    with suppress(OSError):  # workloads and metrics of one's own, if there are some
        whole.update((config_folder() / "catalogue.toml").read_bytes())
    return whole.digest()
