"""Which figures are of the same work, and which conditions keep them apart."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sqlalchemy import Connection, select

from benchdb.conditions import Conditions, difference, divided, minor, system
from benchdb.report.measurement import Measurement, differs, measurements
from benchdb.report.runs import stored
from benchdb.sorted_json import sorted_json
from benchdb.store.database import open_database
from benchdb.store.run_grades import grades
from benchdb.store.tables import run
from tests.store_factory import Machine, Run, add, new_store

WORK = Conditions(
    workload="resnet50",
    version=1,
    setting="standard",
    framework="torch",
    batch_size=64,
    precision="fp32",
    compiler="eager",
    metric="samples_per_second",
    extent=None,
    tier="standard",
    surroundings=(("version", "2.13"), ("system", "macOS 26"), ("load", "quiet")),
)
MAC = Machine(chip="Apple M2", ours="0011223344556677")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with new_store(tmp_path / "results.sqlite").begin() as connection:
        yield connection


def process(number: int, seconds: float, **parameters: Any) -> Run:
    return Run(
        machine=MAC,
        workload="mobilenetv2-cifar10",
        framework="torch",
        version="2.13.0",
        source=None,
        values={"step_seconds": seconds, "samples_per_second": 32 / seconds},
        columns={
            "campaign": "sweep",
            "started": f"2026-03-02T10:{number:02}:00+00:00",
            "ended": f"2026-03-02T10:{number:02}:50+00:00",
            "replicate": number,
            "batch_size": 32,
            "parameters": parameters,
            "conditions_before": {"load_1m": 0.1, "cpu_count_usable": 8},
        },
    )


def sweep(connection: Connection) -> dict[tuple[int, str], list[str]]:
    """Store a sweep over two axes, three processes each; return their digests."""
    groups: dict[tuple[int, str], list[str]] = {}
    number = 0
    for size in (96, 128):
        for trainable in ("all", "last"):
            for _ in range(3):
                seconds = size / 1000 * (2 if trainable == "all" else 1)
                made = process(number, seconds, image_size=size, trainable=trainable)
                groups.setdefault((size, trainable), []).append(add(connection, made))
                number += 1
    return groups


def rates(result: list[Measurement]) -> list[Measurement]:
    return [
        measurement
        for measurement in result
        if measurement.conditions.metric == "samples_per_second"
    ]


def test_a_sweep_over_two_axes_is_one_measurement_for_each_point(connection):
    points = sweep(connection)

    result = rates(measurements(stored(connection)))

    assert {measurement.runs for measurement in result} == {
        tuple(runs) for runs in points.values()
    }
    assert all(
        measurement.sizes == (3,) and len(set(measurement.values)) == 1
        for measurement in result
    )


def test_points_of_a_sweep_differ_in_their_work(connection):
    sweep(connection)
    first, *others = rates(measurements(stored(connection)))

    assert {differs(first, other) for other in others} == {("work",)}


def test_each_point_of_a_sweep_is_graded_by_its_own_processes(connection):
    points = sweep(connection)

    known = grades(connection, select(run.c.digest))
    result = [known[digest].grade for runs in points.values() for digest in runs]

    assert [grade.processes for grade in result if grade] == [3] * 12


def test_a_parameter_that_nobody_knows_makes_other_work(connection):
    add(connection, process(0, 1.0, image_size=96, blorb=1))
    add(connection, process(1, 2.0, image_size=96, blorb=2))

    left, right = rates(measurements(stored(connection)))

    assert (len(left.values), differs(left, right)) == (1, ("work",))


USUAL = {"memory_format": "contiguous", "optimizer_implementation": "default"}
BUSY = {"conditions_before": {"load_1m": 9, "cpu_count_usable": 8}}
TOMORROW = {"campaign": "later", "started": "2026-03-03T10:00:00Z"}
AFTERNOON = {"started": "2026-03-02T12:00:00Z", "ended": "2026-03-02T12:00:50Z"}


def made(
    turn: int, seconds: float, columns: dict[str, Any] | None = None, **facts: Any
) -> Run:
    run = process(turn, seconds, **facts.pop("parameters", {}))
    return replace(run, **facts, columns={**run.columns, **(columns or {})})


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"version": "1.13.0", "columns": TOMORROW}, "version"),
        (
            {
                "parameters": {**USUAL, "memory_format": "channels_last"},
                "columns": TOMORROW,
            },
            "layout",
        ),
        (
            {
                "parameters": {**USUAL, "optimizer_implementation": "fused"},
                "columns": TOMORROW,
            },
            "optimizer",
        ),
        ({"columns": {**TOMORROW, **BUSY}}, "load"),
        # A busy session of a campaign takes no figure from its quiet one.
        ({"columns": {**AFTERNOON, **BUSY}}, "load"),
    ],
)
def test_one_cell_under_two_conditions_is_two_measurements_with_the_name(
    connection, other, name
):
    add(connection, made(0, 1.0, parameters=USUAL))
    add(connection, made(1, 0.5, **{"parameters": USUAL, **other}))

    result = rates(measurements(stored(connection)))

    assert sorted(measurement.values for measurement in result) == [(32.0,), (64.0,)]
    assert differs(*result) == (name,)


def threads(count: int | None) -> dict[str, Any]:
    return {"parameters": {"threads": count}}


def program(name: str, version: str) -> dict[str, Any]:
    return {"columns": {"collector": name, "collector_version": version}}


@pytest.mark.parametrize(
    ("left", "right", "names"),
    [
        # Fewer threads than the cores of a CPU.
        (threads(1), threads(8), ("threads",)),
        (threads(8), threads(8), ()),
        (threads(8), threads(16), ()),
        (threads(8), threads(None), ()),
        (threads(None), threads(2), ("threads",)),
        # Environment variables that change what runs.
        ({}, {"variables": {"PYTORCH_ENABLE_MPS_FALLBACK": "1"}}, ("variables",)),
        ({}, {"variables": {"PYTORCH_ENABLE_MPS_FALLBACK": "0"}}, ()),
        ({}, {"variables": {"TF_ENABLE_ONEDNN_OPTS": "0"}}, ("variables",)),
        ({}, {"variables": {"TF_ENABLE_ONEDNN_OPTS": "1"}}, ()),
        ({}, {"variables": {"OMP_NUM_THREADS": "4", "CUDA_VISIBLE_DEVICES": "1"}}, ()),
        # Another program, or another version of it, measures by another protocol.
        (program("with_torch", "0.1.0"), program("other", "9.0.0"), ("protocol",)),
        (program("other", "9.1.0"), program("other", "9.0.0"), ("protocol",)),
        # What goes with the precision keeps half precisions in one class.
        (
            {"parameters": {"grad_scaler": True}, "columns": {"precision": "fp16"}},
            {"columns": {"precision": "bf16"}},
            (),
        ),
    ],
)
def test_what_differs_between_two_machines_is_named(connection, left, right, names):
    for turn, facts in enumerate((left, right)):
        machine = replace(MAC, cpu_cores=8, ours=f"{turn}")
        add(connection, made(turn, 1.0, machine=machine, **facts))

    assert differs(*rates(measurements(stored(connection)))) == names


def test_what_is_not_stated_is_allowed_in_one_source_and_bounds_between_two():
    silent = replace(WORK, surroundings=(("version", ""), ("load", "")))

    own, other = (
        difference(silent, silent, same_source=holds) for holds in (True, False)
    )

    assert (own.unlike, own.unstated) == ((), ("version", "load"))
    assert other.unlike == ("source",)


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"precision": "bf16-mixed"}, ("precision",)),
        ({"compiler": "inductor"}, ("compiler",)),
        ({"batch_size": 128}, ("batch",)),
        ({"setting": "m1tensorbench"}, ("protocol",)),
        ({"version": 2}, ("protocol",)),
        ({"tier": "smoke"}, ("tier",)),
        ({"tier": "quick"}, ("tier",)),
        ({"parameters": '{"image_size":96}'}, ("work",)),
        ({"choices": (("layout", "channels_last"),)}, ("layout",)),
        ({"surroundings": (("version", "2.12"),)}, ("version",)),
        ({"surroundings": (("system", "macOS 15"),)}, ("system",)),
        ({"surroundings": (("load", "busy"),)}, ("load",)),
        ({"surroundings": (("threads", "1"),)}, ("threads",)),
        ({"workload": "llm-decode"}, ("work",)),
        # Of another framework the version says nothing, of another family the system.
        ({"framework": "mlx", "surroundings": (("version", "0.30"),)}, ("framework",)),
        ({"surroundings": (("system", "Ubuntu 24"),)}, ()),
    ],
)
def test_each_condition_that_differs_has_a_name(changes, names):
    other = replace(WORK, **changes)

    assert difference(WORK, other).unlike == names
    assert difference(other, WORK).unlike == names


def test_two_linuxes_of_other_versions_are_not_alike():
    ubuntus = ((("system", f"Ubuntu {number}"),) for number in (22, 24))
    old, new = (replace(WORK, surroundings=row) for row in ubuntus)

    assert difference(old, new).unlike == ("system",)


@pytest.mark.parametrize(
    ("workload", "left", "right", "alike"),
    [
        ("resnet50", "fp16-mixed", "bf16-mixed", True),
        ("resnet50", "fp16-mixed", "bf16", True),
        ("resnet50", "fp16-mixed", "fp32", False),
        ("matmul", "fp16", "bf16", False),
    ],
)
def test_training_in_either_half_precision_is_of_one_class(
    workload, left, right, alike
):
    first = replace(WORK, workload=workload, precision=left)
    other = replace(WORK, workload=workload, precision=right)

    assert (difference(first, other).unlike == ()) is alike


@given(
    st.dictionaries(
        st.sampled_from(
            ["size", "trainable", "memory_format", "epochs", "threads", "blorb"]
        ),
        st.one_of(st.integers(), st.text(max_size=5), st.booleans()),
    )
)
def test_parameters_are_of_the_work_unless_they_are_known_to_be_something_else(facts):
    work, choices, lengths = divided("conv", sorted_json(facts) or "{}")

    of_the_work = facts.keys() & {"size", "trainable", "blorb"}
    kept = {name: facts[name] for name in of_the_work}
    assert work == sorted_json(kept)
    assert [name for name, _ in choices] == ["layout"] * ("memory_format" in facts)
    assert set(lengths) == facts.keys() & {"epochs"}


def test_of_named_work_of_others_the_cell_is_in_the_catalogue_and_all_else_is_options():
    facts = {"model": "Llama 3.1 8B", "quantization": "Q4_K_M", "prompt_tokens": 512}
    set_ = {"flash_attn": 1, "n_ubatch": 512, "batch_size": 1, "threads": 8}

    work, choices, _ = divided("llm-prefill", sorted_json({**facts, **set_}) or "")

    assert work == sorted_json(facts)
    assert choices == (("flash_attn", "1"), ("n_ubatch", "512"))


def test_options_of_a_runtime_are_named_where_both_tell_them_and_else_bound():
    base = replace(WORK, workload="llm-prefill", choices=(("flash_attn", "0"),))
    other = replace(base, choices=(("flash_attn", "1"),))
    silent = replace(base, choices=())

    assert difference(base, other, same_source=False).unlike == ("flash_attn",)
    assert difference(base, silent).unlike == ("options",)
    assert difference(base, silent, same_source=False).unstated == ("options",)


def test_figures_of_two_paths_are_never_pooled_and_name_it(connection):
    # Others tell it from the start, our own collectors once it has been taken.
    for turn, (when, path) in enumerate(
        [("before", "MPS"), ("after", "attention math")]
    ):
        where = {"load_1m": 0.1, "cpu_count_usable": 8, "path": path}
        add(connection, made(turn, 1.0, {f"conditions_{when}": where}))
    add(connection, made(2, 1.0))

    result = rates(measurements(stored(connection)))

    measurement, other, untold = sorted(
        result, key=lambda it: -len(it.conditions.surroundings)
    )
    assert differs(measurement, other) == ("path",)
    assert "path" in difference(measurement.conditions, untold.conditions).unstated


@pytest.mark.parametrize(
    ("printed", "short"),
    [
        ("2.13.0+cpu", "2.13"),
        ("1.13.0.dev20220611", "1.13"),
        ("nightly", "nightly"),
        (None, ""),
    ],
)
def test_of_a_framework_major_and_minor_number_count(printed, short):
    assert minor(printed) == short


def test_of_a_system_the_major_version_counts():
    assert system("macOS", "12.01") == "macOS 12"
    assert system("macOS", None) == system(None, "12") == ""


def test_no_measurement_of_the_shipped_database_pools_unlike_work(tmp_path):
    copy = tmp_path / "results.sqlite"  # opening the file itself could touch it
    shutil.copyfile(Path(__file__).parents[2] / "results.sqlite", copy)
    columns = (run.c.digest, run.c.workload, run.c.batch_size, run.c.parameters)

    with open_database(str(copy)).connect() as connection:
        result = measurements(stored(connection))
        work = {
            row.digest: (row.workload, row.batch_size, sorted_json(row.parameters))
            for row in connection.execute(select(*columns))
        }

    pooled = [measurement for measurement in result if len(measurement.runs) > 1]
    assert len(pooled) > 50
    assert [
        measurement
        for measurement in pooled
        if len({work[r] for r in measurement.runs}) > 1
    ] == []
    sizes = [
        measurement
        for measurement in result
        if "size" in measurement.conditions.parameters
    ]
    assert len({size.conditions.parameters for size in sizes}) >= 8
