"""Work per joule: which figures belong together, and which of them compare."""

from collections.abc import Callable, Iterable

import pytest
from msgspec.structs import replace

from benchdb.report.summary import gather
from benchdb.report.view.atoms import Ratio, Reading
from benchdb.site.answers.efficiency import Efficiency, efficiency
from tests.site.power_runs import (
    CARD,
    FIT,
    M1,
    M2,
    M4,
    MEAN,
    PEAK,
    PER_JOULE,
    RATE,
    SOC,
    counted,
    group_of,
    read,
    rows,
)
from tests.store_factory import Run, add, new_store

Reader = Callable[[Iterable[Run]], Efficiency | None]


@pytest.fixture(scope="module", name="of")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Give what is read of any runs in the same empty database."""
    engine = new_store(tmp_path_factory.mktemp("store") / "results.sqlite")

    def of(runs: Iterable[Run]) -> Efficiency | None:
        with engine.connect() as connection:
            for run in runs:
                add(connection, run)
            result = efficiency(gather(connection))
            connection.rollback()
        return result

    return of


def reference(result: Efficiency | None) -> str | None:
    assert result is not None
    return result.reference.chip if result.reference else None


def ratio_of(result: Efficiency | None, chip: str) -> Ratio:
    ratio = group_of(result, chip).rows[0].ratio
    assert ratio is not None
    return ratio


def test_out_of_a_published_power_follow_samples_per_joule(of):
    run = read(M1, 55.8, 36.08, printed={FIT: "55.8 img/sec", SOC: "36.08W"})

    (row,) = rows(of([run]))

    assert row.per_joule.value == pytest.approx(55.8 / 36.08)
    assert (row.per_joule.unit, row.per_joule.derived) == ("img/J", True)
    assert (row.power.printed, row.power.unit, row.power.derived) == (
        "36.08",
        "W",
        False,
    )
    assert (row.per_joule.n, row.per_joule.low) == (1, None)
    assert {row.rate.run, row.power.run, row.per_joule.run} == {row.rate.run}


def test_counted_joules_are_shown_as_counted_with_their_interval(of):
    result = of(counted(M4, [2.0, 2.1, 1.9]))

    (row,) = rows(result)

    assert row.per_joule.value == pytest.approx((2.0 * 2.1 * 1.9) ** (1 / 3))
    assert (row.per_joule.n, row.per_joule.derived) == (3, False)
    assert row.per_joule.low is not None
    assert row.per_joule.high is not None
    assert row.per_joule.low < row.per_joule.value < row.per_joule.high
    assert group_of(result, "M4").reading == Reading("mean", "soc_model")


def test_samples_per_joule_told_alone_give_the_power(of):
    run = read(M1, 100.0, 4.0, PER_JOULE)

    (row,) = rows(of([run]))

    assert (row.power.value, row.power.derived) == (25.0, True)
    assert (row.per_joule.value, row.per_joule.derived) == (4.0, False)


@pytest.mark.parametrize("watts", [None, 0.0, -5.0])
def test_no_power_is_no_zero(of, watts):
    assert of([read(M1, 100.0, watts)]) is None


def test_a_process_without_power_leaves_its_cell_out(of):
    first, second = counted(M4, [2.0, 2.1])
    second = replace(second, values={RATE: 100.0})

    assert of([first, second]) is None


def test_the_mean_is_preferred_to_a_peak_and_the_chip_to_its_gpu(of):
    both = replace(
        read(M1, 100.0, 30.0),
        values={FIT: 100.0, "peak_gpu_power_watts": 10.0, SOC: 30.0, MEAN: 20.0},
    )

    (row,) = rows(of([both]))

    assert row.power.value == 20.0


def test_one_system_alone_is_shown_and_compared_with_nothing(of):
    result = of([read(M1, 100.0, 20.0), read(M1, 9.0, 20.0, workload="lstm")])

    assert reference(result) is None
    assert [row.workload.name for row in rows(result)] == ["lstm", "resnet50"]


def test_of_several_batch_sizes_the_one_that_most_systems_ran_is_shown(of):
    runs = [
        read(M1, 100.0, 20.0, batch_size=64),
        read(M1, 900.0, 20.0, batch_size=256),
        read(M2, 100.0, 10.0, batch_size=64),
        read(M4, 100.0, 10.0, batch_size=16),
    ]

    result = of(runs)

    assert {row.batch_size for row in rows(result)} == {64, 16}


def test_a_precision_that_others_have_is_shown_before_a_thriftier_one(of):
    runs = [
        read(M1, 100.0, 20.0),
        read(M1, 300.0, 20.0, precision="fp16"),
        read(M2, 100.0, 10.0),
    ]

    assert {row.precision for row in rows(of(runs))} == {"fp32"}


def test_work_that_one_system_did_stands_aside_where_others_share_some(of):
    alone = read(M1, 100.0, 20.0, workload="lstm")

    result = of([alone, read(M1, 100.0, 20.0), read(M2, 100.0, 10.0)])

    assert {row.workload.name for row in rows(result)} == {"resnet50"}


def test_systems_without_common_work_are_shown_and_not_compared(of):
    result = of([read(M1, 100.0, 20.0), read(M2, 9.0, 9.0, workload="lstm")])

    assert reference(result) is None
    assert all(row.ratio is None for row in rows(result))
    assert len(rows(result)) == 2


def test_the_reference_does_less_per_joule_in_the_work_that_both_did(of):
    runs = [
        read(M1, 20.0, 10.0),
        read(M1, 1000.0, 10.0, workload="lstm"),
        read(M2, 30.0, 10.0),
        read(M4, 1100.0, 10.0, workload="lstm"),
    ]

    assert reference(of(runs)) == "M1"


def test_a_card_is_the_reference_though_it_does_more_per_joule(of):
    card = replace(CARD, gpu="NVIDIA A100")

    result = of([read(M1, 10.0, 20.0), read(card, 900.0, 100.0, device="cuda")])

    assert reference(result) == "A100"


def test_a_missing_batch_size_stays_missing(of):
    (row,) = rows(of([read(M1, 100.0, 20.0, batch_size=None)]))

    assert row.batch_size is None


def test_ratios_are_those_of_the_samples_per_joule(of):
    result = of([*counted(M1, [1.0, 1.1]), *counted(M2, [3.0, 3.3])])

    ratio = ratio_of(result, "M2")

    assert ratio.value == pytest.approx(3.0)
    assert (ratio.verdict, ratio.differs) == ("faster", ())


def test_an_unheard_of_scope_is_an_unknown_one(of):
    odd = counted(M1, [1.0], scope="the whole street")
    bare = counted(M2, [1.0], checks={"energy": "a lot"})

    result = of([*odd, *bare])

    assert result is not None
    assert {group.reading for group in result.groups} == {Reading("mean", None)}


def test_a_mac_is_held_against_the_card(of):
    card = read(CARD, 900.0, 300.0, device="cuda", device_name="GeForce RTX 3090")
    result = of([read(M1, 100.0, 20.0), read(M2, 200.0, 25.0), card])

    assert reference(result) == "GeForce RTX 3090"
    # 200 / 25 against 900 / 300.
    assert ratio_of(result, "M2").value == pytest.approx(8 / 3)


def test_less_work_per_joule_is_a_ratio_below_one(of):
    result = of([read(M1, 10.0, 20.0), read(CARD, 900.0, 300.0, device="cuda")])

    assert ratio_of(result, "M1").value == pytest.approx(1 / 6)


def test_like_figures_decide_who_is_compared(of):
    card = read(CARD, 900.0, 300.0, PEAK, device="cuda")
    result = of([read(M1, 100.0, 20.0), read(M2, 100.0, 10.0), card])

    assert reference(result) == "M1"
    assert ratio_of(result, "M2").value == pytest.approx(2.0)


def test_unlike_power_readings_are_named_as_what_differs(of):
    result = of([read(M1, 100.0, 20.0), *counted(M4, [4.0, 4.1])])

    other = "M4" if reference(result) == "M1" else "M1"
    assert "power" in ratio_of(result, other).differs


def test_two_readings_of_unknown_scope_are_not_alike(of):
    result = of([read(M1, 100.0, 20.0, PEAK), read(M2, 200.0, 20.0, PEAK)])

    assert ratio_of(result, "M2").differs == ("power",)


def test_a_flagged_power_keeps_its_notes(of):
    doubtful = read(M2, 200.0, 20.0, flags=[("outlier", SOC)])
    result = of([read(M1, 100.0, 20.0), doubtful])

    assert group_of(result, "M2").rows[0].notes == ("a",)
    assert ratio_of(result, "M2").notes == ("a",)
