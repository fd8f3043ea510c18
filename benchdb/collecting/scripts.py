"""Planned items as text for a shell: each leaves one file of its own.

A file is complete when it has its name: it is written beside and moved. What comes of
an item whose collector does not say a word is a failed run, made from the plan; only
one that was told to stop leaves nothing.
"""

from collections.abc import Sequence
from itertools import groupby
from math import ceil
from shlex import join, quote

import msgspec

from benchdb.collecting.item_runs import UNSAID, run_line
from benchdb.collecting.items import PlannedItem
from benchdb.collecting.processes import name_of
from benchdb.exchange import writer
from benchdb.exchange.messages import Environment

# As runs carry it, in what every system's date understands.
NOW = "$(date -u +%Y-%m-%dT%H:%M:%S+00:00)"
# By Ctrl-C or SIGTERM; the second is of a collector that had not even begun.
STOPPED = "[ $status -eq 130 ] || [ $status -eq 143 ]"
_FOLDER = "items"  # where those of a campaign leave their files
# What is unfinished, what was said on standard error, and the exchange file.
_ENDINGS = ("part", "err", "jsonl")
# What happened and the last words, without the name of who said them, as JSON.
_REASON = (
    "import json, sys; what, name = sys.argv[1:]; "
    "said = sys.stdin.read().strip().removeprefix(name + ': '); "
    "json.dump(what + (': ' + said if said else ''), sys.stdout)"
)
# As Slurm is shipped, the tasks of an array are numbered below 1001.
_MOST = 1000


class Words(msgspec.Struct, frozen=True):
    """What is known of an item, in words of a shell.

    *python* runs what needs no framework, *name* is the collector's, *environment* and
    *run* are the lines of ``known``, *errors* is the file of standard error.
    """

    python: str
    name: str
    environment: str
    run: str
    errors: str


def shell_line(item: PlannedItem) -> str:
    """Return the line of shell that runs *item*."""
    into = f"{_FOLDER}/{item.campaign}"
    part, errors, done = (f"{into}/{item.item}.{end}" for end in _ENDINGS)
    environment, run = map(quote, known(item))
    words = Words(quote(python(item)), quote(name(item)), environment, run, errors)
    return (
        f"(mkdir -p {into}; began={NOW}; "
        f"{join(item.argv)} > {part} 2> {errors}; status=$?; "
        f"{begun(part)} || {STOPPED} || {{ {silence(words)}; }} > {part}; "
        # Our lines may be the standard input of the shell that runs them.
        f"{named(part, done)}; exit $status) < /dev/null"
    )


def begun(part: str) -> str:
    """Return what tells whether there is a run in the file *part*."""
    return f'grep -q \'"type": *"run"\' {part}'


def named(part: str, done: str) -> str:
    """Return what gives a file its name.

    Nothing takes the place of a whole file that was stopped before its end.
    """
    worth = f"[ ! -e {done} ] || ! {{ {STOPPED}; }}"
    return (
        f"if {begun(part)} && {{ {worth}; }}; then mv -f {part} {done}; "
        f"else rm -f {part}; fi"
    )


def silence(its: Words) -> str:
    """Return what prints the exchange file of an item that gave no run.

    ``$status`` and ``$began`` are set. Without a machine it prints nothing.
    """
    header = quote(writer.header().decode().strip())
    end = '{"type":"end","run":"run","status":"failed","reason":%s,"ended":"%s"}\\n'
    what = f'{its.name}" ended with status $status and gave no run"'
    reason = (
        f"tail -n 1 {its.errors} | {its.python} collectors/machine.py --redact | "
        f"{its.python} -c {quote(_REASON)} {what} {its.name}"
    )
    return (
        f"machine=$({its.python} collectors/machine.py) && "
        f"printf '%s\\n' {header} \"$machine\" {its.environment} && "
        f'printf \'%s,"started":"%s"}}\\n\' {its.run} "$began" && '
        f'printf {quote(end)} "$({reason})" "{NOW}"'
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
    return name_of(item.argv)


def python(item: PlannedItem) -> str:
    """Return the interpreter that needs nothing but its standard library."""
    return item.argv[0] if item.argv[1].endswith(".py") else "python3"


# A wait ends with any signal that has a trap; what it waited for may still be writing.
_RUN = """\
mkdir -p "$into"
part=$into/$item.${SLURM_JOB_ID:-$$}.part
began=%(now)s
"$@" > "$part" 2> "$into/$item.err" &
collector=$!
trap 'kill -TERM "$collector" 2> /dev/null' TERM INT HUP
wait "$collector"
status=$?
while kill -0 "$collector" 2> /dev/null; do
  wait "$collector"
  status=$?
done
%(begun)s || %(stopped)s || {
  %(silence)s
} > "$part"
%(named)s
exit $status
"""
_WORDS = Words(
    python='"$python"',
    name='"$name"',
    environment='"$environment"',
    run='"$run"',
    errors='"$into/$item.err"',
)


def slurm_script(items: Sequence[PlannedItem], *, exclusive: bool) -> str:
    """Return the script for ``sbatch``; *exclusive* lets nobody else on the node.

    A task that is run again replaces its own file and no other. On SIGTERM, the
    collector ends its run as interrupted.
    """
    campaign = items[0].campaign
    # Offsets and the tasks beyond them, for no task to be above the most.
    numbers = sorted(item.item - 1 for item in items)
    blocks = [
        (block * _MOST, ranges([number % _MOST + 1 for number in some]))
        for block, some in groupby(numbers, key=lambda number: number // _MOST)
    ]
    run = _RUN % {
        "now": NOW,
        "begun": begun('"$part"'),
        "stopped": STOPPED,
        "silence": silence(_WORDS),
        "named": named('"$part"', '"$into/$item.jsonl"'),
    }
    parts = [
        "#!/bin/bash",
        f"#SBATCH --job-name={campaign}",
        f"#SBATCH --array={blocks[0][1]}",
        "#SBATCH --nodes=1",
        "#SBATCH --ntasks=1",
        # All the memory there is: an exclusive node is not all of its memory.
        *(["#SBATCH --exclusive", "#SBATCH --mem=0"] if exclusive else []),
        f"#SBATCH --time={ceil(max(item.limit_seconds for item in items) / 60)}",
        "#SBATCH --requeue",
        # One for all tasks: what Slurm itself says, such as that it ended one.
        f"#SBATCH --output={campaign}-%A.log",
        "#SBATCH --open-mode=append",
        f"# {len(items)} items; sbatch this in a folder with collectors/.",
        *(
            f"# The rest, past Slurm's highest number: --array={tasks} SCRIPT {offset}"
            for offset, tasks in blocks[1:]
        ),
        f"into={_FOLDER}/{campaign}",
        f"item=$((SLURM_ARRAY_TASK_ID + ${{1:-{blocks[0][0]}}}))",
        "case $item in",
        *map(_case, items),
        f'*) echo "{campaign} has no item $item" >&2; exit 2 ;;',
        "esac",
        run,
    ]
    return "\n".join(parts)


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending *numbers* as Slurm reads them: ``1-3,7``."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    pairs = zip(starts, ends, strict=True)
    return ",".join(f"{a}-{b}" if a != b else str(a) for a, b in pairs)


def _case(item: PlannedItem) -> str:
    environment, run = known(item)
    return "\n".join(
        (
            f"{item.item})",
            f"  python={quote(python(item))} name={quote(name(item))}",
            f"  environment={quote(environment)}",
            f"  run={quote(run)}",
            f"  set -- {join(item.argv)} ;;",
        )
    )
