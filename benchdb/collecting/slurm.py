"""A campaign as a job array of Slurm: one task for each item."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import ceil
from shlex import join, quote

from benchdb.collecting import shell
from benchdb.collecting.items import PlannedItem

# As Slurm is shipped, the tasks of an array are numbered below 1001.
_MOST = 1000

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
_WORDS = shell.Words(
    python='"$python"',
    name='"$name"',
    environment='"$environment"',
    run='"$run"',
    errors='"$into/$item.err"',
)


def script(items: Sequence[PlannedItem], *, exclusive: bool) -> str:
    """Return the script for ``sbatch``; *exclusive* lets nobody else on the node.

    A task that is run again replaces its own file and no other. On SIGTERM, the
    collector ends its run as interrupted.
    """
    campaign = items[0].campaign
    run = _RUN % {
        "now": shell.NOW,
        "begun": shell.begun('"$part"'),
        "stopped": shell.STOPPED,
        "silence": shell.silence(_WORDS),
        "named": shell.named('"$part"', '"$into/$item.jsonl"'),
    }
    parts = [
        "#!/bin/bash",
        *(f"#SBATCH {option}" for option in _options(items, exclusive=exclusive)),
        *(f"# {line}" for line in _comment(items)),
        f"into={shell.folder(campaign)}",
        f"item=$((SLURM_ARRAY_TASK_ID + ${{1:-{_blocks(items)[0][0]}}}))",
        "case $item in",
        *(line for item in items for line in _case(item)),
        f'*) echo "{campaign} has no item $item" >&2; exit 2 ;;',
        "esac",
        run,
    ]
    return "\n".join(parts)


def _options(items: Sequence[PlannedItem], *, exclusive: bool) -> Iterator[str]:
    campaign = items[0].campaign
    yield f"--job-name={campaign}"
    yield f"--array={_blocks(items)[0][1]}"
    yield "--nodes=1"
    yield "--ntasks=1"
    if exclusive:
        yield "--exclusive"
        yield "--mem=0"  # all there is: an exclusive node is not all of its memory
    yield f"--time={ceil(max(item.limit_seconds for item in items) / 60)}"
    yield "--requeue"
    # One for all tasks: what Slurm itself says, such as that it ended one.
    yield f"--output={campaign}-%A.log"
    yield "--open-mode=append"


def _comment(items: Sequence[PlannedItem]) -> Iterator[str]:
    yield f"{len(items)} items; sbatch this in a folder with collectors/ and schema/."
    for offset, tasks in _blocks(items)[1:]:
        yield f"The rest, past Slurm's highest number: --array={tasks} SCRIPT {offset}"


def _blocks(items: Sequence[PlannedItem]) -> list[tuple[int, str]]:
    """Return offsets and the tasks beyond them, for no task to be above the most."""
    numbers = sorted(item.item - 1 for item in items)
    return [
        (block * _MOST, ranges([number % _MOST + 1 for number in some]))
        for block, some in groupby(numbers, key=lambda number: number // _MOST)
    ]


def ranges(numbers: Sequence[int]) -> str:
    """Return ascending *numbers* as Slurm reads them: ``1-3,7``."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    pairs = zip(starts, ends, strict=True)
    return ",".join(f"{a}-{b}" if a != b else str(a) for a, b in pairs)


def _case(item: PlannedItem) -> Iterator[str]:
    environment, run = shell.known(item)
    yield f"{item.item})"
    yield f"  python={quote(shell.python(item))} name={quote(shell.name(item))}"
    yield f"  environment={quote(environment)}"
    yield f"  run={quote(run)}"
    yield f"  set -- {join(item.argv)} ;;"
