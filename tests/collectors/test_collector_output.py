"""A collector whose standard output takes nothing: one line says so, nobody is left."""

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.collector_programs import TROUBLE, command, decode
from tests.processes import eventually
from tests.store.full_disk import full_disk

MEASURE = ("matmul", "--size", "4", "--tier", "smoke")
ASKED = (MEASURE, ("--describe",), ("matmul", "--list-cells"))
FULL = Path("/dev/full")  # a device of Linux: it takes nothing
NO_ROOM = "with_trouble: cannot write standard output: No space left on device"


def own_lines(errors: str) -> list[str]:
    """Return what the collector says, without what its framework prints."""
    return [line for line in errors.splitlines() if "noise" not in line]


def workers_of(mark: str) -> list[str]:
    """Return the processes whose environment has *mark*."""
    texts = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in environment.read_bytes():
                texts.append(environment.parent.name)
        except OSError:
            continue
    return texts


def written(
    output: IO[bytes], *arguments: str, **trouble: str
) -> "subprocess.CompletedProcess[str]":
    """Run the collector into *output*; its environment has *trouble* besides."""
    return subprocess.run(
        command(TROUBLE, *arguments),
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=os.environ | trouble,
        timeout=60,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="there is no full device")
@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_output_that_has_no_room_is_told_in_one_line(arguments):
    with FULL.open("wb") as output:
        done = written(output, *arguments)

    assert (done.returncode, own_lines(done.stderr)) == (1, [NO_ROOM])


@pytest.mark.skipif(sys.platform != "linux", reason="there is no full device")
def test_a_worker_that_nobody_can_write_for_is_killed(tmp_path):
    with FULL.open("wb") as output:
        endless = {"TROUBLE": "step:1", "TROUBLE_KIND": "hang"}
        written(output, *MEASURE, **endless, MARK=str(tmp_path))

    assert eventually(lambda: not workers_of(str(tmp_path)))


@pytest.mark.skipif(sys.platform != "linux", reason="there is no full disk")
def test_a_disk_that_fills_up_keeps_the_lines_it_took():
    # Room for header, machine and the first lines of the run, not for all its samples.
    with full_disk(4096) as room, (room / "runs.jsonl").open("wb") as output:
        many = (*MEASURE, "--replicates", "9")
        done = written(output, *many, TROUBLE_STEP_SECONDS="0.001")
        text = (room / "runs.jsonl").read_text()

    assert (done.returncode, own_lines(done.stderr)) == (1, [NO_ROOM])
    assert len(decode(text.rpartition("\n")[0])) > 2


@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_a_closed_output_is_refused_before_a_worker_starts(arguments):
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command(TROUBLE, *arguments)],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stderr == "with_trouble: standard output is closed\n"


@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_a_reader_who_has_gone_is_told_nothing(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as output:
        done = written(output, *arguments)

    assert (done.returncode, own_lines(done.stderr)) == (1, [])
