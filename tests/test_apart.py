"""What tells rows of the table of values apart that read alike."""

from msgspec.structs import replace

from benchdb.report.apart import told_apart
from benchdb.report.view.listed import ValueRow
from tests import view_fixture

PATTERN = replace(
    view_fixture.values()[0],
    tier="standard",
    started="2026-03-01T08:10:30.000+00:00",
    setting="standard",
)


def said(*rows: ValueRow) -> list[str]:
    return [row.apart for row in told_apart(rows)]


def test_a_row_that_is_alone_of_its_kind_needs_nothing_more():
    other = replace(PATTERN, precision="bf16")

    assert said(PATTERN, other) == ["", ""]


def test_the_same_work_in_two_tiers_on_one_day_is_told_by_the_tier():
    quick = replace(PATTERN, tier="quick")

    assert said(PATTERN, quick) == ["standard", "quick"]


def test_two_campaigns_of_a_tier_are_told_by_the_day():
    later = replace(PATTERN, started="2026-03-02T08:10:30.000+00:00")

    assert said(PATTERN, later) == ["2026-03-01", "2026-03-02"]


def test_two_campaigns_of_one_day_are_told_by_the_minute():
    later = replace(PATTERN, started="2026-03-01T19:45:00.000+00:00")

    assert said(PATTERN, later) == ["2026-03-01 08:10", "2026-03-01 19:45"]


def test_the_tier_alone_is_told_where_it_suffices():
    quick = replace(PATTERN, tier="quick", started="2026-03-02T08:10:30.000+00:00")

    assert said(PATTERN, quick) == ["standard", "quick"]


def test_tier_and_day_are_both_told_where_one_does_not_suffice():
    quick = replace(PATTERN, tier="quick")
    later = replace(PATTERN, started="2026-03-02T08:10:30.000+00:00")

    assert said(PATTERN, quick, later) == [
        "standard 2026-03-01",
        "quick 2026-03-01",
        "standard 2026-03-02",
    ]


def test_another_setting_of_the_same_network_is_told_by_its_name():
    papers = replace(PATTERN, setting="pytorch-in-m1")

    assert said(PATTERN, papers) == ["standard", "pytorch-in-m1"]


def test_a_row_of_unknown_time_stays_beside_one_of_a_known_day():
    unknown = replace(PATTERN, started=None, tier=None)

    assert said(PATTERN, unknown) == ["standard", ""]


def test_figures_with_another_place_in_their_source_are_apart_already():
    here, there = replace(PATTERN, locator="line 1"), replace(PATTERN, locator="line 2")

    assert said(here, there) == ["", ""]


def point(**parameters: str) -> ValueRow:
    return replace(PATTERN, parameters=tuple(parameters.items()))


def test_points_of_a_sweep_are_told_by_the_parameters_in_which_they_differ():
    said_ = said(
        point(data="synthetic", image_size="96", trainable="all"),
        point(data="synthetic", image_size="96", trainable="last"),
        point(data="synthetic", image_size="128", trainable="last"),
    )

    assert said_ == [
        "image_size 96 trainable all",
        "image_size 96 trainable last",
        "image_size 128 trainable last",
    ]


def test_a_parameter_that_one_of_two_rows_has_is_told_of_that_one():
    assert said(point(data="synthetic"), point(data="synthetic", blorb="2")) == [
        "",
        "blorb 2",
    ]


def test_all_conditions_that_differ_are_told_where_one_would_do():
    old = replace(PATTERN, conditions=(("version", "2.0"), ("system", "macOS 13")))
    new = replace(PATTERN, conditions=(("version", "2.13"), ("system", "macOS 26")))

    assert said(old, new) == [
        "version 2.0 system macOS 13",
        "version 2.13 system macOS 26",
    ]
