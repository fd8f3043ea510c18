"""Planned items as text for a shell: each leaves one file of its own.

A file is complete when it has its name: it is written beside and moved. What comes of
an item whose collector does not say a word is a failed run, made from the plan; only
one that was told to stop leaves nothing.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath
from shlex import join, quote

import msgspec

from benchdb.collecting.items import PlannedItem
from benchdb.collecting.silence import UNSAID, run_line
from benchdb.exchange import writer
from benchdb.exchange.lines import Environment

# As runs carry it, in what every system's date understands.
NOW = "$(date -u +%Y-%m-%dT%H:%M:%S+00:00)"
# By Ctrl-C or SIGTERM; the second is of a collector that had not even begun.
STOPPED = "[ $status -eq 130 ] || [ $status -eq 143 ]"
# What is unfinished, what was said on standard error, and the exchange file.
_ENDINGS = ("part", "err", "jsonl")


def folder(campaign: str) -> str:
    """Return where the items of *campaign* leave their files."""
    return f"items/{campaign}"


def commands(items: Iterable[PlannedItem]) -> list[str]:
    """Return one line of shell for each item."""
    return [_command(item) for item in items]


def _command(item: PlannedItem) -> str:
    into = folder(item.campaign)
    part, errors, done = (f"{into}/{item.item}.{end}" for end in _ENDINGS)
    silent = silence(quote(python(item)), quote(name(item)), *map(quote, known(item)))
    return (
        f"(mkdir -p {into}; began={NOW}; "
        f"{join(item.argv)} > {part} 2> {errors}; status=$?; "
        f"[ -s {part} ] || {STOPPED} || {{ {silent}; }} > {part}; "
        f"[ ! -s {part} ] || mv -f {part} {done}; exit $status)"
    )


def silence(python: str, name: str, environment: str, run: str) -> str:
    """Return what prints the exchange file of an item that gave no run.

    It takes the words of a shell for the interpreter, the collector, and the two lines
    of ``known``; ``$status`` and ``$began`` are set. Without a machine it is silent.
    """
    header = quote(writer.header().decode().strip())
    end = (
        '{"type":"end","run":"run","status":"failed",'
        '"reason":"%s ended with status %s and gave no run","ended":"%s"}\\n'
    )
    return (
        f"machine=$({python} collectors/machine.py) && "
        f"printf '%s\\n' {header} \"$machine\" {environment} && "
        f'printf \'%s,"started":"%s"}}\\n\' {run} "$began" && '
        f'printf {quote(end)} {name} $status "{NOW}"'
    )


def known(item: PlannedItem) -> tuple[str, str]:
    """Return what the plan knows of an item: environment, and run up to its start."""
    missing = {"framework_version": UNSAID}
    environment = Environment(
        key="environment", framework=item.framework, missing=missing
    )
    # As machine.py names its line.
    run = msgspec.structs.replace(run_line(item.process, item.settings), machine="m1")
    line = msgspec.json.encode(run).decode()
    return msgspec.json.encode(environment).decode(), line.removesuffix("}")


def name(item: PlannedItem) -> str:
    """Return the name of the item's collector."""
    return next(PurePosixPath(one).stem for one in item.argv if one.endswith(".py"))


def python(item: PlannedItem) -> str:
    """Return the interpreter that needs nothing but its standard library."""
    return item.argv[0] if item.argv[1].endswith(".py") else "python3"
