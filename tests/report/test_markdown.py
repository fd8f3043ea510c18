"""The Markdown report: readable as a file, and harmless whatever names it shows."""

import re

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace
from wcwidth import wcswidth

from benchdb.report.language import Language, available, load
from benchdb.report.markdown import escape as md
from benchdb.report.markdown import page as markdown
from benchdb.report.markdown.page import written
from benchdb.report.sections.ranking import RankCell
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.page import Report
from benchdb.report.wording.cells import Table
from tests import view_fixture
from tests.view_fixture import HOSTILE, empty, hostile, with_sections

GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HARMLESS = {
    "paragraph_open",
    "paragraph_close",
    "inline",
    "text",
    "text_special",
    "softbreak",
}


def render(report: Report, code: str = "en", **charts: str) -> str:
    return markdown.render(report, load(code), charts)


def types(text: str) -> set[str]:
    """Return the types of all tokens that a reader of GitHub's Markdown finds."""
    found = set()
    for token in GITHUB.parse(text):
        found |= {token.type, *(child.type for child in token.children or ())}
    return found


def shape(text: str) -> list[tuple[str, int]]:
    """Return the tables of *text* as their kinds of cell and counts."""
    tokens = GITHUB.parse(text)
    kinds = ("table_open", "tr_open", "th_open", "td_open", "heading_open")
    return [(kind, sum(token.type == kind for token in tokens)) for kind in kinds]


def section(text: str, title: str) -> str:
    """Return the section whose title begins so."""
    return text.split(f"\n## {title}")[1].split("\n## ", maxsplit=1)[0]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_stays_text(text):
    assert types(str(md.escape(text))) <= HARMLESS


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_stays_in_its_cell(text):
    table = str(written(Table(("a", "b"), [(text, "x")])))

    tokens = GITHUB.parse(table)

    assert [t.type for t in tokens if t.type in ("th_open", "td_open")] == [
        "th_open",
        "th_open",
        "td_open",
        "td_open",
    ]
    assert types(table) - HARMLESS == {
        f"{part}_{end}"
        for part in ("table", "thead", "tbody", "tr", "th", "td")
        for end in ("open", "close")
    }


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_report_has_the_same_shape_as_a_tame_one(text):
    tame = render(hostile("Tame"))
    wild = render(hostile(text))

    assert shape(wild) == shape(tame)
    assert "html_inline" not in types(wild)
    assert "html_block" not in types(wild)
    assert "image" not in types(wild)


def test_hostile_links_are_not_made():
    text = render(hostile("https://evil.example www.evil.example me@evil.example"))

    links = [
        child.attrs["href"]
        for token in GITHUB.parse(text)
        for child in token.children or ()
        if child.type == "link_open"
    ]

    assert not [link for link in links if "evil" in str(link)]
    assert "https://evil" not in text
    assert "www.evil" not in text
    assert "me@" not in text


@pytest.mark.parametrize(
    "text",
    [
        "ResNet-50",
        "MacBook Pro (16-inch, 2021)",
        "resnet_18",
        'printed as "-"',
        "5,1 %",
    ],
)
def test_ordinary_names_are_readable_in_the_file_itself(text):
    assert md.escape(text) == text


def test_escaping_twice_changes_nothing():
    once = md.escape("a*b")

    assert md.escape(once) is once


def test_joining_safe_text_with_a_string_makes_it_unsafe():
    assert not isinstance(md.MdSafe("**a** ") + "b", md.MdSafe)
    assert md.finalize(md.MdSafe("**a** ") + "b") == "&#42;&#42;a&#42;&#42; b"
    assert md.finalize(3) == 3


def test_links_lead_only_to_https():
    assert md.link("here", "javascript:alert(1)") == "here"
    assert md.link("here", "https://example.org/a_b") == (
        "[here](<https://example.org/a%5Fb>)"
    )
    assert md.link("here", "https://example.org/$$x$$") == (
        "[here](<https://example.org/%24%24x%24%24>)"
    )


def test_code_never_ends_itself():
    assert md.code("abc 1") == "`abc 1`"
    assert md.code("a`b") == "a&#96;b"


def test_columns_line_up_for_wide_characters():
    table = Table(
        ("칩", "속도"), [("M1", "140장/초"), ("M1 Ultra", "5초")], frozenset({1})
    )

    lines = str(written(table)).splitlines()

    assert len({wcswidth(line) for line in lines}) == 1
    assert lines[1].endswith("-: |")


def test_a_very_long_cell_does_not_stretch_the_others():
    table = Table(("a", "b"), [("x" * 500, "1"), ("y", "2")])

    assert len(str(written(table)).splitlines()[3]) < 20


def test_sections_come_in_the_order_of_their_questions():
    headings = re.findall(r"^## (.*)$", render(view_fixture.report()), re.MULTILINE)

    assert headings == [
        "At a glance",
        "Metal pays off for some workloads, not for others",
        "M1 Ultra · Metal trains fastest of 6 systems under like conditions",
        "How far away is a GeForce RTX 3090?",
        "Values",
        "Machines and software",
        "Notes on single values",
        "How to read this report",
        "Sources",
    ]


def test_an_empty_database_gives_a_short_page():
    text = render(empty())

    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["How to read this report"]
    assert "There are no measurements" in text
    assert text.endswith(".\n")


@pytest.mark.parametrize("code", available())
def test_no_table_has_more_than_eight_columns(code):
    lines = render(view_fixture.report(), code).splitlines()

    assert max(line.count(" | ") + 1 for line in lines if line.startswith("|")) == 8


METAL = "Metal pays off for some workloads, not for others"
FAR = "How far away is a GeForce RTX 3090?"


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Values", "1, transcribed, line 101, column resnet50"),
        ("Values", "59.910\u00a0s"),  # the digits of its source
        (METAL, "not measured: the table shows a dash"),
        (METAL, "262\u00a0s (a)"),
        (METAL, "| TensorFlow, whole script |"),
        ("Notes on single values", "* **a** M1 Ultra, CPU, ResNet-50:"),
        (FAR, "≠ 13% · 140\u00a0img/s"),
        (FAR, "\n* ≠ Not like for like. Differences: compiler and precision.\n"),
        ("Values", "Example CPU · CPU · PyTorch (this machine)"),
        ("M1 Ultra", "no mean: a value is flagged"),
    ],
)
def test_a_section_says(title: str, said: str):
    assert said in section(render(view_fixture.report()), title)


def test_every_value_shows_its_run_and_digits_as_the_language_writes_them():
    report = view_fixture.report()
    values = section(render(report), "Values")

    assert all(f"`{row.run[:12]}`" in values for row in report.values)
    assert "59,910\u00a0s" in render(report, "de")


def test_only_repeated_values_show_an_interval():
    values = section(render(view_fixture.report()), "Values")

    intervals = [
        line for line in values.splitlines() if re.search(r"\d–[\d.,]+\)", line)
    ]

    assert len(intervals) == 1
    assert "6,120\u00a0seq/s (6,010–6,230)" in intervals[0]


def test_charts_are_shown_with_a_description():
    text = render(view_fixture.report(), metal="report.en.metal.svg")

    assert "](<report.en.metal.svg>)" in text
    assert text.count("![") == 1


def test_frameworks_are_named_where_they_differ():
    report = view_fixture.report()
    first = report.sections["ranking"].rows[0]
    torch = replace(first.system, framework="torch")
    rows = (replace(first, system=torch), *report.sections["ranking"].rows[1:])
    mixed = with_sections(
        report, ranking=replace(report.sections["ranking"], rows=rows)
    )

    assert "| M1 Ultra · Metal · PyTorch " in render(mixed)
    assert "| M1 Ultra · Metal " in render(report)


def test_quantities_are_isolated_in_right_to_left_text():
    english = load("en")
    arabic = Language("ar", "ar", "rtl", english.locale, english.catalogue)

    text = markdown.render(view_fixture.report(), arabic, {})

    assert "\u2066262\u00a0s\u2069 (a)" in text
    assert "\u2066M1 Ultra\u2069" in text


def test_the_ranking_says_what_differs_and_shows_ranges():
    report = view_fixture.report()
    assert report.sections["ranking"] is not None
    first, second, *rest = report.sections["ranking"].rows
    cells = [row.cells[0] for row in (first, second)]
    figure, ratio = cells[0].quantity, cells[0].ratio
    assert figure is not None
    assert ratio is not None
    repeated = replace(figure, n=3, low=59.0, high=61.0, derived=True)
    framework = replace(ratio, differs=("framework",))
    both = replace(ratio, differs=("framework", "batch"))
    rows = (
        replace(first, cells=(RankCell(repeated, framework), *first.cells[1:])),
        replace(second, cells=(RankCell(figure, both), *second.cells[1:])),
        *rest,
    )
    changed = with_sections(
        report, ranking=replace(report.sections["ranking"], rows=rows)
    )

    text = render(changed)

    assert "59.9\u00a0s (59.0–61.0; n = 3), derived" in text
    assert "* ≠1 Not like for like. Differences: framework" in text
    assert "* ≠2 Not like for like. Differences: batch size and framework." in text


def test_trials_and_means_of_a_source_are_recognisable():
    report = view_fixture.report()
    row = replace(report.values[0], tier="smoke", trials=10)

    text = render(replace(report, values=(row,)))

    assert "| mean of 10 |" in text
    assert "transcribed, trial run" in text


def test_many_workloads_take_several_tables():
    report = view_fixture.report()
    assert report.sections["ranking"] is not None
    ranking = report.sections["ranking"]
    rows = tuple(replace(row, cells=row.cells * 2) for row in ranking.rows)
    wide = replace(ranking, workloads=ranking.workloads * 2, rows=rows)

    text = render(with_sections(report, ranking=wide))

    assert text.count("| Geometric mean") + text.count("Geometric mean |") == 2


def test_matrix_sizes_are_shown_square():
    report = view_fixture.report()
    row = replace(
        report.values[0],
        size=2500,
        quantity=Quantity(0.337, "s", report.values[0].run, printed="0.337"),
    )

    assert "ResNet-50, 2,500 × 2,500" in render(replace(report, values=(row,)))
