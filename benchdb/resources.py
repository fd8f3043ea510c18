"""Find the data folders: collectors, reports, schema and published."""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path

from benchdb.user_data import config_folder

_PACKAGE = Path(__file__).resolve().parent
_ENDINGS = {".py", ".j2", ".po", ".css", ".js", ".json", ".svg"}
_ENDINGS_OF_FACTS = {".py", ".json"}
# What no fact of a report needs (tests/cli/test_report_kept.py holds that): packages,
# the file that has the version, and what is looked at on its own.
ASIDE = {"api", "cli", "collecting", "importing", "merge", "parquet", "repository"}
ASIDE |= {"__init__.py", "_data"}
_SHIPPED = _PACKAGE / "_data"  # in an installed wheel; a checkout has none


def folder(name: str) -> Path:
    """Return the folder *name*, from the wheel if installed, else from the checkout."""
    root = _SHIPPED if _SHIPPED.is_dir() else _PACKAGE.parent
    path = root / name
    if not path.is_dir():
        raise FileNotFoundError(f"this installation of benchdb lacks {path}")
    return path


def program() -> bytes:
    """Return the digest of program, templates, messages and catalogues."""
    return digests()[0]


def program_of_facts() -> bytes:
    """Return the digest of what decides about the facts of a report.

    It leaves out how pages look, what they say in a language, how figures come into a
    database and who asks for them.
    """
    return digests()[1]


@cache
def digests() -> tuple[bytes, bytes]:
    """Return both: of the whole program, and of what decides about facts."""
    whole, facts = hashlib.sha256(), hashlib.sha256()
    catalogue = folder("collectors") / "catalogue"
    for place in (_PACKAGE, folder("reports"), folder("schema"), catalogue):
        for path in sorted(place.rglob("*")):
            if path.suffix in _ENDINGS:
                content = path.name.encode() + path.read_bytes()
                whole.update(content)
                aside = place == _PACKAGE and path.relative_to(place).parts[0] in ASIDE
                if path.suffix in _ENDINGS_OF_FACTS and not aside:
                    facts.update(content)
    with suppress(OSError):  # workloads and metrics of one's own, if there are some
        own = (config_folder() / "catalogue.toml").read_bytes()
        whole.update(own)
        facts.update(own)
    return whole.digest(), facts.digest()
