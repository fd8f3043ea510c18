"""Which cells two sides share, and what is said of them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchdb.compare.cell_rows import CellRow, Comparison, compare
from benchdb.compare.sides import sides
from benchdb.store.database import open_database
from tests.compared import M1, M1_TOO, M2, STEADY, campaign, published, stored
from tests.store_factory import Machine, Run

Compared = Callable[..., Comparison]


@pytest.fixture(name="compared")
def in_a_new_database(tmp_path: Path) -> Compared:
    """Compare *names*, else campaigns a and b, in a database of these runs."""

    def compared(runs: Sequence[Run], *names: str, **wishes: Any) -> Comparison:
        path = tmp_path / "results.sqlite"
        stored(path, runs)
        names = names or ("campaign:a", "campaign:b")
        base, other = sides(open_database(str(path)), names)
        return compare(base, other, **wishes)

    return compared


def only(comparison: Comparison) -> CellRow:
    (row,) = comparison.cells
    return row


def fact(comparison: Comparison, name: str) -> tuple[str, str] | None:
    named = {fact.name: (fact.base, fact.other) for fact in comparison.facts}
    return named.get(name)


def test_the_ratio_says_how_many_times_as_fast_the_second_side_is(compared):
    runs = [*campaign("a", 100.0), *campaign("b", 150.0, day=2)]

    result = compared(runs)

    row = only(result)
    assert row.ratio.value == pytest.approx(1.5)
    assert row.ratio.low is not None
    assert 1.4 < row.ratio.low < 1.5
    assert row.ratio.high is not None
    assert 1.5 < row.ratio.high < 1.6
    assert row.ratio.verdict == "faster"
    assert row.base.quantity.value == pytest.approx(100, rel=1e-3)
    assert row.base.quantity.n == 3
    assert result.mean is not None
    assert result.mean.verdict == "faster"
    assert result.spread == (row.ratio.value, row.ratio.value)


def test_times_are_turned_so_that_more_is_faster(compared):
    runs = [
        *campaign("a", 2.0, metric="step_seconds"),
        *campaign("b", 1.0, metric="step_seconds"),
    ]

    row = only(compared(runs))

    assert row.ratio.value == pytest.approx(2)
    assert row.ratio.verdict == "faster"


def test_other_work_is_named(compared):
    runs = [*campaign("a", 100.0), *campaign("b", 150.0, workload="distilbert")]

    result = compared(runs)

    assert result.cells == ()
    assert result.mean is None
    assert result.reason == (
        "no work in common: campaign a has resnet50, campaign b has distilbert"
    )
    assert (result.only_base, result.only_other) == ({"resnet50": 1}, {"distilbert": 1})


def test_a_side_without_a_figure_is_named(compared):
    failed = campaign("b", 1.0, columns={"status": "failed", "reason": "no memory"})

    result = compared([*campaign("a", 100.0), *failed])

    assert result.reason == "campaign b has no figure of a speed or time"


def test_runs_that_failed_a_check_count_nowhere(compared):
    flagged = campaign(
        "b", 1e7, findings=(("impossible-figure", "samples_per_second", {}),)
    )

    result = compared([*campaign("a", 100.0), *flagged])

    assert result.cells == ()
    assert result.reason == (
        "campaign b has no figure that counts: 3 of 3 runs failed a check (grade X)"
    )


def test_what_is_noted_on_a_figure_is_named_and_counts(compared):
    flagged = campaign("b", 150.0, flags=(("odd", "samples_per_second"),))

    row = only(compared([*campaign("a", 100.0), *flagged]))

    assert row.other.flags == ("odd",)
    assert row.base.flags == ()
    assert row.counts


def test_a_rate_and_a_time_meet_as_samples_per_second_and_it_is_said(compared):
    columns = {"parameters": {"batch_size": 128, "samples_total": 15360}}
    runs = [
        *campaign("a", 100.0),
        *campaign("b", 76.8, metric="script_wall_seconds", columns=columns),
    ]

    result = compared(runs)

    row = only(result)
    assert row.ratio.value == pytest.approx(2, rel=0.01)  # 200 samples per second
    assert row.ratio.verdict == "not comparable"
    assert row.ratio.differs == ("protocol",)
    assert not row.counts
    assert result.reason == "no cell is alike on both sides: they differ in protocol"


def test_units_that_do_not_meet_are_said(compared):
    runs = [*campaign("a", 100.0), *campaign("b", 1.0, metric="operation_seconds")]

    result = compared(runs)

    assert result.cells == ()
    assert result.reason == (
        "the same work is timed in ways that do not meet: campaign a has "
        "samples_per_second, step_seconds, campaign b has operation_seconds"
    )


def test_published_single_runs_have_a_verdict_and_no_interval(compared):
    runs = [
        published(1000.0, machine=Machine("M1"), source="paper"),
        published(250.0, machine=Machine("M1 Max"), source="paper"),
    ]

    row = only(compared(runs, "chip:M1", "chip:M1 Max"))

    assert row.ratio.value == pytest.approx(4)
    assert (row.ratio.low, row.ratio.high) == (None, None)
    assert row.ratio.verdict == "faster"
    assert (row.base.quantity.grade, row.base.quantity.n) == ("I", 1)


def test_several_machines_of_a_chip_are_their_median_with_an_interval(compared):
    runs = [
        *campaign("b", 200.0, machine=M2),
        *(
            run
            for number, speed in enumerate((100.0, 102.0, 110.0))
            for run in campaign(
                f"a{number}", speed, machine=Machine("M1", ours=f"{number:016}")
            )
        ),
    ]

    row = only(compared(runs, "chip:M1", "chip:M2"))

    assert row.base.machines == 3
    assert row.base.quantity.n == 9
    assert row.base.quantity.value == pytest.approx(102, rel=1e-3)
    low, high = row.base.quantity.low, row.base.quantity.high
    assert low is not None
    assert high is not None
    assert low < 95
    assert high > 110
    assert row.ratio.value == pytest.approx(200 / 102, rel=1e-3)


@pytest.mark.parametrize(
    ("faster", "machine", "verdict"),
    [(1.035, M1, "faster"), (1.035, M1_TOO, "even"), (1.12, M1_TOO, "faster")],
)
def test_two_machines_must_differ_by_more_than_one(faster, machine, verdict, compared):
    close = (0.9995, 1.0, 1.0005, 1.0, 1.0)
    runs = [
        *campaign("a", 100.0, shares=close),
        *campaign("b", 100.0 * faster, shares=close, machine=machine),
        # What sessions do is known: these two are of the same sessions.
        *campaign("a", 100.0, shares=close, day=2),
        *campaign("b", 100.0 * faster, shares=close, machine=machine, day=2),
        *campaign("a", 100.0, shares=close, day=3),
        *campaign("b", 100.0 * faster, shares=close, machine=machine, day=3),
    ]

    assert only(compared(runs)).ratio.verdict == verdict


def test_a_threshold_of_ones_own_decides_what_is_even(compared):
    runs = [*campaign("a", 100.0), *campaign("b", 150.0, day=2)]

    result = compared(runs, threshold=0.8)

    assert only(result).ratio.verdict == "even"
    assert result.mean is not None
    assert result.mean.verdict == "even"


def test_versions_that_differ_on_one_machine_are_compared_and_named(compared):
    runs = [*campaign("a", 100.0), *campaign("b", 150.0, version="2.6.0")]

    result = compared(runs)

    assert only(result).ratio.verdict == "faster"
    assert fact(result, "framework") == ("torch 2.5.0", "torch 2.6.0")


def test_versions_that_differ_on_two_machines_count_only_where_that_is_accepted(
    compared,
):
    runs = [*campaign("a", 100.0), *campaign("b", 150.0, version="2.6.0", machine=M2)]

    ratio = only(compared(runs)).ratio
    accepted = compared([], accepted=("version",))

    assert (ratio.verdict, ratio.differs) == ("not comparable", ("version",))
    assert only(accepted).ratio.verdict == "faster"
    assert fact(accepted, "framework") == ("torch 2.5.0", "torch 2.6.0")


@pytest.mark.parametrize("smoke", ["a", "b", "ab"])
def test_smoke_runs_prove_nothing(smoke, compared):
    runs = [
        run
        for name, speed in (("a", 100.0), ("b", 150.0))
        for run in campaign(
            name, speed, columns={"tier": "smoke" if name in smoke else "quick"}
        )
    ]

    result = compared(runs, accepted=("tier",))

    assert only(result).ratio.verdict == "insufficient"
    assert result.mean is None
    assert result.reason is not None
    assert result.reason.startswith("the evidence is too poor: smoke runs")


def test_a_busy_machine_leaves_it_unclear_and_out_of_the_mean(compared):
    busy = {"conditions_before": {"load_1m": 30.0, "cpu_count_usable": 8}}
    runs = [*campaign("a", 100.0), *campaign("b", 150.0, columns=busy)]

    result = compared(runs)

    assert only(result).ratio.verdict == "unclear"
    assert only(result).ratio.differs == ("load",)
    assert result.mean is None


def test_the_likest_batch_sizes_meet_and_others_are_counted(compared):
    def swept(name: str, speed: float, *batches: int) -> list[Run]:
        sizes = [{"batch_size": batch} for batch in batches]
        return [run for it in sizes for run in campaign(name, speed, columns=it)]

    runs = [*swept("a", 100.0, 32, 64), *swept("b", 150.0, 64, 128)]

    result = compared(runs)

    assert only(result).batch_size == 64
    assert (result.only_base, result.only_other) == ({"resnet50": 1}, {"resnet50": 1})


def test_only_another_batch_size_is_better_than_nothing(compared):
    runs = [
        *campaign("a", 100.0, columns={"batch_size": 32}),
        *campaign("b", 150.0, columns={"batch_size": 64}),
    ]

    row = only(compared(runs))

    assert (row.ratio.verdict, row.ratio.differs) == ("not comparable", ("batch",))


def test_a_processor_meets_an_accelerator_only_where_nothing_else_does(compared):
    both = [
        *campaign("a", 100.0),
        *campaign("a", 10.0, device="cpu"),
        *campaign("b", 150.0),
        *campaign("b", 20.0, device="cpu"),
    ]
    crossed = [*campaign("c", 10.0, device="cpu"), *campaign("d", 150.0)]

    result, other = compared(both), compared(crossed, "campaign:c", "campaign:d")

    pairs = [(row.base.device, row.other.device) for row in result.cells]
    assert sorted(pairs) == [("cpu", "cpu"), ("metal", "metal")]
    assert [(row.base.device, row.other.device) for row in other.cells] == [
        ("cpu", "metal")
    ]


def test_the_same_runs_are_no_comparison(compared):
    result = compared(campaign("a", 100.0), "campaign:a", "chip:M1")

    assert result.cells == ()
    assert result.reason == "both sides are the same runs"


def test_facts_are_of_what_was_compared(compared):
    runs = [
        *campaign("a", 100.0),
        *campaign("a", 10.0, workload="distilbert", columns={"precision": "bf16"}),
        *campaign("b", 150.0, machine=M2),
    ]

    result = compared(runs)

    assert fact(result, "accelerator") == ("M1", "M2")
    assert fact(result, "precision") is None


FIT = "fit_samples_per_second"


def did(version: int | None) -> dict[str, Any]:
    """Return columns of runs that did again what their source did; 1 is not said."""
    values = {} if version is None else {"version": version}
    return {"checks": {"seed_protocol": {"kind": "fit", **values}}}


@pytest.mark.parametrize(
    ("versions", "differs"), [((2, 2), ()), ((None, 1), ()), ((None, 2), ("protocol",))]
)
def test_another_version_of_a_sources_protocol_is_named(versions, differs, compared):
    base, other = (
        campaign(name, 100.0, metric=FIT, machine=machine, columns=did(version))
        for name, machine, version in zip("ab", (M1, M2), versions, strict=True)
    )

    result = compared([*base, *other])

    assert only(result).ratio.differs == differs
    pair = ("version 1", "version 2") if differs else None
    assert fact(result, "protocol of the source") == pair


def test_a_sources_own_figure_is_of_another_protocol_than_ours(compared):
    theirs = Run(
        values={FIT: 50.0},
        source="paper",
        framework="torch",
        device="metal",
        version="2.5.0",
        machine=M2,
        columns={"parameters": {"batch_size": 128}, "batch_size": 128},
    )
    ours = campaign("a", 100.0, metric=FIT, columns=did(2))

    result = compared([*ours, theirs], "campaign:a", "source:paper")

    assert "protocol" in only(result).ratio.differs


def test_sizes_tell_the_points_of_a_sweep(compared):
    def products(name: str, speed: float) -> list[Run]:
        return [
            run
            for size in (1024, 512)
            for run in campaign(
                name,
                speed * size,
                workload="matmul",
                metric="teraflops",
                columns={"batch_size": 1, "parameters": {"size": size}},
            )
        ]

    result = compared([*products("a", 1.0), *products("b", 2.0)])

    assert [row.size for row in result.cells] == ["size 512", "size 1024"]
    assert [row.ratio.value for row in result.cells] == pytest.approx([2, 2])


def test_a_statistic_that_only_some_figures_have_tells_them_apart(compared):
    def side(name, speed):
        kinds: tuple[dict[str, Any], ...] = ({}, {"statistic": "min"})
        return [
            run
            for kind in kinds
            for run in campaign(name, speed, columns={"parameters": kind})
        ]

    result = compared([*side("a", 100.0), *side("b", 150.0)])

    assert sorted(row.size for row in result.cells) == ["", "statistic min"]


def test_chips_of_a_source_meet_their_own_kind(compared):
    m1, m2 = Machine("M1"), Machine("M2")
    runs = [
        published(110.0, machine=m1, source="paper"),
        published(360.0, machine=m2, source="paper"),
        published(100.0, machine=m1, source="other"),
        published(300.0, machine=m2, source="other"),
    ]

    rows = compared(runs, "source:paper", "source:other").cells

    assert {
        (row.base.accelerator, row.other.accelerator): round(row.ratio.value, 6)
        for row in rows
    } == {("M1", "M1"): 1.1, ("M2", "M2"): 1.2}


def written(
    name: str,
    speed: float,
    weights: str,
    source: str | None = None,
    batch: int | None = None,
    **facts: Any,
) -> list[Run]:
    """Text written by a model on an M1: by our collector, or as a source tells."""
    size = batch if source else batch or 1
    ours = {"batch_size": size, "attention": "sdpa", "threads": 8}
    own = {"model": "Llama 3.1 8B", "generated_tokens": 128, "quantization": weights}
    columns = {
        "batch_size": size,
        "setting": "llama-bench",
        "parameters": own | ({} if source else ours),
        "precision": None if source else "bf16",
        **({"label": "transcribed", "tier": None} if source else {}),
    }
    return campaign(
        None if source else name,
        speed,
        metric="tokens_per_second",
        columns=columns,
        shares=(1.0,) if source else STEADY,
        workload="llm-decode",
        framework="llama.cpp" if source else "torch",
        source=source,
        **facts,
    )


def test_what_llama_bench_published_stands_beside_what_we_wrote(compared):
    runs = [
        *written("ours", 20.0, "bf16"),
        *written("ours", 50.0, "4bit"),
        *written("theirs", 25.0, "F16", source="paper", machine=M2),
        *written("theirs", 90.0, "Q4_K_M", source="paper", machine=M2),
    ]

    rows = compared(runs, "campaign:ours", "source:paper").cells

    speeds = {
        (round(row.base.quantity.value), row.other.quantity.value) for row in rows
    }
    assert speeds == {(20, 25), (50, 90)}
    assert {row.ratio.differs for row in rows} == {("framework", "weights")}


def test_the_same_weights_meet_before_others_of_as_many_bits(compared):
    runs = [
        *written("ours", 20.0, "4bit"),
        *written("theirs", 25.0, "Q4_0", source="paper", machine=M2),
        *written("theirs", 30.0, "4bit", source="paper", machine=M2),
    ]

    row = only(compared(runs, "campaign:ours", "source:paper"))

    assert row.other.quantity.value == 30
    assert row.ratio.differs == ("framework",)


def test_weights_that_the_other_side_has_not_meet_those_of_as_many_bits(compared):
    paper: Any = {"source": "paper", "machine": M2}
    runs = [
        *written("ours", 20.0, "bf16"),
        *written("ours", 50.0, "4bit"),
        *written("theirs", 25.0, "bf16", **paper),
        *written("theirs", 90.0, "Q4_K_M", **paper),
        *written("theirs", 60.0, "Q8_0", **paper),
    ]

    rows = compared(runs, "campaign:ours", "source:paper").cells

    assert {row.other.quantity.value: row.ratio.differs for row in rows} == {
        25: ("framework",),
        90: ("framework", "weights"),
    }


def test_a_model_that_is_asked_alone_meets_one_whose_batch_is_not_stated(compared):
    paper: Any = {"source": "paper", "machine": M2}
    runs = [
        *written("ours", 20.0, "bf16"),
        *written("ours", 80.0, "bf16", batch=8),
        *written("theirs", 25.0, "bf16", **paper),
        *written("theirs", 90.0, "bf16", batch=8, **paper),
    ]

    rows = compared(runs, "campaign:ours", "source:paper").cells

    speeds = [
        (round(row.base.quantity.value), row.other.quantity.value) for row in rows
    ]
    assert sorted(speeds) == [(20, 25), (80, 90)]
