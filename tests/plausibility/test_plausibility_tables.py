"""Rules that compare the runs of a source with each other."""

import pytest
from msgspec.structs import replace

from benchdb.plausibility.rules import judge
from tests.observed_runs import codes, seen, table

TIME, RATE = "script_wall_seconds", "tokens_per_second"
SHARE = "script_cpu_percent"
SWAPPED = {
    "M1": {"big": 30.0, "small": 10.0, "tiny": 4.0},
    "M2": {"big": 20.0, "small": 8.0, "tiny": 3.0},
    "M3": {"big": 16.0, "small": 6.0, "tiny": 2.0},
    "M4": {"big": 4.0, "small": 12.0, "tiny": 1.6},
}
ALIKE = {
    "M1": {"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0},
    "M1 Pro": {"a": 5.0, "b": 11.0, "c": 14.0, "d": 60.0},
    "M1 Max": {"a": 4.9, "b": 10.5, "c": 14.5, "d": 19.0},
    "M1 Ultra": {"a": 4.0, "b": 6.0, "c": 8.0, "d": 11.0},
}


FAR = {"peer": "M1 Max", "seconds": 60, "peer_seconds": 19, "expected_seconds": 19.4}
RATES = {
    name: {
        machine: {work: 1000 / seconds for work, seconds in row.items()}
        for machine, row in rows.items()
    }
    for name, rows in (("swapped", SWAPPED), ("alike", ALIKE))
}


def changed(rows, machine, **figures):
    return {**rows, machine: {**rows[machine], **figures}}


def without(rows, machine):
    return {name: row for name, row in rows.items() if name != machine}


@pytest.mark.parametrize(
    ("metric", "rows", "detail"),
    [
        (TIME, SWAPPED, {"longer_seconds": 4, "shorter_seconds": 12}),
        (RATE, RATES["swapped"], {"longer_rate": 250, "shorter_rate": 1000 / 12}),
    ],
)
def test_figures_that_changed_places_are_found_by_all_peers(metric, rows, detail):
    findings = judge(table(metric, rows), {"order-inverted"})

    assert codes(findings) == [
        ("M4-big", "order-inverted"),
        ("M4-small", "order-inverted"),
    ]
    peers = {"peers": 3, "peers_low": 2.5, "peers_high": 3}
    work = {"longer": "big", "shorter": "small"}
    values = {} if metric == TIME else {"metric": RATE}
    assert findings[0].detail == {**work, **detail, **peers, **values}


HONEST_ORDERS = {
    "few peers": table(TIME, without(SWAPPED, "M1")),
    "peers disagree": table(TIME, changed(SWAPPED, "M3", big=5.0)),
    "no clear margin": table(TIME, changed(SWAPPED, "M4", big=11.0)),
    "swapped no better": table(TIME, changed(SWAPPED, "M4", big=0.4)),
    "only one is off": table(
        TIME, changed(SWAPPED, "M4", big=4.0, small=12.0, tiny=0.5)
    ),
    "another architecture may order otherwise": [
        *table(TIME, without(SWAPPED, "M4")),
        *table(TIME, {"Xeon": SWAPPED["M4"]}, chip_vendor="Intel"),
    ],
    "other devices are no peers": [
        *table(TIME, without(SWAPPED, "M1")),
        *table(TIME, {"M1": SWAPPED["M1"]}, device="cpu"),
    ],
    "a cell told twice": [
        *table(TIME, SWAPPED),
        seen("again", machine="M4", workload="big", values={TIME: 4.1}),
    ],
    "a large suite": table(
        TIME,
        {
            name: {**row, **{f"w{i}": 3.0 + i for i in range(60)}}
            for name, row in SWAPPED.items()
        },
    ),
    "without a source": table(TIME, SWAPPED, source=None),
    "what we measured": table(TIME, SWAPPED, label="measured"),
}


@pytest.mark.parametrize("runs", HONEST_ORDERS.values(), ids=HONEST_ORDERS)
def test_an_order_that_may_be_honest_is_not_doubted(runs):
    assert judge(runs, {"order-inverted", "outlier"}) == ()


def test_little_other_work_is_enough_for_a_swap():
    pairs = {
        name: {work: row[work] for work in ("big", "small")}
        for name, row in SWAPPED.items()
    }
    few = {**pairs, "M3": SWAPPED["M3"], "M4": SWAPPED["M4"]}  # too few peers for it

    for rows in (pairs, few):
        assert len(judge(table(TIME, rows), {"order-inverted"})) == 2


def test_extreme_figures_have_finite_details():
    far = {name: {"big": 1e300, "small": 1e-300} for name in ("M1", "M2", "M3")}
    rows = {**far, "M4": {"big": 1e-300, "small": 1e300}}

    details = [
        finding.detail for finding in judge(table(TIME, rows), {"order-inverted"})
    ]

    assert len(details) == 2
    assert details[0]["peers_high"] != float("inf")


def test_a_figure_far_from_that_of_a_machine_alike_is_an_outlier():
    findings = judge(table(TIME, ALIKE), {"outlier"})

    assert codes(findings) == [("M1 Pro-d", "outlier")]
    assert findings[0].metric == TIME
    assert findings[0].detail == FAR
    rates = judge(table(RATE, RATES["alike"]), {"outlier"})
    assert rates[0].detail["peer"] == "M1 Max"


def test_one_of_the_operations_of_a_framework_is_no_outlier():
    runs = [
        replace(
            run, workload="tensor-operation", parameters={"operation": run.workload}
        )
        for run in table(TIME, ALIKE)
    ]

    assert not judge(runs, {"outlier", "order-inverted"})


def test_extreme_figures_make_outliers_with_finite_details():
    tiny = {"M1": 1e-300, "M1 Pro": 1e300, "M1 Max": 1e-300, "M1 Ultra": 1e-300}
    rows = {
        name: {"a": value, "b": value, "c": value, "d": 1.0}
        for name, value in tiny.items()
    }
    rows["M1 Pro"] = {"a": 1e300, "b": 1e300, "c": 1e300, "d": 1e-9}

    (finding,) = judge(table(TIME, rows), {"outlier"})

    assert finding.run == "M1 Pro-d"
    assert finding.detail["expected_seconds"] != float("inf")


@pytest.mark.parametrize(
    ("shares", "result"),
    [
        (
            {"M1": 650.0, "M1 Pro": 380.0, "M1 Max": 810.0},
            {"stated": 380, "peers": 2, "peers_low": 650, "peers_high": 810},
        ),
        (dict.fromkeys(ALIKE, 700.0), {}),  # as usual
    ],
)
def test_an_outlier_tells_its_use_of_the_processor_where_that_is_odd_as_well(
    shares, result
):
    runs = [
        replace(run, values={**run.values, SHARE: shares[run.machine]})
        if run.machine in shares
        else run
        for run in table(TIME, ALIKE)
    ]

    assert judge(runs, {"outlier"})[0].detail == FAR | result


@pytest.mark.parametrize(
    "rows",
    [
        without(ALIKE, "M1"),  # three systems
        changed(ALIKE, "M1 Pro", d=26.0),  # not far
        changed(ALIKE, "M1 Pro", a=15.0),  # not alike in the rest
        changed(ALIKE, "M1 Pro", d=20.0),  # nothing odd
        {name: {"a": row["a"], "d": row["d"]} for name, row in ALIKE.items()},
    ],
    ids=["few systems", "near", "unlike", "in line", "little work"],
)
def test_a_figure_that_may_be_honest_is_no_outlier(rows):
    assert judge(table(TIME, rows), {"outlier"}) == ()


def test_third_machines_say_which_of_two_is_odd():
    quick = changed(changed(ALIKE, "M1 Pro", d=19.5), "M1 Max", d=6.0)

    assert codes(judge(table(TIME, quick), {"outlier"})) == [("M1 Max-d", "outlier")]


def test_one_key_told_twice_with_other_figures_is_doubted_in_both_runs():
    runs = [
        seen("a", values={TIME: 10.0, "peak_power_watts": 30.0}),
        seen("b", values={TIME: 12.5, "peak_power_watts": 30.0}),
        seen("c", values={TIME: 99.0}, batch_size=64),
    ]

    findings = judge(runs, {"duplicate-key"})

    assert codes(findings) == [("a", "duplicate-key"), ("b", "duplicate-key")]
    assert {finding.metric for finding in findings} == {TIME}
    assert findings[0].detail == {"runs": 2, "low": 10, "high": 12.5}


@pytest.mark.parametrize(
    "facts",
    [
        {"label": "measured"},
        {"source": None},
        {"started": "2026-01-02"},
        {"environment": "another framework version"},
        {"parameters": {"optimizer": "Adam"}},
        {"values": {TIME: 10.0}},
        {"values": {RATE: 12.0}},
    ],
)
def test_runs_that_differ_in_more_than_figures_are_no_doubles(facts):
    runs = [
        seen("a", values={TIME: 10.0}),
        seen("b", **{"values": {TIME: 12.0}, **facts}),
    ]
    if facts in ({"label": "measured"}, {"source": None}):
        runs[0] = seen("a", values={TIME: 10.0}, **facts)

    assert judge(runs, {"duplicate-key"}) == ()


def by_batch(figures, **facts):
    """Return the runs of one system: a figure by metric name and batch size."""
    return [
        seen(
            f"{facts.get('machine', 'mac')}-{facts.get('device', 'metal')}-{size}",
            batch_size=size,
            parameters={"batch_size": size, "images": 1000, "steps_per_epoch": 9},
            values={metric: value},
            **facts,
        )
        for (metric, size), value in figures.items()
    ]


SLOWER = "slower-in-larger-batches"
FIT, EPOCH = "fit_samples_per_second", "epoch_seconds"
RISING = {(FIT, 64): 1000.0, (FIT, 128): 1100.0}


def test_a_larger_batch_that_is_slower_on_one_system_only_is_noted():
    falling = {(FIT, 64): 72.8, (FIT, 128): 55.8, (FIT, 256): 73.0}
    runs = by_batch(falling) + by_batch(RISING, machine="pc", device="cuda")

    (finding,) = judge(runs, {SLOWER})

    assert (finding.run, finding.metric) == ("mac-metal-128", FIT)
    assert finding.detail == {
        "batch_size": 128,
        "smaller_batch_size": 64,
        "rate": 55.8,
        "smaller_rate": 72.8,
        "peers": 1,
    }


def test_seconds_of_the_same_epoch_are_compared_as_well():
    cpu = by_batch({(EPOCH, 4): 223.1, (EPOCH, 64): 436.7}, device="cpu")
    gpu = by_batch({(EPOCH, 4): 45.1, (EPOCH, 64): 17.1})

    (finding,) = judge(cpu + gpu, {SLOWER})

    assert (finding.run, finding.detail["seconds"]) == ("mac-cpu-64", 436.7)
    assert finding.detail["smaller_seconds"] == 223.1


@pytest.mark.parametrize(
    "figures",
    [
        {(FIT, 64): 181.5, (FIT, 128): 174.7},  # no tenth
        {(EPOCH, 4): 188.3, (EPOCH, 64): 217.4},  # such times differ by more
        {(FIT, 64): 72.8},
        {(FIT, 64): 72.8, (EPOCH, 128): 900.0},
        {(FIT, 64): 72.8, ("tokens_per_second", 128): 3.0},
    ],
)
def test_what_chance_may_do_to_a_larger_batch_is_not_noted(figures):
    peers = by_batch({**RISING, (EPOCH, 4): 9.0, (EPOCH, 64): 5.0}, machine="pc")

    assert judge(by_batch(figures) + peers, {SLOWER}) == ()


def test_larger_batches_that_are_slower_elsewhere_too_are_not_noted():
    falling = {(FIT, 64): 72.8, (FIT, 128): 55.8}
    alone = by_batch(falling)
    peers = by_batch(RISING, machine="pc")
    other = by_batch(falling, machine="other")

    assert judge(alone, {SLOWER}) == ()
    assert len(judge(alone + peers, {SLOWER})) == 1
    assert judge(alone + peers + other, {SLOWER}) == ()


@pytest.mark.parametrize(
    "unlike",
    [
        {"precision": "fp16-mixed"},
        {"environment": "e" * 64},
        {"compiler": "xla"},
        {"machine": "second"},
        {"device": "cpu"},
        {"setting": "paper"},
        {"workload": "vgg16"},
    ],
)
def test_batches_of_unlike_work_or_conditions_are_not_compared(unlike):
    smaller = by_batch({(FIT, 64): 72.8})
    larger = by_batch({(FIT, 128): 55.8}, **unlike)
    peers = by_batch(RISING, machine="pc")

    assert judge(smaller + larger + peers, {SLOWER}) == ()


def test_epochs_over_other_numbers_of_images_are_not_compared():
    cpu = by_batch({(EPOCH, 4): 223.1, (EPOCH, 64): 436.7}, device="cpu")
    gpu = by_batch({(EPOCH, 4): 45.1, (EPOCH, 64): 17.1})
    longer = replace(cpu[1], parameters={"images": 2000})

    assert len(judge([*cpu, *gpu], {SLOWER})) == 1
    assert judge([cpu[0], longer, *gpu], {SLOWER}) == ()
