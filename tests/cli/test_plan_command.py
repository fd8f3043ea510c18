"""``benchdb plan``: a campaign as items, and what cannot be one."""

import json
import os
from importlib import import_module

import pytest
from msgspec.structs import replace
from typer.main import get_command

from benchdb.cli import module_of
from benchdb.collecting import scripts
from benchdb.collecting.items import PlannedItem, lines
from tests.collector_programs import ROOT
from tests.in_process import benchdb
from tests.numbered_items import numbered


def test_plan_has_the_options_of_collect_that_say_what_is_measured():
    mine, theirs = (
        {param.name for param in get_command(import_module(module_of(name)).app).params}
        for name in ("plan", "collect")
    )

    assert theirs - mine == {"budget", "dry_run", "resume"}
    assert {"workloads", "seed", "powermetrics"} < theirs & mine


def test_the_same_seed_and_campaign_give_the_same_items_round_by_round():
    first, again, other = (numbered(seed) for seed in (0, 0, 1))

    assert first == again
    assert [item.item for item in first] == list(range(1, 41))
    assert [item.replicate for item in first] == [0] * 20 + [1] * 20
    assert sizes(first) != sizes(other)
    assert sorted(sizes(first)) == sorted(sizes(other))


def sizes(some: list[PlannedItem]) -> list[int]:
    return [item.axes["size"] for item in some]


def test_slurm_numbers_no_task_beyond_a_thousand():
    some = [replace(numbered(0)[0], item=n) for n in (1, 2, 3, 7, 1000, 1001, 2002)]

    text = scripts.slurm_script(some, exclusive=False).splitlines()

    assert "#SBATCH --array=1-3,7,1000" in text
    assert [line for line in text if line.startswith("# The rest")] == [
        "# The rest, past Slurm's highest number: --array=1 SCRIPT 1000",
        "# The rest, past Slurm's highest number: --array=2 SCRIPT 2000",
    ]
    assert "#SBATCH --exclusive" not in text


def test_what_is_left_beyond_a_thousand_is_found_without_an_offset():
    (late,) = (replace(numbered(0)[0], item=n) for n in (1001,))

    text = scripts.slurm_script([late], exclusive=True)

    assert "#SBATCH --array=1\n" in text
    assert "item=$((SLURM_ARRAY_TASK_ID + ${1:-1000}))" in text


def test_items_are_planned_for_a_gpu_that_is_not_here():
    done = benchdb(
        "plan",
        "matmul",
        "--size",
        4,
        "--framework",
        "numpy",
        "--cuda",
        "--elsewhere",
        "--campaign",
        "far",
    )

    (item,) = map(json.loads, done.out.splitlines()[:1])
    assert done.status == 0, done.err
    assert (item["device"], item["argv"][0]) == ("cuda", "python3")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--campaign", "a/b"], "'a/b' cannot name a campaign"),
        (["--elsewhere"], "name it with --framework"),
        (["--left", "/nowhere"], "cannot read the plan /nowhere"),
        (["--left", ROOT / "pyproject.toml"], "is no plan of benchdb"),
        (["--left", os.devnull], "holds 0 campaigns"),
        (["--left", "p.jsonl", "-o", "./p.jsonl"], "is the whole plan"),
        (["--left", "x", "--seed", 1], "--seed does not go with --left"),
    ],
)
def test_what_cannot_be_planned_is_said_in_one_line(arguments, message):
    done = benchdb("plan", *arguments)

    assert (done.status, done.err.count("\n"), done.out) == (2, 1, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"workload": "resnet999"}, "a workload that this benchdb does not know"),
        ({"campaign": "$(id)"}, "'$(id)' cannot name a campaign"),
        ({"argv": ("rm", "-r")}, "item 1 of the plan runs no collector"),
    ],
)
def test_a_plan_that_we_would_not_have_written_is_refused(tmp_path, change, message):
    path = tmp_path / "plan.jsonl"
    path.write_text("\n".join(lines([replace(numbered(0)[0], **change)])))

    done = benchdb("plan", "--left", path, "--format", "slurm")

    assert (done.status, done.out) == (2, "")
    assert message in done.err
