"""What a user has settled in ``benchdb.toml``: of a project, and of their own.

That of a project lies in the working folder or above it, up to the first folder that
has ``.git`` or is the home folder. What it says wins over the user's own.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchdb.errors import UsageError
from benchdb.user_data import config_folder

NAME = "benchdb.toml"
COLLECTORS = "collectors"
_PROGRAMS = (COLLECTORS, "python")  # keys that name what is run
_LARGEST = 64 * 1024  # bytes; a thousand times what anybody settles


class Setting(msgspec.Struct, frozen=True):
    """A value, and where it stands; *key* is ``lang`` or ``collect.tier``.

    Of one that is on no line yet, *line* is 0.
    """

    key: str
    value: Any
    file: Path
    line: int

    @property
    def place(self) -> str:
        """Return file and line, as compilers and editors write them."""
        return f"{self.file}:{self.line}"

    @property
    def before(self) -> str:
        """Return what a message about it begins with: its place, if it has one."""
        return f"{self.place}: " if self.line else ""

    @property
    def name(self) -> str:
        """Return the option that it is of."""
        return self.key.rpartition(".")[2]


def own_file() -> Path:
    """Return the user's own file, which need not be there."""
    return config_folder() / NAME


def files() -> list[Path]:
    """Return the files that are there; an earlier one wins."""
    paths = [path for path in (_of_project(), own_file()) if path and _there(path)]
    return list(dict.fromkeys(paths))


def settled() -> dict[str, Setting]:
    """Return what is settled, by key; raise ``UsageError`` where a file is wrong.

    Whoever can write above the working folder, in ``/tmp`` say, must not choose which
    programs another user runs: what is not theirs names none.
    """
    values: dict[str, Setting] = {}
    for path in reversed(files()):
        settings = read(path)
        named = [each for each in settings if each.name in _PROGRAMS]
        if named and _is_of_another_user(path):
            raise UsageError(
                f"{named[0].place}: {named[0].key} names programs, and the file is "
                f"another user's; put it into {own_file()} if you trust them"
            )
        values |= {each.key: each for each in settings}
    return values


def read(path: Path) -> list[Setting]:
    """Return what the file at *path* settles; raise ``UsageError`` with the place."""
    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > _LARGEST:
        raise UsageError(
            f"{path} is larger than {_LARGEST // 1024} kB; settings take a few lines"
        )
    try:
        text = content.decode()
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(_fault(path, content, str(error))) from error
    lines = _lines(text)
    return [
        Setting(key, value, path, lines.get(key, 1)) for key, value in _flat(values, "")
    ]


def collector_folders() -> list[Path]:
    """Return where settled collectors are: files or folders, from ``collectors``.

    Relative ones are below the folder of the file that names them.
    """
    setting = settled().get(COLLECTORS)
    if setting is None:
        return []
    names = setting.value
    if not isinstance(names, list) or not all(isinstance(it, str) for it in names):
        raise UsageError(
            f'{setting.place}: {COLLECTORS} is a list of paths, such as ["collectors"]'
        )
    return [from_file(setting, name) for name in names]


def from_file(setting: Setting, name: str) -> Path:
    """Return the path *name*, below the folder of the file that has the *setting*."""
    return setting.file.parent / Path(name).expanduser()


def _of_project() -> Path | None:
    try:
        here, home = Path.cwd(), Path("~").expanduser()
    except (OSError, RuntimeError):  # the working folder is gone, or nobody's home
        return None
    for folder in (here, *here.parents):
        if _there(folder / NAME):
            return folder / NAME
        if folder == home or _there(folder / ".git"):
            return None
    return None


def _is_of_another_user(path: Path) -> bool:
    """Tell whether neither this user nor root wrote *path*; root decides for itself."""
    user = os.getuid()
    return user != 0 and path.stat().st_uid not in {0, user}


def _there(path: Path) -> bool:
    """Tell whether there is anything at *path*; what cannot be looked at is nothing."""
    return os.path.lexists(path)


def _fault(path: Path, content: bytes, why: str) -> str:
    """Return what is wrong with the file at *path*, as the parser has it."""
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", why)
    if place is None:
        return f"{path}: no TOML: {why}"
    line = place[1] or content.count(b"\n") + (not content.endswith(b"\n"))
    return f"{path}:{line}: no TOML: {why[: place.start()]}"


def _flat(values: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _lines(text: str) -> dict[str, int]:
    """Return the line of each key; of unusual spelling none, which is no error."""
    numbers: dict[str, int] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if head := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line):
            section = _bare(head[1]) + "."
        elif key := re.match(r"\s*([\w\"'. -]+?)\s*=", line):
            numbers.setdefault(section + _bare(key[1]), number)
    return numbers


def _bare(key: str) -> str:
    return re.sub(r"[\"'\s]", "", key)
