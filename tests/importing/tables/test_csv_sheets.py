"""CSV and TSV files as people save, paste and break them."""

import pytest

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.sheet import CELL_LIMIT
from benchdb.importing.sheets import readable
from benchdb.importing.tables import csv
from tests.foreign_files import document, sample_cases
from tests.importing.sheet_texts import faults, table, tables, texts

NAME = "results.csv"
TWO = ("model", "ms")


def test_a_line_that_names_other_columns_begins_a_table_under_the_same_title():
    """A program that prints a second kind of figure below the first."""
    printed = (
        "torch with float32",
        "size, elapsed_time, tops",
        "256, 0.00046, 0.073",
        "size (GB), elapsed_time, bandwidth (GB/s)",
        "0.0042, 0.00015, 54.9",
    )
    first, second = tables("\n".join(printed), NAME)

    assert texts(first) == [("256", "0.00046", "0.073")]
    assert second.header == ("size (GB)", "elapsed_time", "bandwidth (GB/s)")
    assert texts(second) == [("0.0042", "0.00015", "54.9")]
    assert first.context == second.context == ("torch with float32",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_from_the_content(delimiter):
    rows = [["model", "img/s"], ["ResNet-50", "140"], ["VGG", "72"]]
    sheet = table("\n".join(delimiter.join(row) for row in rows), NAME)

    assert sheet.header == ("model", "img/s")
    assert texts(sheet) == [("ResNet-50", "140"), ("VGG", "72")]


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        # Decimal commas do not make a comma the delimiter.
        (
            "Modell;Zeit\nResNet;1,5\nVGG;2,25\n",
            ("Modell", "Zeit"),
            [("ResNet", "1,5"), ("VGG", "2,25")],
        ),
        # The line of Excel that names the delimiter is no row.
        ("sep=;\nmodel;a,b\nx;1,2\n", ("model", "a,b"), [("x", "1,2")]),
        ("sep=\t\nmodel\tms\nx\t1\n", TWO, [("x", "1")]),
        # A byte order mark is no part of the first name.
        ("\ufeffmodel,ms\nx,1\n", TWO, [("x", "1")]),
        # Delimiters at the end make no column; one that holds something is kept.
        ("model;ms;\na;1;\nb;2;;\n", TWO, [("a", "1"), ("b", "2")]),
        ("model;ms\na;1;\nb;2;;\n", TWO, [("a", "1"), ("b", "2")]),
        (
            ",model,ms,\n0,a,1,x\n1,b,2,\n",
            ("column 1", "model", "ms", "column 4"),
            [("0", "a", "1", "x"), ("1", "b", "2", "")],
        ),
        # Doubled names are told apart.
        (
            "ms,ms,MS,ms (2)\n1,2,3,x\n",
            ("ms", "ms (2)", "MS (3)", "ms (2) (2)"),
            [("1", "2", "3", "x")],
        ),
        # Rows behind a gap go on and are no header; files strung together repeat it.
        (
            "model,ms\na,1.5\n,\nb,2.5\n\nc,3.5\n",
            TWO,
            [("a", "1.5"), ("b", "2.5"), ("c", "3.5")],
        ),
        ("model,ms\na,1\nmodel,ms\nb,2\n", TWO, [("a", "1"), ("b", "2")]),
        # Numbers are no header, nor is a figure of many decimals; versions are names.
        ("1,2\n3,4\n", ("column 1", "column 2"), [("1", "2"), ("3", "4")]),
        (
            "resnet,188.27877\nvgg,35.99792\n",
            ("column 1", "column 2"),
            [("resnet", "188.27877"), ("vgg", "35.99792")],
        ),
        ("model,1.12,1.13\na,5,6\n", ("model", "1.12", "1.13"), [("a", "5", "6")]),
        # A comment right above the figures names the columns; a rank is no comment.
        ("# model,ms\na,1\nb,2\n", TWO, [("a", "1"), ("b", "2")]),
        ("# all on M1\nrank,ms\n#1,5\n#old,7\n", ("rank", "ms"), [("#1", "5")]),
        ("# all on M1\nmodel,1\nx,2\n", ("model", "1"), [("x", "2")]),
        # Formulas are text.
        ('a,b\n=1+2,"=HYPERLINK(""x"")"\n', ("a", "b"), [("=1+2", '=HYPERLINK("x")')]),
    ],
)
def test_a_file_is_read_with_the_names_of_its_columns(text, header, rows):
    sheet = table(text, NAME)

    assert (sheet.header, texts(sheet)) == (header, rows)


def test_a_quoted_line_break_keeps_the_physical_line_of_its_row():
    sheet = table('model,note,ms\na,"two\nlines",1\nb,"say ""hi""",2\n', NAME)

    assert [row.line for row in sheet.rows] == [2, 4]
    assert texts(sheet) == [("a", "two lines", "1"), ("b", 'say "hi"', "2")]


@pytest.mark.parametrize(
    ("text", "rows", "bad"),
    [
        (
            'model,ms\na,1\n"b,2\nc,3\nd,4\n',
            [("a", "1"), ("c", "3"), ("d", "4")],
            [(3, "its quote is never closed")],
        ),
        (
            '"model,ms\na,1\nb,2\n',
            [],
            [
                (1, "its quote is never closed"),
                (2, "the header above it cannot be read"),
                (3, "the header above it cannot be read"),
            ],
        ),
        (
            "model,ms,W\na,1,2\nb,1\nc,1,2,3\n",
            [("a", "1", "2")],
            [(3, "2 cells under 3 columns"), (4, "4 cells under 3 columns")],
        ),
    ],
)
def test_rows_that_cannot_be_taken_are_bad_with_their_lines(text, rows, bad):
    sheet = table(text, NAME)

    assert (texts(sheet), faults(sheet)) == (rows, bad)
    assert sheet.bad[0].raw == text.split("\n")[sheet.bad[0].number - 1]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        (
            "May;;\n# M1 Max, batch 64\nmodel;ms;W\na;1;2\n\n"
            "RAM;;\nmachine;RAM;\nM1;8;\n",
            (("May", "M1 Max, batch 64"), ("model", "ms", "W")),
            (("RAM",), ("machine", "RAM")),
        ),
        # A title between rows begins a sheet with the same header.
        ("model,ms\na,1.5\n\nM1 Pro\na,2.5\n", ((), TWO), (("M1 Pro",), TWO)),
        # A second header of numbers is known by the name it repeats.
        (
            "model,32,64\na,1,2\n\nmodel,128,256\na,3,4\n",
            ((), ("model", "32", "64")),
            ((), ("model", "128", "256")),
        ),
    ],
)
def test_blocks_have_their_own_headers_and_the_titles_above_them(text, first, second):
    sheets = tables(text, NAME)

    assert [(sheet.context, sheet.header) for sheet in sheets] == [first, second]
    assert [len(sheet.rows) for sheet in sheets] == [1, 1]


def test_marks_are_taken_off_figures():
    sheet = table("kernel,ms\nconv2d*,1*\nadd,2\n\n* with XLA\n", NAME)

    assert texts(sheet) == [("conv2d*", "1"), ("add", "2")]
    assert sheet.rows[0].cells[1].notes == ("*",)


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
    assert tables(text, "notes.txt") == ()


def test_a_table_without_a_telling_name_is_found():
    assert table("model\tms\nresnet\t12\nvgg\t13\n", "notes.txt").header == TWO


@pytest.mark.parametrize("path", sample_cases("llama-bench.csv"))
def test_a_file_whose_header_lacks_a_column_gives_no_row(path):
    (sheet,) = csv.sheets(document(path))

    assert (len(sheet.header), sheet.rows) == (26, ())
    assert [line.reason for line in sheet.bad] == ["27 cells under 26 columns"] * 2


def test_too_many_cells_are_refused_as_a_whole():
    text = ("," * 999 + "x\n") * (CELL_LIMIT // 1000 + 1)

    with pytest.raises(DocumentError, match="more than 200,000 cells"):
        tables(text, NAME)


def test_of_too_many_columns_those_with_figures_are_read():
    names = ",".join(f"c{n}" for n in range(1003))
    wide = table(f"{names}\n{'word,' * 3}{'1.5,' * 999}2.5\n", NAME)

    assert wide.header == tuple(f"c{n}" for n in range(3, 1003))
    assert [it.text for it in wide.rows[0].cells][-2:] == ["1.5", "2.5"]
    assert wide.bad[0].reason == "1,003 columns; 1,000 are read"


def test_a_unit_in_its_own_column_is_that_of_the_statistics_before_it():
    sheet = table("run,batch,mean,std,unit\na,8,12.5,0.25,ms\n", NAME)

    assert texts(sheet) == [("a", "8", "12.5 ms", "0.25 ms", "")]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_gap_below_the_names_of_columns_takes_nothing_from_them(mark):
    text = "\ufeff# made by bench.py\n\nmodel,batch,s\n\n\n"
    text += "vgg,64,12.5\nlstm,32\ngru,8,3.5\n"
    (sheet,) = tables(text.replace(",", mark), "x.csv")

    assert sheet.context == ("made by bench.py",)
    assert sheet.header == ("model", "batch", "s")
    assert texts(sheet) == [("vgg", "64", "12.5"), ("gru", "8", "3.5")]
    assert faults(sheet) == [(7, "2 cells under 3 columns")]


def test_names_of_columns_above_others_are_a_table_without_rows():
    first, second = tables("a,b\n\nc,d\n1.5,2.5\n", "x.csv")

    assert (first.rows, second.header) == ((), ("c", "d"))


def test_lines_below_the_last_row_that_nothing_parts_are_left_to_other_readers():
    text = (
        "backend,batch,time\ncpu,1,12.5 s\ngpu,1,3.4 s\ngpu,8\nDuration (s): 121.15\n"
    )

    csv_, other = readable(Document("out.txt", text.encode()))

    assert [row.line for row in csv_.rows] == [2, 3]
    assert [bad.number for bad in csv_.bad] == [4]
    assert texts(other) == [("Duration (s)", "121.15")]
