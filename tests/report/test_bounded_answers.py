"""HTML and Markdown say the same of what is bounded, ranged, unstated or left out."""

import json

import pytest
from msgspec.structs import replace

from benchdb.report import html
from benchdb.report.answers import answers
from benchdb.report.data_files import json_document
from benchdb.report.language import load
from benchdb.report.markdown.page import render as markdown
from benchdb.report.sections.ranking import RankCell, Ranking, RankRow
from benchdb.report.sections.ranking import words as ranking_words
from benchdb.report.view.atoms import Ratio
from benchdb.report.wording.answers import answer_big, answer_text
from benchdb.report.wording.sections import runs_text
from tests import view_fixture
from tests.page import parse
from tests.view_fixture import with_sections

EN = load("en")
REPORT = view_fixture.report()
RANKING: Ranking = REPORT.sections["ranking"]


def test_a_bounded_answer_is_grey_on_the_page_and_not_bold_in_markdown():
    tree = parse(html.render(REPORT, EN))
    (card,) = (one for one in tree.all("article") if "bounded" in one.classes)
    text = markdown(REPORT, EN, {})

    assert "How far from a GeForce RTX 3090?" in card.text
    assert "≈ 5.7–8.9×" in card.text
    assert "3090?** ≈ 5.7–8.9× as fast as the M1 Max (fp32, graph) is" in text
    assert "**5.5×** as fast as the M1" in text


@pytest.mark.parametrize("unsure", [2.0, None])
def test_macs_that_chance_may_have_ranked_are_not_ranked(unsure):
    rows = tuple(replace(row, chance=unsure) for row in RANKING.rows)
    ranked, unranked = (
        next(one for one in answers(None, ranking, None) if one.kind == "mac")
        for ranking in (RANKING, replace(RANKING, rows=rows))
    )

    assert ranked.low == ranked.high == pytest.approx(5.5, abs=0.1)
    assert answer_big(EN, unranked) == "–"
    assert "not enough comparable runs" in answer_text(EN, unranked)


@pytest.mark.parametrize("verdict", ["even", "unclear", "insufficient"])
def test_a_cell_without_a_verdict_has_no_shade_of_faster_or_slower(verdict):
    row = replace(row_of(*[Ratio(8.0, verdict)] * 5), mean=Ratio(8.0, verdict))
    report = with_sections(REPORT, ranking=ranking_of(row))

    table = parse(html.render(report, EN)).by_id("table-ranking")
    first, other, *_ = table.all("tbody")[0].all("tr")
    shades = {td.classes[1] for td in first.all("td")}
    assert shades == {"level"}
    assert "up4" in {td.classes[1] for td in other.all("td")}


def ranking_of(row: RankRow, common: tuple[str, ...] = ("resnet50", "lstm")) -> Ranking:
    return replace(RANKING, common=common, rows=(row, *RANKING.rows))


def row_of(*ratios: Ratio | None) -> RankRow:
    """Return a row of a system without a mean, with these ratios in all columns."""
    row = RANKING.rows[0]
    cells = tuple(
        RankCell(cell.quantity or row.cells[0].quantity, ratio)
        for cell, ratio in zip(row.cells, ratios, strict=True)
    )
    return replace(row, mean=None, covered=len(cells), cells=cells)


LIKE, FLAGGED = Ratio(2.0, "faster"), Ratio(2.0, "faster", notes=("a",))
UNLIKE = Ratio(2.0, "not comparable", differs=("compiler",))


@pytest.mark.parametrize(
    ("ratios", "common", "reason"),
    [
        ((LIKE, LIKE, LIKE, LIKE, LIKE), (), "no workload that all systems share"),
        ((UNLIKE, LIKE, LIKE, LIKE, LIKE), ("resnet50",), "unlike conditions"),
        ((None, LIKE, LIKE, LIKE, LIKE), ("resnet50",), "a workload is missing"),
        ((FLAGGED, LIKE, LIKE, LIKE, LIKE), ("resnet50",), "a value is flagged"),
    ],
)
def test_both_formats_give_one_reason_for_a_missing_mean(ratios, common, reason):
    row = row_of(*ratios)
    ranking = ranking_of(row, common)
    report = with_sections(REPORT, ranking=ranking)
    said = f"no mean: {reason}"

    assert ranking_words.no_mean_text(EN, ranking, row) == said
    table = parse(html.render(report, EN)).by_id("table-ranking")
    first = table.all("tbody")[0].all("tr")[0]
    assert [td.text for td in first.all("td") if "mean" in td.classes] == [f"–{said}"]
    assert f" {said} |" in markdown(report, EN, {})


def test_a_row_of_the_ranking_has_its_range_in_both_formats():
    row = replace(RANKING.rows[0], spread=(1.6, 33.9))
    report = with_sections(REPORT, ranking=ranking_of(row))

    page = parse(html.render(report, EN)).by_id("table-ranking")
    assert [e.text for e in page.walk() if "range" in e.classes] == ["1.6–33.9×"]
    assert "× (1.6–33.9×)" in markdown(report, EN, {})


def test_what_the_sources_do_not_state_is_said_once_for_a_section():
    bare = Ratio(2.0, "faster", unstated=("version", "load"))
    row = row_of(bare, bare, bare, bare, bare)
    report = with_sections(REPORT, ranking=ranking_of(row))

    assert runs_text(EN, report, "ranking").endswith(
        "Not stated by the sources: load of the machine and framework version."
    )
    assert "Not stated" not in runs_text(EN, report, "metal")


def test_two_cells_of_other_versions_are_not_alike_for_another_baseline():
    quantity = view_fixture.rate(view_fixture.RESNET, "100", "img/s")
    ratio = Ratio(2.0, "not comparable", differs=("version",))
    cells = [
        RankCell(quantity, ratio, unlike=(("version", version),))
        for version in ("2.11", "2.13")
    ]
    tokens = [ranking_words.tokens(cell, {}) for cell in cells]

    assert tokens == [{"version": "2-11"}, {"version": "2-13"}]
    assert ranking_words.differing(*tokens) == ("version",)


def test_json_says_which_answers_are_bounded():
    told = json.loads(json_document(REPORT))["answers"]

    assert [one["bounded"] for one in told] == [False, False, True, False]
    assert told[2]["facts"]["system_with"] == ["fp32", "graph"]
