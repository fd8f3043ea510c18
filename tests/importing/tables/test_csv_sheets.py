"""CSV and TSV files as people save, paste and break them."""

import pytest

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.sheet import CELL_LIMIT, Sheet
from benchdb.importing.sheets import sheets
from benchdb.importing.tables import csv
from tests.foreign_files import document, sample_cases


def read(text: str, name: str = "results.csv") -> tuple[Sheet, ...]:
    return sheets(Document(name, text.encode()))


def only(text: str, name: str = "results.csv") -> Sheet:
    (sheet,) = read(text, name)
    return sheet


def texts(sheet: Sheet) -> list[tuple[str, ...]]:
    return [tuple(cell.text for cell in row.cells) for row in sheet.rows]


def faults(sheet: Sheet) -> list[tuple[int, str]]:
    return [(one.number, one.reason) for one in sheet.bad]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_from_the_content(delimiter):
    rows = [["model", "img/s"], ["ResNet-50", "140"], ["VGG", "72"]]
    text = "\n".join(delimiter.join(row) for row in rows)

    assert only(text).header == ("model", "img/s")
    assert texts(only(text)) == [("ResNet-50", "140"), ("VGG", "72")]


def test_decimal_commas_do_not_make_a_comma_the_delimiter():
    sheet = only("Modell;Zeit;RAM\nResNet;1,5;8\nVGG;2,25;8\n")

    assert texts(sheet) == [("ResNet", "1,5", "8"), ("VGG", "2,25", "8")]


def test_the_share_of_agreeing_rows_decides():
    assert csv.neighbours([3, 3, 3, 1]) == 0.75
    assert csv.neighbours([1, 1, 1]) == 0.0
    assert csv.neighbours([]) == 0.0


def test_the_line_of_excel_names_the_delimiter_and_is_no_row():
    sheet = only("sep=;\nmodel;a,b\nx;1,2\n")

    assert (sheet.line, sheet.header) == (2, ("model", "a,b"))
    assert only("sep=\t\nmodel\tms\nx\t1\n").header == ("model", "ms")


def test_a_byte_order_mark_is_no_part_of_the_first_name():
    assert only("\ufeffmodel,ms\nx,1\n").header == ("model", "ms")


def test_a_quoted_line_break_keeps_the_physical_line_of_its_row():
    sheet = only('model,note,ms\na,"two\nlines",1\nb,"say ""hi""",2\n')

    assert [row.line for row in sheet.rows] == [2, 4]
    assert texts(sheet) == [("a", "two lines", "1"), ("b", 'say "hi"', "2")]


def test_an_unclosed_quote_makes_only_its_own_line_bad():
    sheet = only('model,ms\na,1\n"b,2\nc,3\nd,4\n')

    assert faults(sheet) == [(3, "its quote is never closed")]
    assert texts(sheet) == [("a", "1"), ("c", "3"), ("d", "4")]


def test_nothing_is_said_of_rows_whose_header_cannot_be_read():
    sheet = only('"model,ms\na,1\nb,2\n')

    assert (sheet.header, sheet.rows) == ((), ())
    assert faults(sheet) == [
        (1, "its quote is never closed"),
        (2, "the header above it cannot be read"),
        (3, "the header above it cannot be read"),
    ]


def test_rows_too_long_or_too_short_are_bad():
    sheet = only("model,ms,W\na,1,2\nb,1\nc,1,2,3\n")

    assert texts(sheet) == [("a", "1", "2")]
    assert faults(sheet) == [
        (3, "2 cells under 3 columns"),
        (4, "4 cells under 3 columns"),
    ]
    assert sheet.bad[0].raw == "b,1"


def test_trailing_delimiters_make_no_column():
    assert only("model;ms;\na;1;\nb;2;;\n").header == ("model", "ms")
    assert texts(only("model;ms\na;1;\nb;2;;\n")) == [("a", "1"), ("b", "2")]


def test_a_nameless_column_that_holds_something_is_kept():
    sheet = only(",model,ms,\n0,a,1,x\n1,b,2,\n")

    assert sheet.header == ("column 1", "model", "ms", "column 4")


def test_doubled_names_are_told_apart():
    assert only("ms,ms,MS,ms (2)\n1,2,3,x\n").header == (
        "ms",
        "ms (2)",
        "MS (3)",
        "ms (2) (2)",
    )


def test_blocks_have_their_own_headers_and_the_titles_above_them():
    first, second = read(
        "May;;\n# M1 Max, batch 64\nmodel;ms;W\na;1;2\n\nRAM;;\nmachine;RAM;\nM1;8;\n"
    )

    assert first.context == ("May", "M1 Max, batch 64")
    assert (second.context, second.header) == (("RAM",), ("machine", "RAM"))


def test_rows_behind_a_gap_go_on_and_are_no_header():
    sheet = only("model,ms\na,1.5\n,\nb,2.5\n\nc,3.5\n")

    assert texts(sheet) == [("a", "1.5"), ("b", "2.5"), ("c", "3.5")]


def test_a_title_between_rows_begins_a_sheet_with_the_same_header():
    first, second = read("model,ms\na,1.5\n\nM1 Pro\na,2.5\n")

    assert (first.header, second.header) == (("model", "ms"), ("model", "ms"))
    assert (second.context, texts(second)) == (("M1 Pro",), [("a", "2.5")])


def test_a_second_header_of_numbers_is_known_by_the_name_it_repeats():
    first, second = read("model,32,64\na,1,2\n\nmodel,128,256\na,3,4\n")

    assert first.header == ("model", "32", "64")
    assert second.header == ("model", "128", "256")


def test_files_strung_together_repeat_their_header():
    assert texts(only("model,ms\na,1\nmodel,ms\nb,2\n")) == [("a", "1"), ("b", "2")]


def test_a_file_of_numbers_has_no_header():
    sheet = only("1,2,3\n4,5,6\n")

    assert sheet.header == ("column 1", "column 2", "column 3")
    assert [row.line for row in sheet.rows] == [1, 2]


def test_a_figure_of_many_decimals_is_no_name():
    assert len(only("resnet,188.27877\nvgg,35.99792\n").rows) == 2
    assert only("model,1.12,1.13\na,5,6\n").header == ("model", "1.12", "1.13")


def test_a_comment_right_above_the_figures_names_the_columns():
    sheet = only("# model,ms\na,1\nb,2\n")

    assert (sheet.header, sheet.context) == (("model", "ms"), ())
    assert len(sheet.rows) == 2


def test_a_comment_without_names_is_context_and_a_rank_no_comment():
    sheet = only("# all on M1\nrank,ms\n#1,5\n#old,7\n")

    assert (sheet.context, sheet.header) == (("all on M1",), ("rank", "ms"))
    assert texts(sheet) == [("#1", "5")]
    assert only("# all on M1\nmodel,1\nx,2\n").header == ("model", "1")


def test_marks_are_taken_off_figures_and_their_texts_kept():
    sheet = only("kernel,ms\nconv2d*,1*\nadd,2\n\n* with XLA\n")

    assert texts(sheet) == [("conv2d*", "1"), ("add", "2")]
    assert sheet.rows[0].cells[1].notes == ("*",)
    assert sheet.footnotes == (("*", "with XLA"),)


def test_formulas_are_text():
    assert texts(only('a,b\n=1+2,"=HYPERLINK(""x"")"\n')) == [
        ("=1+2", '=HYPERLINK("x")')
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Epoch 1, loss 0.5, 12 s\nEpoch 2, loss 0.4, 11 s\nEpoch 3, loss 0.3, 11 s\n",
        "We tried, in May, all\nof them, and 3 more, too\nand they, in turn, ran.\n",
        "ProductName:\tmacOS\nProductVersion:\t12.4\n",
        "import os, sys\na, b = 1, 2\nx, y = f(3), 4\n",
        '{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n',
    ],
)
def test_text_that_only_has_commas_is_no_table(text):
    assert read(text, "notes.txt") == ()


def test_a_table_without_a_telling_name_is_found():
    assert only("model\tms\nresnet\t12\nvgg\t13\n", "notes.txt").header == (
        "model",
        "ms",
    )


@pytest.mark.parametrize("path", sample_cases("llama-bench.csv"))
def test_a_file_whose_header_lacks_a_column_gives_no_row(path):
    (sheet,) = csv.sheets(document(path))

    assert (len(sheet.header), sheet.rows) == (26, ())
    assert [one.reason for one in sheet.bad] == ["27 cells under 26 columns"] * 2


def test_too_many_cells_are_refused_as_a_whole():
    text = ("," * 999 + "x\n") * (CELL_LIMIT // 1000 + 1)

    with pytest.raises(DocumentError, match="more than 1,000,000 cells"):
        read(text)


def test_too_many_columns_make_a_table_unread():
    sheet = only((",".join(f"c{n}" for n in range(1001)) + "\n") * 2)

    assert (sheet.header, sheet.bad[0].reason) == ((), "1,001 columns; 1,000 are read")
