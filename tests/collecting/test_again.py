"""The command that measures a run again leads to the cell that was measured."""

import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from harness.cells import Choices, cells_of
from harness.timing import TIERS

from benchdb.collecting import again
from benchdb.store.database import open_database, reading
from benchdb.store.read import records as stored_records
from tests import published_runs
from tests.exchange_lines import START, end, records, run

TORCH = {"name": "with_torch", "version": "0.1.0", "sha256": "a" * 64}
MATRIX = {"workload": "matmul", "parameters": {"batch_size": 1, "size": 64}}
IMAGES = {
    "workload": "mobilenetv2-cifar10",
    "setting": "m1-vs-v100",
    "parameters": {
        "batch_size": 64,
        "optimizer": "Adam",
        "learning_rate": 0.001,
        "image_size": 128,
        "trainable": "last",
        "classes": 10,
        "memory_format": "channels_last",
        "data": "cifar10",
        "threads": 4,
    },
}


def words(**facts) -> str:
    (record,) = records(*START, run("r", **{"collector": TORCH} | facts), end("r"))
    why = again.command(record.run, record.environment)
    return shlex.join(why) if isinstance(why, list) else str(why)


def choices(command: list[str]) -> Choices:
    """Return what the options of *command* ask a collector for."""
    options = command[3:]
    asked = dict(pairwise(options))
    axes: dict[str, tuple[int | str, ...]] = {}
    for option, axis in (("--batch-size", "batch_size"), ("--size", "size")):
        if option in asked:
            axes[axis] = (int(asked[option]),)
    for here, option in enumerate(options):
        if option == "--set":
            name, _, value = options[here + 1].partition("=")
            axes[name] = (int(value) if value.isdecimal() else value,)
    return Choices(
        device="cuda" if "--cuda" in options else "cpu",
        tier=asked.get("--tier", "quick"),
        precisions=(asked["--precision"],) if "--precision" in asked else (),
        setting=asked.get("--setting"),
        axes=axes,
    )


def test_every_shipped_run_is_the_one_cell_that_its_command_asks_for(
    tmp_path: Path,
) -> None:
    engine = open_database(str(published_runs.database(tmp_path)))
    seen = 0
    with reading(engine) as connection:
        for record in stored_records(connection):
            own = record.run
            if own.label != "measured":
                continue
            command = again.command(own, record.environment)
            assert isinstance(command, list)
            assert not isinstance(command, str)
            asked = choices(command)
            (cell,) = cells_of(own.workload, asked, own.framework, ("eager",))
            facts = (own.setting, own.precision, own.device, own.tier)
            assert (cell.setting, cell.precision, cell.device, cell.tier) == facts
            assert cell.parameters.items() <= own.parameters.items()
            seen += 1
    assert seen > 400


@pytest.mark.parametrize(
    ("facts", "command"),
    [
        (
            {**MATRIX, "device": "metal", "tier": "smoke"},
            "matmul --framework torch --metal --size 64 --tier smoke --replicates 3",
        ),
        (
            {**MATRIX, "device": "cpu", "seed": 12, "replicate": 2},
            "matmul --framework torch --no-metal --size 64 --seed 10",
        ),
        (
            {
                **MATRIX,
                "device": "cpu",
                "framework": "numpy",
                "compiler": "none",
                "collector": TORCH | {"name": "with_numpy"},
                "parameters": {"batch_size": 1, "size": 64, "cpus": 2},
            },
            "matmul --framework numpy --no-metal --size 64",
        ),
        (
            {**IMAGES, "device": "metal", "compiler": "inductor", "precision": "bf16"},
            "mobilenetv2-cifar10 --framework torch --metal --batch-size 64 "
            "--set image_size=128 --set trainable=last --memory-format channels_last "
            "--data DIR --precision bf16 --compiler inductor",
        ),
    ],
)
def test_only_what_is_not_so_anyway_is_asked_for(facts, command):
    assert words(**facts) == f"benchdb collect {command}"


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"workload": "of-mine"}, "no collector of benchdb measured it"),
        ({"label": "imported"}, "others published it, and measured in their own way"),
        ({"workload_version": 7}, "lstm is version 1 by now"),
        ({"setting": "odd"}, "lstm has no setting odd by now"),
        (
            {"parameters": {"batch_size": 64, "units": 33}},
            "no option asks for units 33",
        ),
        (
            {"parameters": {"batch_size": 64, "blorb": 1}},
            "no option asks for blorb 1",
        ),
    ],
)
def test_what_no_option_asks_for_is_said(facts, why):
    assert words(**facts) == why


def test_tiers_have_as_many_processes_as_collectors_start():
    assert {name: tier.processes for name, tier in TIERS.items()} == again.PROCESSES
