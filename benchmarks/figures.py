"""Files of figures: what was measured, on which machine, with all that was seen.

A file has a list of measurements, the newest first; a saved one is all of a machine.
"""

import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from benchdb import __version__
from benchdb.collecting.programs import fingerprint
from benchdb.files import replacing
from benchmarks.costs import ROOT
from benchmarks.rows import Seen

FOLDER = Path(__file__).with_name("figures")
FORMAT = 1
_PACKAGES = ("sqlalchemy", "alembic", "msgspec", "typer", "rich", "jinja2", "babel")


class Machine(msgspec.Struct, frozen=True):
    """The machine as benchdb fingerprints it; the id is salted, and tells no name."""

    name: str
    anonymous_id: str | None
    system: dict[str, Any]


class Figures(msgspec.Struct, frozen=True):
    """What one run of the benchmarks saw; *load* is before and after it."""

    measured: datetime
    machine: Machine
    revision: str | None
    versions: dict[str, str]
    cpus: int
    load: tuple[tuple[float, ...], tuple[float, ...]]
    rows: tuple[Seen, ...]
    format: int = FORMAT


class _Format(msgspec.Struct):
    format: int


def around() -> Figures:
    """Return what surrounds a measurement that begins now; it has no rows yet."""
    load = os.getloadavg()
    result = fingerprint()
    machine, system = result["machine"], result["system"]
    return Figures(
        measured=datetime.now(UTC).replace(microsecond=0),
        machine=Machine(_named(machine["chip"]), machine.get("anonymous_id"), system),
        revision=_revision(),
        versions=_versions(),
        cpus=os.cpu_count() or 1,
        load=(load, load),
        rows=(),
    )


def with_row(figures: Figures, row: Seen) -> Figures:
    """Return *figures* with one more row, and the load at this moment."""
    load = (figures.load[0], os.getloadavg())
    return msgspec.structs.replace(figures, rows=(*figures.rows, row), load=load)


def write(path: Path, measurements: Sequence[Figures]) -> None:
    """Write *measurements* as JSON, all of it or nothing."""
    with replacing(path) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(measurements)) + b"\n")


def read(path: Path) -> list[Figures]:
    """Return the figures of a file; raise ``ValueError`` if it has another format."""
    content = path.read_bytes()
    try:
        for header in msgspec.json.decode(content, type=list[_Format]):
            if header.format != FORMAT:
                raise ValueError(
                    f"{path.name} has format {header.format}, not {FORMAT}"
                )
        return msgspec.json.decode(content, type=list[Figures])
    except msgspec.DecodeError as error:
        raise ValueError(f"{path.name} has no figures: {error}") from error


def saved(folder: Path = FOLDER) -> list[Figures]:
    """Return all figures of *folder*, the newest first."""
    measurements = chain.from_iterable(map(read, folder.glob("*.json")))
    return sorted(measurements, key=attrgetter("measured"), reverse=True)


def save(figures: Figures, folder: Path = FOLDER) -> Path:
    """Renew the file of the machine with *figures*; return its path."""
    words = "".join(it if it.isalnum() else " " for it in figures.machine.name)
    path = folder / f"{'-'.join(words.lower().split())}.json"
    write(path, newest([figures, *(read(path) if path.exists() else ())]))
    return path


def newest(measurements: Iterable[Figures]) -> list[Figures]:
    """Return *measurements*, the newest first, without what was measured again later.

    That is a row of the same size. What remains keeps its date and surroundings.
    """
    kept: list[Figures] = []
    for figures in measurements:
        again = {(row.row.name, row.runs) for later in kept for row in later.rows}
        rows = [row for row in figures.rows if (row.row.name, row.runs) not in again]
        if rows:
            kept.append(msgspec.structs.replace(figures, rows=tuple(rows)))
    return kept


def _named(chip: dict[str, Any]) -> str:
    cores, memory = chip.get("cpu_cores"), chip.get("ram_bytes")
    parts = [f"{chip['vendor']} {chip['name']}"]
    parts += [f"{cores} cores"] if cores else []
    parts += [f"{memory / 2**30:.0f} GiB"] if memory else []
    return ", ".join(parts)


def _versions() -> dict[str, str]:
    values = {"benchdb": __version__, "python": platform.python_version()}
    values["sqlite"] = sqlite3.sqlite_version
    for name in (*_PACKAGES, "psycopg"):
        try:
            values[name] = version(name)
        except PackageNotFoundError:  # an extra
            continue
    return values


def _revision() -> str | None:
    """Return what git calls this checkout, ``-dirty`` where something was changed."""
    asked = ("git", "describe", "--always", "--dirty")
    try:
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout.decode().strip() or None
