"""HTML tables in pages and in Markdown, well-formed or not."""

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.sheet import Sheet
from benchdb.importing.tables.inline import tags
from tests.importing.sheet_texts import faults, table, tables, texts

HEAD = "<table><tr><th>a</th><th>b</th></tr>\n"
ONE = [("1", "2")]


def only(html: str) -> Sheet:
    return table(f"<!DOCTYPE html><body>\n{html}", "page.html")


def test_a_table_with_head_body_and_foot_is_read():
    sheet = only(
        "<table><thead><tr><td>a<td>b<tbody>\n<tr><td>1<td>2\n"
        "<tfoot><tr><td>3<td>4</table>"
    )

    assert (sheet.kind, sheet.line, sheet.header) == ("html", 2, ("a", "b"))
    assert [row.line for row in sheet.rows] == [3, 4]
    assert texts(sheet) == [("1", "2"), ("3", "4")]


def test_rows_at_the_top_that_are_bold_and_no_figures_are_the_header():
    sheet = only(
        "<table><tr><td rowspan=2><b>Model</b><td colspan=2><b>ms</b><td rowspan=5>\n"
        "<tr><td><b>CPU</b><td><strong>GPU</strong>\n<tr><td><b>fp16</b><td><td>\n"
        "<tr><td>vgg<td>8<td>3\n<tr><td><b>cnn</b><td><b>7</b><td><b>2</b></table>"
    )

    assert sheet.header == ("Model", "ms / CPU", "ms / GPU", "column 4")
    assert texts(sheet) == [
        ("fp16", "", "", ""),
        ("vgg", "8", "3", ""),
        ("cnn", "7", "2", ""),
    ]
    assert not sheet.bad


def test_a_cell_over_rows_and_columns_fills_them_and_keeps_its_line():
    sheet = only(
        HEAD + "<tr><td rowspan=2>x<td>1\n<tr><td>2\n<tr><td colspan=2>OOM</table>"
    )

    assert texts(sheet) == [("x", "1"), ("x", "2"), ("OOM", "")]
    assert [row.cells[0].line for row in sheet.rows] == [3, 3, 5]
    assert sheet.rows[1].line == 4


@pytest.mark.parametrize(
    ("html", "header", "rows"),
    [
        # A cell over some columns says the same of each.
        (
            "<table><tr><th>m<th>x<th>y<tr><td>a<td colspan=2>OOM</table>",
            ("m", "x", "y"),
            [("a", "OOM", "OOM")],
        ),
        # Rows without end reach to the end.
        (
            f"{HEAD}<tr><td rowspan=0>x<td>1<tr><td>2</table>",
            ("a", "b"),
            [("x", "1"), ("x", "2")],
        ),
        # Two header rows are joined.
        (
            "<table><tr><th rowspan=2>Model<th colspan=2>GPU<th>CPU"
            "<tr><th>ms<th>img/s<th>ms<tr><td>a<td>1<td>2<td>3</table>",
            ("Model", "GPU / ms", "GPU / img/s", "CPU / ms"),
            [("a", "1", "2", "3")],
        ),
        # The first row is the header unless it is all numbers, or names have facts.
        ("<table><tr><td>a<td>b<tr><td>1<td>2</table>", ("a", "b"), ONE),
        (
            "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
            ("column 1", "column 2"),
            [("1", "2"), ("3", "4")],
        ),
        (
            "<table><tr><th>GPU<td>M1<tr><th>ms<td>12</table>",
            ("column 1", "column 2"),
            [("GPU", "M1"), ("ms", "12")],
        ),
        # Cells outside rows begin one.
        ("<table><th>a<th>b<tr><td>1<td>2</table>", ("a", "b"), ONE),
        # Scripts, styles and comments say nothing.
        (
            "<style><table></style><!-- <table><tr><td>0 --><script>'<table>'</script>"
            f"{HEAD}<tr><td>1<!-- x --><td>2<script>y</script></table>",
            ("a", "b"),
            ONE,
        ),
        (
            "<details>" * 10_000
            + "</details>" * 10_000
            + f"{HEAD}<tr><td>1<td>2</table>",
            ("a", "b"),
            ONE,
        ),
        (
            HEAD + "<tr><td rowspan=1000000000>x<td>1<tr><td>2</table>",
            ("a", "b"),
            [("x", "1"), ("x", "2")],
        ),
    ],
)
def test_cells_are_set_into_the_grid_that_they_describe(html, header, rows):
    sheet = only(html)

    assert (sheet.header, texts(sheet), sheet.bad) == (header, rows, ())


@pytest.mark.parametrize(
    ("html", "context"),
    [
        (
            "<h2>M1</h2><p>Right above</p><table><caption>Cap</caption>"
            "<tr><th colspan=9>Title<tr><th>a<th>b<tr><td>1<td>2</table>",
            ("M1", "Right above", "Cap", "Title"),
        ),
        (
            f"<h2>M1</h2><p>A</p><p>Above</p>{HEAD}<tr><td>1<td>2</table>",
            ("M1", "Above"),
        ),
    ],
)
def test_headings_captions_and_titles_over_all_columns_are_context(html, context):
    assert only(html).context == context


@pytest.mark.parametrize(
    ("html", "rows", "bad"),
    [
        (
            HEAD + "<tr><td>1\n<tr><td>1<td>2<td>3\n<tr><td>1<td>2</table>",
            ONE,
            [(3, "1 cell under 2 columns"), (4, "3 cells under 2 columns")],
        ),
        (
            HEAD + "<tr><td>x<td><table><tr><td>9</table>\n<tr><td>1<td>2</table>",
            ONE,
            [(3, "it holds another table; take that out of it")],
        ),
        (
            HEAD + "<tr><td>1<td>2</tr>\n<table><tr><td>9</table></table>",
            ONE,
            [(4, "it holds another table; take that out of it")],
        ),
        (
            HEAD + "<tr><td>1<td>2\n<tr><th>a<th>c\n<tr><td>3<td>4</table>",
            ONE,
            [
                (4, "below another header of the same table"),
                (5, "below another header of the same table"),
            ],
        ),
        (
            "<table><tr><th>a<th>b<th>c<tr><th>d<th>e<tr><td>1<td>2</table>",
            [],
            [(2, "the rows of the header are not of the same width")],
        ),
        (
            "<table><tr><th>a<th>b<th>c<tr><td>1<td rowspan=2>2<td>3"
            "<tr><td colspan=2>4</table>",
            [("1", "2", "3")],
            [(2, "its cells overlap with one that reaches in from above")],
        ),
        (
            HEAD + "<tr><td colspan=1000000000>x<td>1<tr><td>1<td>2</table>",
            ONE,
            [(3, "1,001 cells under 2 columns")],
        ),
        (
            "<table>" + "<tr><td rowspan=0 colspan=1000>x<td>1" * 3 + "</table>",
            [("x",) * 1000] * 2,
            [(2, "1,001 columns; 1,000 are read")],
        ),
        (
            "<table>" + "<tr><td colspan=999>x<td>1" * 1001,
            [],
            [(2, "more than 200,000 cells")],
        ),
    ],
)
def test_what_does_not_fit_is_quarantined(html, rows, bad):
    sheet = only(html)

    assert (texts(sheet), faults(sheet)) == (rows, bad)


def test_many_tables_of_many_cells_are_refused_as_a_whole():
    row = "<tr>" + "<td colspan=400>1" * 2

    with pytest.raises(DocumentError, match="more than 200,000 cells"):
        tables("<html>" + f"<table>{row * 200}</table>" * 4, "page.html")


def test_markup_characters_are_characters_in_html():
    sheet = only(HEAD + "<tr><td>__a_b__ [x](y)<td>1<sup>2</sup> &plusmn; 3*</table>")

    assert texts(sheet) == [("__a_b__ [x](y)", "1 ± 3")]
    assert sheet.rows[0].cells[1].notes == ("2", "*")


def test_a_table_in_markdown_stands_under_its_headings():
    html = f"{HEAD}<tr><td>1†<td>2\n</table>"
    text = f"# T\n\n**M1**\n\nAbove\n\n{html}\n\n† note\n\n## N\n"
    sheet = table(text, "README.md")

    assert (sheet.line, sheet.context) == (7, ("T", "M1", "Above"))
    assert [row.line for row in sheet.rows] == [8]
    assert sheet.footnotes == (("†", "note"),)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        # A table that never ends ends at the next heading.
        (f"{HEAD}<tr><td>1<td>2\n\n# N\n\n{HEAD}<tr><td>3<td>4", [ONE, [("3", "4")]]),
        # A mention of the tag is no table.
        ("Use `<table>` here.\n\n| a |\n|---|\n| 1 |\n", [[("1",)]]),
    ],
)
def test_html_in_markdown_ends_where_people_see_its_end(text, rows):
    assert [texts(sheet) for sheet in tables(text, "README.md")] == rows


def test_attributes_may_hold_what_ends_a_tag():
    result = tags("<img alt='a > b'><b>x</b> 1 < 2 <3 <a")

    assert [tag.name for tag in result] == ["img", "b", "b"]


@pytest.mark.parametrize(
    "piece", ["<a ", "<!--", "<![", "</", "<td x='", "<table>", "<?"]
)
def test_broken_tags_are_read_in_one_pass(piece):
    assert len(list(tags(piece * 100_000))) in (0, 1, 100_000)
