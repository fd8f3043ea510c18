"""HTML tables in pages and in Markdown, well-formed or not."""

import pytest

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.sheet import Sheet
from benchdb.importing.sheets import sheets
from benchdb.importing.tables.inline import tags


def read(text: str, name: str = "page.html") -> tuple[Sheet, ...]:
    return sheets(Document(name, text.encode()))


def only(table: str) -> Sheet:
    (sheet,) = read(f"<!DOCTYPE html><body>\n{table}")
    return sheet


def texts(sheet: Sheet) -> list[tuple[str, ...]]:
    return [tuple(cell.text for cell in row.cells) for row in sheet.rows]


def faults(sheet: Sheet) -> list[tuple[int, str]]:
    return [(one.number, one.reason) for one in sheet.bad]


HEAD = "<table><tr><th>a</th><th>b</th></tr>\n"


def test_a_table_with_head_body_and_foot_is_read():
    sheet = only(
        "<table><thead><tr><td>a<td>b<tbody>\n<tr><td>1<td>2\n"
        "<tfoot><tr><td>3<td>4</table>"
    )

    assert (sheet.kind, sheet.line, sheet.header) == ("html", 2, ("a", "b"))
    assert [row.line for row in sheet.rows] == [3, 4]
    assert texts(sheet) == [("1", "2"), ("3", "4")]


def test_a_cell_over_rows_and_columns_fills_them_and_keeps_its_line():
    sheet = only(
        HEAD + "<tr><td rowspan=2>x<td>1\n<tr><td>2\n<tr><td colspan=2>OOM</table>"
    )

    assert texts(sheet) == [("x", "1"), ("x", "2"), ("OOM", "")]
    assert [row.cells[0].line for row in sheet.rows] == [3, 3, 5]
    assert sheet.rows[1].line == 4


def test_a_cell_over_some_columns_says_the_same_of_each():
    sheet = only("<table><tr><th>m<th>x<th>y<tr><td>a<td colspan=2>OOM</table>")

    assert texts(sheet) == [("a", "OOM", "OOM")]


def test_rows_without_end_reach_to_the_end_of_their_section():
    sheet = only(
        HEAD + "<tbody><tr><td rowspan=0>x<td>1<tr><td>2<tbody><tr><td>y<td>3</table>"
    )

    assert texts(sheet) == [("x", "1"), ("x", "2"), ("y", "3")]


def test_two_header_rows_are_joined():
    sheet = only(
        "<table><tr><th rowspan=2>Model<th colspan=2>GPU<th>CPU"
        "<tr><th>ms<th>img/s<th>ms<tr><td>a<td>1<td>2<td>3</table>"
    )

    assert sheet.header == ("Model", "GPU / ms", "GPU / img/s", "CPU / ms")


def test_captions_and_titles_over_all_columns_are_context():
    sheet = only(
        "<h2>M1</h2><p>Right above</p><table><caption>Cap</caption>"
        "<tr><th colspan=9>Title<tr><th>a<th>b<tr><td>1<td>2</table>"
    )

    assert sheet.context == ("M1", "Right above", "Cap", "Title")


def test_a_header_in_between_begins_another_sheet():
    first, second = read(
        "<html>" + HEAD + "<tr><td>1<td>2<tr><th colspan=2>M1\n"
        "<tr><th>a<th>c\n<tr><td>3<td>4</table>"
    )

    assert (first.header, texts(first)) == (("a", "b"), [("1", "2")])
    assert (second.header, texts(second)) == (("a", "c"), [("3", "4")])
    assert (second.context, second.line) == (("M1",), 2)


def test_the_first_row_is_the_header_unless_it_is_all_numbers():
    assert only("<table><tr><td>a<td>b<tr><td>1<td>2</table>").header == ("a", "b")
    assert len(only("<table><tr><td>1<td>2<tr><td>3<td>4</table>").rows) == 2


def test_names_before_facts_are_rows_without_a_header():
    sheet = only("<table><tr><th>GPU<td>M1<tr><th>ms<td>12</table>")

    assert sheet.header == ("column 1", "column 2")
    assert texts(sheet) == [("GPU", "M1"), ("ms", "12")]


def test_rows_that_do_not_fit_are_quarantined():
    sheet = only(HEAD + "<tr><td>1\n<tr><td>1<td>2<td>3\n<tr><td>1<td>2</table>")

    assert faults(sheet) == [
        (3, "1 cell under 2 columns"),
        (4, "3 cells under 2 columns"),
    ]
    assert texts(sheet) == [("1", "2")]


def test_a_table_inside_a_table_makes_its_row_bad():
    sheet = only(HEAD + "<tr><td>x<td><table><tr><td>9</table>\n<tr><td>1<td>2</table>")

    assert faults(sheet) == [(3, "it holds another table; take that out of it")]
    assert texts(sheet) == [("1", "2")]


def test_a_table_between_rows_is_named():
    sheet = only(HEAD + "<tr><td>1<td>2</tr>\n<table><tr><td>9</table></table>")

    assert faults(sheet) == [(4, "it holds another table; take that out of it")]


def test_header_rows_of_unlike_width_make_a_table_unread():
    sheet = only("<table><tr><th>a<th>b<th>c<tr><th>d<th>e<tr><td>1<td>2</table>")

    assert (sheet.header, sheet.rows) == ((), ())
    assert faults(sheet) == [(2, "the rows of the header are not of the same width")]


def test_cells_outside_rows_begin_one():
    assert texts(only("<table><th>a<th>b<tr><td>1<td>2</table>")) == [("1", "2")]


def test_a_bold_paragraph_is_a_heading():
    page = f"<html><p><b>M1:</b></p><p>Above</p>{HEAD}<tr><td>1<td>2</table>"

    assert read(page)[0].context == ("M1", "Above")


def test_a_table_of_too_many_cells_is_not_read():
    (sheet,) = read("<html><table>" + "<tr><td colspan=999>x<td>1" * 1001)

    assert sheet.bad[0].reason == "more than 1,000,000 cells"


def test_overlapping_cells_are_quarantined():
    sheet = only(
        "<table><tr><th>a<th>b<th>c<tr><td>1<td rowspan=2>2<td>3"
        "<tr><td colspan=2>4</table>"
    )

    assert [why for _, why in faults(sheet)] == [
        "its cells overlap with one that reaches in from above"
    ]


def test_spans_of_a_billion_do_not_blow_up():
    wide = only(HEAD + "<tr><td colspan=1000000000>x<td>1<tr><td>1<td>2</table>")
    tall = only(HEAD + "<tr><td rowspan=1000000000>x<td>1<tr><td>2</table>")
    both = only("<table>" + "<tr><td rowspan=0 colspan=1000>x<td>1" * 30 + "</table>")

    assert faults(wide) == [(3, "1,001 cells under 2 columns")]
    assert texts(tall) == [("x", "1"), ("x", "2")]
    assert both.bad[0].reason == "1,001 columns; 1,000 are read"


def test_many_tables_of_many_cells_are_refused_as_a_whole():
    row = "<tr>" + "<td colspan=400>1" * 2
    table = f"<table>{row * 400}</table>"

    with pytest.raises(DocumentError, match="more than 1,000,000 cells"):
        read("<html>" + table * 4)


def test_scripts_styles_and_comments_say_nothing():
    sheet = only(
        "<style><table></style><!-- <table><tr><td>0 -->"
        "<script>'<table>'</script>"
        + HEAD
        + "<tr><td>1<!-- x --><td>2<script>y</script>"
        "</table>"
    )

    assert texts(sheet) == [("1", "2")]


def test_markup_characters_are_characters_in_html():
    sheet = only(HEAD + "<tr><td>__a_b__ [x](y)<td>1<sup>2</sup> &plusmn; 3*</table>")

    assert texts(sheet) == [("__a_b__ [x](y)", "1 ± 3")]
    assert sheet.rows[0].cells[1].notes == ("2", "*")


def test_a_note_below_is_a_footnote_of_the_table():
    sheet = only(HEAD + "<tr><td>1*<td>2</table><p>* with XLA</p><p>Other</p>")

    assert sheet.footnotes == (("*", "with XLA"),)


def test_a_table_in_markdown_stands_under_its_headings():
    text = (
        f"# T\n\n**M1**\n\nAbove\n\n{HEAD}<tr><td>1†<td>2\n</table>\n\n† note\n\n## N\n"
    )
    (sheet,) = read(text, "README.md")

    assert (sheet.line, sheet.context) == (7, ("T", "M1", "Above"))
    assert [row.line for row in sheet.rows] == [8]
    assert sheet.footnotes == (("†", "note"),)


def test_cells_between_blank_lines_are_markdown():
    (sheet,) = read(HEAD + "<tr><td>\n\n**1**\n\n</td><td>2</table>", "README.md")

    assert texts(sheet) == [("1", "2")]


def test_a_table_that_never_ends_ends_at_the_next_heading():
    first, second = read(HEAD + "<tr><td>1<td>2\n\n# N\n\n" + HEAD + "<tr><td>3<td>4")

    assert (texts(first), texts(second)) == ([("1", "2")], [("3", "4")])


def test_a_mention_of_the_tag_is_no_table():
    assert read("Use `<table>` here.\n\n| a |\n|---|\n| 1 |\n", "README.md")[
        0
    ].header == ("a",)


def test_attributes_may_hold_what_ends_a_tag():
    assert [tag.name for tag in tags("<img alt='a > b'><b>x</b> 1 < 2 <3 <a")] == [
        "img",
        "b",
        "b",
    ]


@pytest.mark.parametrize(
    "piece", ["<a ", "<!--", "<![", "</", "<td x='", "<table>", "<?"]
)
def test_broken_tags_are_read_in_one_pass(piece):
    assert len(list(tags(piece * 100_000))) in (0, 1, 100_000)


def test_details_nested_ten_thousand_deep_are_read():
    deep = "<details>" * 10_000 + "</details>" * 10_000
    (sheet,) = read(f"<html>{deep}{HEAD}<tr><td>1<td>2</table>")

    assert texts(sheet) == [("1", "2")]
