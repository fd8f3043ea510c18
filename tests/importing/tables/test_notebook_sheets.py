"""Jupyter notebooks: tables and printed text, at the lines of the file."""

import json

import pytest

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.sheets import READERS, readable, sheets
from benchdb.importing.tables import notebook

TABLE = "| model | ms |\n|---|---|\n| a | 1 |\n"
FRAME = (
    "<style scoped>\n</style>\n<table border='1'>\n<thead><tr><th></th><th>ms</th></tr>"
    "</thead>\n<tbody>\n<tr><th>0</th><td>7</td></tr>\n</tbody></table>"
)


def cell(kind: str, source: str, *outputs: dict[str, object]) -> dict[str, object]:
    lines = source.splitlines(keepends=True)
    return {"cell_type": kind, "source": lines, "outputs": list(outputs)}


def printed(text: str) -> dict[str, object]:
    return {"output_type": "stream", "text": text.splitlines(keepends=True)}


def shown(**data: str) -> dict[str, object]:
    kinds = {
        f"text/{kind}": text.splitlines(keepends=True) for kind, text in data.items()
    }
    return {"output_type": "execute_result", "data": kinds}


def texts(document: Document) -> list[str]:
    """Return the lines in which a reader of logs looks for what is its own."""
    lines = notebook.flattened(document).text.lines
    return [line for line in lines if line.strip("`")]


def saved(*cells: dict[str, object], indent: int | None = 1) -> Document:
    whole = {"cells": list(cells), "metadata": {}, "nbformat": 4}
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    return Document("bench.ipynb", text.encode())


def test_a_table_of_a_text_cell_stands_where_the_file_has_it():
    document = saved(cell("markdown", "# M1\n\n" + TABLE))
    (sheet,) = sheets(document)
    (row,) = sheet.rows

    assert sheet.context == ("M1",)
    assert "| a | 1 |" in document.lines[row.line - 1]
    assert row.cells[1].line == row.line


def test_headings_hold_for_what_the_cells_below_show():
    document = saved(cell("markdown", "# M1"), cell("code", "df", shown(html=FRAME)))
    (sheet,) = sheets(document)

    assert (sheet.kind, sheet.context) == ("html", ("M1",))
    assert sheet.header == ("column 1", "ms")
    assert "<td>7</td>" in document.lines[sheet.rows[0].line - 1]


def test_what_code_prints_as_a_table_is_one():
    (sheet,) = sheets(saved(cell("code", "x", printed("# no heading\n" + TABLE))))

    assert (sheet.context, sheet.header) == (("# no heading",), ("model", "ms"))


def test_code_itself_is_not_read():
    assert sheets(saved(cell("code", TABLE))) == ()


def test_a_bad_row_is_named_by_its_line_in_the_file():
    document = saved(cell("markdown", TABLE + "| b |\n"))
    (bad,) = sheets(document)[0].bad

    assert "| b |" in document.lines[bad.number - 1]
    assert bad.locator == f"line {bad.number}"


def test_cells_are_named_where_a_file_has_one_line():
    document = saved(cell("code", ""), cell("markdown", TABLE), indent=None)
    (sheet,) = sheets(document)

    assert (sheet.context, sheet.rows[0].line) == (("cell 2",), 1)


def test_a_cell_in_one_string_is_named_too():
    whole = {"cells": [{"cell_type": "markdown", "source": TABLE}], "nbformat": 4}
    (sheet,) = sheets(Document("x.ipynb", json.dumps(whole, indent=1).encode()))

    assert (sheet.context, sheet.header) == (("cell 1",), ("model", "ms"))


def test_an_open_code_block_ends_with_its_cell():
    (sheet,) = sheets(
        saved(cell("markdown", "```\nx"), cell("markdown", "# M\n" + TABLE))
    )

    assert sheet.context == ("M",)


def test_printed_text_stands_where_the_file_has_it():
    document = saved(
        cell("markdown", "# M1\n"),
        cell("code", "train()", printed("vgg: 1.5\n"), shown(plain="'resnet: 2'")),
    )
    sheet, _ = READERS["key-value"](document)

    assert texts(document) == ["# M1", "vgg: 1.5", "'resnet: 2'"]
    assert sheet.context == ("M1",)
    assert "vgg: 1.5" in document.lines[sheet.rows[0].line - 1]


def test_printed_text_of_a_file_of_one_line_is_named_by_its_cell():
    document = saved(cell("code", "x", printed("a: 1\nb: 2\n")), indent=None)
    (sheet,) = READERS["key-value"](document)

    assert (sheet.line, sheet.context) == (1, ("cell 1",))
    assert [row.cells[1].text for row in sheet.rows] == ["1", "2"]


def test_a_frame_is_not_offered_as_text_as_well():
    document = saved(cell("code", "df", shown(html=FRAME, plain="   ms\n0   7")))

    assert [sheet.kind for sheet in readable(document)] == ["html"]


def test_of_a_progress_bar_the_last_state_is_kept():
    bar: dict[str, object] = {
        "output_type": "stream",
        "text": [" 10%|#  \r 50%|## \r100%|###\r\n", "done\u0000"],
    }

    assert texts(saved(cell("code", "x", bar))) == ["100%|###", "done\ufffd"]


@pytest.mark.parametrize(
    "cells",
    [
        {},
        [1, None, {"cell_type": 7}],
        [{"cell_type": "markdown", "source": {"a": [3]}}],
        [
            {
                "cell_type": "code",
                "outputs": [[], {"data": {"text/html": 3}}, {"text": 1}],
            }
        ],
        [{"cell_type": "markdown", "source": ["\ud800", ["x"], 4]}],
    ],
)
def test_a_notebook_of_another_shape_has_no_tables(cells):
    document = Document("x", json.dumps({"cells": cells, "nbformat": 4}).encode())

    assert sheets(notebook.flattened(document).text) == ()


def test_a_notebook_cut_off_is_refused():
    with pytest.raises(DocumentError, match="no JSON"):
        sheets(Document("x", saved(cell("markdown", TABLE)).content[:-30]))
