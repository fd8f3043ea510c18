"""Headings and the lead tell what the rows below them show."""

import pytest
from msgspec.structs import replace

from benchdb.report.language import load
from benchdb.report.sections.metal import MetalSection
from benchdb.report.view.atoms import Ratio, Verdict
from benchdb.report.view.page import Report
from benchdb.report.wording import sections, sentences
from tests import view_fixture
from tests.view_fixture import with_sections

EN = load("en")
REPORT = view_fixture.report()
SECTIONS = (
    "glance",
    "metal",
    "ranking",
    "distance",
    "values",
    "machines",
    "notes",
    "how",
    "sources",
)


def with_verdicts(*verdicts: tuple[Verdict, ...]) -> Report:
    """Return a report with what Metal does for each workload, chip by chip."""
    metal: MetalSection = REPORT.sections["metal"]
    groups = tuple(
        replace(group, rows=tuple(replace(group.rows[0], ratio=it) for it in ratios))
        for group, words in zip(metal.groups, verdicts, strict=False)
        for ratios in ([Ratio(2.0, word) for word in words],)
    )
    return with_sections(REPORT, metal=replace(metal, groups=groups))


def test_metal_pays_off_by_the_work_in_a_step_where_it_is_known():
    groups = tuple(
        replace(group, batch_size=128) for group in REPORT.sections["metal"].groups
    )
    report = with_sections(
        REPORT, metal=replace(REPORT.sections["metal"], groups=groups)
    )
    neutral = "Metal pays off for some workloads, not for others"

    assert sections.section_title(EN, REPORT, "metal") == neutral
    assert sections.section_title(EN, report, "metal").replace("\u00a0", " ") == (
        "Metal pays off where a training step takes 227 GFLOP or more, not at "
        "52 MFLOP or less"  # the LSTM takes 64, and there it is unclear
    )
    # At one image a step, the large network computes less than the small one.
    one = tuple(
        replace(group, batch_size=1 if group.workload.name == "mobilenetv2" else 9000)
        for group in groups
    )
    report = with_sections(REPORT, metal=replace(REPORT.sections["metal"], groups=one))
    assert sections.section_title(EN, report, "metal") == neutral


@pytest.mark.parametrize(
    ("verdicts", "title"),
    [
        ([("faster",)], "Metal pays off for every workload measured"),
        ([("slower",)], "Metal pays off for none of the workloads measured"),
        (
            [("faster",), ("even",)],
            "Metal pays off for some workloads, not for others",
        ),
        (
            [("faster",), ("slower",)],
            "Metal pays off for some workloads, not for others",
        ),
        ([("faster",), ("unclear",)], "Metal pays off for some workloads"),
        ([("faster",), ("slower", "faster")], "Metal pays off for some workloads"),
        ([("slower",), ("unclear",)], "With and without Metal"),
        ([("unclear",)], "With and without Metal"),
        ([], "With and without Metal"),
    ],
)
def test_the_metal_heading_follows_the_verdicts(verdicts, title):
    assert sections.section_title(EN, with_verdicts(*verdicts), "metal") == title


def test_the_ranking_heading_names_the_best_like_system():
    assert sections.section_title(EN, REPORT, "ranking") == (
        "M1 Ultra · Metal trains fastest of 6 systems under like conditions"
    )


def test_a_flagged_system_never_heads_the_ranking():
    flagged = next(
        row
        for row in REPORT.sections["ranking"].rows
        if row.system.chip == "M1 Pro" and row.system.device == "cpu"
    )
    best = replace(flagged, mean=Ratio(99, "faster"))
    rows = (best, *REPORT.sections["ranking"].rows)
    report = with_sections(
        REPORT, ranking=replace(REPORT.sections["ranking"], rows=rows)
    )

    assert sections.section_title(EN, report, "ranking") == "Ranking"


def test_nothing_heads_the_ranking_that_may_not_lead_or_does_not_always():
    best, *rest = REPORT.sections["ranking"].rows
    bare = replace(best, leads=False)
    slower = replace(best.cells[0], ratio=Ratio(0.5, "slower"))
    once = replace(best, cells=(slower, *best.cells[1:]))
    chancy, unknown = (replace(best, chance=chance) for chance in (1.0, None))
    for row in (bare, once, chancy, unknown):
        report = with_sections(
            REPORT, ranking=replace(REPORT.sections["ranking"], rows=(row, *rest))
        )

        assert sections.section_title(EN, report, "ranking") == "Ranking"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_of_an_empty_report_has_a_title(section):
    empty = view_fixture.empty()

    assert sections.section_title(EN, empty, section)
    assert "%(" not in sections.section_lead(EN, empty, section)


def test_the_lead_names_chips_and_reference():
    assert sentences.lead(EN, REPORT) == (
        "Deep-learning training on M1, M1 Pro, M1 Max, and M1 Ultra, with and without "
        "Metal, next to a GeForce RTX 3090."
    )
    alone = with_sections(REPORT, distance=None)
    assert sentences.lead(EN, alone).endswith("with and without Metal.")
    assert "no measurements" in sentences.lead(EN, view_fixture.empty())


def test_many_chips_are_counted_instead_of_named():
    row = REPORT.sections["metal"].groups[0].rows[0]
    rows = tuple(replace(row, chip=f"M{n}") for n in range(9))
    group = replace(REPORT.sections["metal"].groups[0], rows=rows)
    report = with_sections(
        REPORT, metal=replace(REPORT.sections["metal"], groups=(group,))
    )

    assert sentences.lead(EN, report).startswith("Deep-learning training on 9 chips")


def test_without_metal_the_lead_names_ranked_or_listed_chips():
    ranked = with_sections(REPORT, metal=None)
    listed = with_sections(ranked, ranking=None)

    assert "M1 Ultra" in sentences.lead(EN, ranked)
    assert "Example CPU" in sentences.lead(EN, listed)
