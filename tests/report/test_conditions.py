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
from benchdb.store.grades import grades
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
    found: dict[tuple[int, str], list[str]] = {}
    number = 0
    for size in (96, 128):
        for trainable in ("all", "last"):
            for _ in range(3):
                seconds = size / 1000 * (2 if trainable == "all" else 1)
                made = process(number, seconds, image_size=size, trainable=trainable)
                found.setdefault((size, trainable), []).append(add(connection, made))
                number += 1
    return found


def rates(found: list[Measurement]) -> list[Measurement]:
    return [one for one in found if one.conditions.metric == "samples_per_second"]


def test_a_sweep_over_two_axes_is_one_measurement_for_each_point(connection):
    points = sweep(connection)

    found = rates(measurements(stored(connection)))

    assert {one.runs for one in found} == {tuple(runs) for runs in points.values()}
    assert all(one.sizes == (3,) and len(set(one.values)) == 1 for one in found)


def test_points_of_a_sweep_differ_in_their_work(connection):
    sweep(connection)
    first, *others = rates(measurements(stored(connection)))

    assert {differs(first, other) for other in others} == {("work",)}


def test_each_point_of_a_sweep_is_graded_by_its_own_processes(connection):
    points = sweep(connection)

    known = grades(connection, select(run.c.digest))
    found = [known[digest].grade for runs in points.values() for digest in runs]

    assert [grade.processes for grade in found if grade] == [3] * 12


def test_a_parameter_that_nobody_knows_makes_other_work(connection):
    add(connection, process(0, 1.0, image_size=96, blorb=1))
    add(connection, process(1, 2.0, image_size=96, blorb=2))

    left, right = rates(measurements(stored(connection)))

    assert (len(left.values), differs(left, right)) == (1, ("work",))


@pytest.mark.parametrize(
    ("field", "facts", "name"),
    [
        ("version", {"version": "1.13.0"}, "version"),
        ("parameters", {"memory_format": "channels_last"}, "layout"),
        ("parameters", {"optimizer_implementation": "fused"}, "optimizer"),
        ("columns", {"conditions_before": {"load_1m": 9, "cpu_count_usable": 8}}, ""),
    ],
)
def test_one_cell_under_two_conditions_is_two_measurements_with_the_name(
    connection, field, facts, name
):
    usual = {"memory_format": "contiguous", "optimizer_implementation": "default"}
    first = process(0, 1.0, **usual)
    other = process(1, 0.5, **usual)
    columns = {**other.columns, "campaign": "later", "started": "2026-03-03T10:00:00Z"}
    if field == "version":
        other = replace(other, version=facts["version"], columns=columns)
    elif field == "parameters":
        changed = {**columns, "parameters": {**usual, **facts}}
        other = replace(other, columns=changed)
    else:
        other = replace(other, columns={**columns, **facts})
    add(connection, first)
    add(connection, other)

    found = rates(measurements(stored(connection)))

    assert sorted(one.values for one in found) == [(32.0,), (64.0,)]
    assert differs(*found) == (name or "load",)


@pytest.mark.parametrize(
    ("left", "right", "names"),
    [
        (1, 8, ("threads",)),
        (8, 8, ()),
        (8, 16, ()),
        (8, None, ()),
        (None, 2, ("threads",)),
    ],
)
def test_fewer_threads_than_cores_of_a_cpu_are_named(connection, left, right, names):
    for turn, threads in enumerate((left, right)):
        machine = replace(MAC, cpu_cores=8, ours=f"{turn}")
        add(connection, replace(process(turn, 1.0, threads=threads), machine=machine))

    one, other = rates(measurements(stored(connection)))

    assert differs(one, other) == names


@pytest.mark.parametrize(
    ("variables", "names"),
    [
        ({"PYTORCH_ENABLE_MPS_FALLBACK": "1"}, ("variables",)),
        ({"PYTORCH_ENABLE_MPS_FALLBACK": "0"}, ()),
        ({"TF_ENABLE_ONEDNN_OPTS": "0"}, ("variables",)),
        ({"TF_ENABLE_ONEDNN_OPTS": "1"}, ()),
        ({"OMP_NUM_THREADS": "4", "CUDA_VISIBLE_DEVICES": "1"}, ()),
    ],
)
def test_environment_variables_that_change_what_runs_are_named(
    connection, variables, names
):
    add(connection, process(0, 1.0))
    other = replace(process(1, 1.0), machine=replace(MAC, ours="other"))
    add(connection, replace(other, variables=variables))

    assert differs(*rates(measurements(stored(connection)))) == names


@pytest.mark.parametrize(
    ("programs", "names"),
    [
        ((("with_torch", "0.1.0"), ("other_bench", "9.0.0")), ("protocol",)),
        ((("other_bench", "9.1.0"), ("other_bench", "9.0.0")), ("protocol",)),
    ],
)
def test_another_program_or_version_of_it_measures_by_another_protocol(
    connection, programs, names
):
    for turn, (name, version) in enumerate(programs):
        made = process(turn, 1.0)
        of_program = {"collector": name, "collector_version": version}
        add(connection, replace(made, columns={**made.columns, **of_program}))

    assert differs(*rates(measurements(stored(connection)))) == names


def test_what_goes_with_the_precision_keeps_half_precisions_in_one_class(connection):
    for turn, facts in enumerate(({"grad_scaler": True}, {})):
        made = process(turn, 1.0, image_size=96, **facts)
        columns = {**made.columns, "precision": ("fp16", "bf16")[turn]}
        add(connection, replace(made, columns=columns))

    assert differs(*rates(measurements(stored(connection)))) == ()


def test_a_busy_session_of_a_campaign_takes_no_figure_from_its_quiet_one(connection):
    busy = {"conditions_before": {"load_1m": 9, "cpu_count_usable": 8}}
    later = {"started": "2026-03-02T12:00:00Z", "ended": "2026-03-02T12:00:50Z"}
    add(connection, process(0, 1.0))
    other = process(1, 2.0)
    add(connection, replace(other, columns={**other.columns, **busy, **later}))

    assert differs(*rates(measurements(stored(connection)))) == ("load",)


def test_what_neither_side_states_is_named_and_allowed_within_one_source():
    silent = replace(WORK, surroundings=(("version", ""), ("load", "")))

    found = difference(silent, silent)

    assert (found.unlike, found.unstated) == ((), ("version", "load"))


def test_between_sources_what_is_not_stated_bounds_the_comparison():
    silent = replace(WORK, surroundings=(("version", ""), ("load", "")))

    found = difference(silent, silent, same_source=False)

    assert found.unlike == ("source",)


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
        # Of another framework the version says nothing, of another family the system.
        ({"framework": "mlx", "surroundings": (("version", "0.30"),)}, ("framework",)),
        ({"surroundings": (("system", "Ubuntu 24"),)}, ()),
    ],
)
def test_each_condition_that_differs_has_a_name(changes, names):
    other = replace(WORK, **changes)

    assert difference(WORK, other).unlike == names
    assert difference(other, WORK).unlike == names


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


def test_two_linuxes_of_other_versions_are_not_alike():
    old = replace(WORK, surroundings=(("system", "Ubuntu 22"),))
    new = replace(WORK, surroundings=(("system", "Ubuntu 24"),))

    assert difference(old, new).unlike == ("system",)


@given(
    st.dictionaries(
        st.sampled_from(
            ["size", "trainable", "memory_format", "epochs", "threads", "blorb"]
        ),
        st.one_of(st.integers(), st.text(max_size=5), st.booleans()),
    )
)
def test_parameters_are_of_the_work_unless_they_are_known_to_be_something_else(facts):
    work, choices, lengths = divided(sorted_json(facts) or "{}")

    of_the_work = facts.keys() & {"size", "trainable", "blorb"}
    kept = {name: facts[name] for name in of_the_work}
    assert work == sorted_json(kept)
    assert [name for name, _ in choices] == ["layout"] * ("memory_format" in facts)
    assert set(lengths) == facts.keys() & {"epochs"}


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
        found = measurements(stored(connection))
        work = {
            row.digest: (row.workload, row.batch_size, sorted_json(row.parameters))
            for row in connection.execute(select(*columns))
        }

    pooled = [one for one in found if len(one.runs) > 1]
    assert len(pooled) > 50
    assert [one for one in pooled if len({work[r] for r in one.runs}) > 1] == []
    sizes = [one for one in found if "size" in one.conditions.parameters]
    assert len({one.conditions.parameters for one in sizes}) >= 8
