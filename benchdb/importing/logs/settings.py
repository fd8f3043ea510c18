"""Settings that a program prints above its figures: batch size, epochs, device, model.

``Batch size: 64`` and ``lr = 0.001`` on lines of their own; ``key=value`` several times
in a line, as of ``argparse``; and the options of a command, ``--batch-size 64``. They
hold for the figures below, as columns of their own.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from benchdb.importing.logs.line_text import (
    LETTERS,
    any_of,
    banner,
    command,
    is_figure,
    unmarked,
    unstamped,
    words_of,
)
from benchdb.importing.sheet import Cell, Sheet

_LIMIT = 2000  # characters of a line
_COLUMNS = 30
_JOINTS = (": ", "=", " -", "size ", "rate ")
_KNOWN = re.compile(rf"(?:{words_of('setting_before')} )*{words_of('settings')}")
_OF_SYSTEM = any_of("settings_of_system")
_REACHED = any_of("reached")
_LEARNT = any_of("learnt")
_PROGRESS = any_of("progress")
_WHOLE = re.compile(r"\d{1,9}(?:\.0)?")
_ALONE = any_of("setting_alone")
_STATED = any_of("setting_stated")
_ITEM, _ENTRY = any_of("items"), any_of("entries")
_OPTION, _SHORT = any_of("options"), any_of("short_options")
_ASSIGNED = re.compile(r"(?:[A-Z]\w{0,40}=\S{1,200}\s{1,4}){1,40}")  # FLOAT=half prog
_LLAMA = re.compile(r"(?:^|[\s/])llama-\w+(?!\S)")
_WITH_UNIT = re.compile(rf"\d ?{words_of('units')}(?![\w/])")


class Setting(msgspec.Struct, frozen=True):
    """A setting as it is printed, and the line where it stands."""

    name: str
    value: str
    line: int

    @property
    def key(self) -> str:
        """Return what its name is in whatever spelling: ``batch size``."""
        return _folded(self.name)


def _folded(name: str) -> str:
    plain = re.sub(r"\([^()]*\)", " ", name.replace("_", " ").replace("-", " "))
    return " ".join(plain.casefold().split())


def settings_in(text: str, line: int = 0) -> list[Setting]:
    """Return the settings that a *line* prints, and nothing but those."""
    return [Setting(name, value.strip("'\""), line) for name, value in _settings(text)]


@lru_cache(maxsize=64)  # of each line, several ask
def _settings(text: str) -> list[tuple[str, str]]:
    if len(text) > _LIMIT or not any(map(text.__contains__, _JOINTS)):
        return []
    shell = command(text)
    named = [] if shell else _alone(" ".join(unmarked(unstamped(text)).split()))
    if not named:
        several = _options(shell) if shell else _listed(text)
        titled = not shell and "{" in text and banner(text.strip())
        named = [pair for pair in several if titled or _is_known(*pair)][:_COLUMNS]
        return named if shell or len(named) > 1 else []
    return named


def _options(shell: str) -> Iterable[tuple[str, str]]:
    """Yield what a command sets before it and by options; of a model its file."""
    assigned = _ASSIGNED.match(shell)
    yield from _ITEM.findall(assigned[0]) if assigned else ()
    short = _SHORT.findall(shell) if _LLAMA.search(shell) else []
    named = [(LETTERS[name], value) for name, value in short if name in LETTERS]
    for name, value in (*_OPTION.findall(shell), *named):
        file = value.startswith(("/", "./", "../", "~"))
        yield name, value.rpartition("/")[2] if file else value


def _is_known(name: str, value: str) -> bool:
    key = _folded(name)
    if _OF_SYSTEM.fullmatch(key):
        return not is_figure(value)
    return _KNOWN.fullmatch(key) is not None and not _WITH_UNIT.match(value)


def _alone(plain: str) -> list[tuple[str, str]]:
    """Return the setting that a line prints alone."""
    for pattern in (_STATED, _ALONE):
        if match := pattern.fullmatch(plain):
            name, value = match[1].strip(), match[2]
            reached = _REACHED.fullmatch(_folded(name)) and _WHOLE.fullmatch(value)
            learnt = _LEARNT.fullmatch(_folded(name)) and pattern is _ALONE
            system = pattern is _ALONE or _OF_SYSTEM.fullmatch(_folded(name))
            if reached or learnt or (system and _is_known(name, value)):
                return [(name, value)]
    return []


def _listed(text: str) -> list[tuple[str, str]]:
    """Return the pairs of a line with several, unless they tell of progress."""
    pairs = _ENTRY if text.rstrip().endswith("}") else _ITEM
    named: list[tuple[str, str]] = pairs.findall(text)
    progress = any(_PROGRESS.fullmatch(_folded(name)) for name, _ in named)
    return [] if progress or _WITH_UNIT.search(text) else named


def begins_anew(text: str) -> bool:
    """Tell whether *text* lists all settings of a run: those above hold no more."""
    return command(text) is not None or "Namespace(" in text


def with_settings(sheet: Sheet, settings: Iterable[Setting]) -> Sheet:
    """Return *sheet* with a column for each setting that it has none for."""
    own = set(map(_folded, sheet.header))
    added = [setting for setting in settings if setting.key not in own]
    if not (added and sheet.rows):
        return sheet
    cells = tuple(Cell(setting.value, setting.line, setting.value) for setting in added)
    names = tuple(setting.name for setting in added)
    return replace(
        sheet,
        header=(*sheet.header, *names),
        rows=tuple(replace(row, cells=(*row.cells, *cells)) for row in sheet.rows),
        inherited=names,
    )
