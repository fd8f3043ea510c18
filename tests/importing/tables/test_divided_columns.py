"""Cells with several figures, each with its unit: a column for each of them."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.sheet import Sheet
from benchdb.importing.sheets import readable
from benchdb.importing.tables.divided import divided, with_rows_of_statistics


def parts(head: str, *cells: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the columns beside the first, and the texts of each row."""
    sheet = divided(table(head, *cells))
    rows = [tuple(cell.text for cell in row.cells[1:]) for row in sheet.rows]
    return sheet.header[1:], rows


def table(head: str, *cells: str) -> Sheet:
    lines = [f"| Model | {head} |", "|---|---|", *(f"| a | {it} |" for it in cells)]
    (sheet,) = readable(Document("x.md", "\n".join(lines).encode()))
    return sheet


@pytest.mark.parametrize(
    ("head", "cell", "columns"),
    [
        (
            "LFM2 (1k-Prefill/100-Decode)",
            "828tps/87tps (32MB RAM)",
            {
                "LFM2 (1k-Prefill)": "828tps",
                "LFM2 (100-Decode)": "87tps",
                "LFM2 (RAM)": "32MB",
            },
        ),
        ("Time / Memory", "12.3 s / 4.1 GB", {"Time": "12.3 s", "Memory": "4.1 GB"}),
        (
            "Result",
            "1.96 s (4.54gb)",
            {"Result (s)": "1.96 s", "Result (gb)": "4.54gb"},
        ),
        ("Run", "9 ms, 11 ms", {"Run [1]": "9 ms", "Run [2]": "11 ms"}),
    ],
)
def test_each_figure_of_a_cell_is_in_a_column_of_its_own(head, cell, columns):
    assert parts(head, cell) == (tuple(columns), [tuple(columns.values())])


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("avg/max", ("avg", "max")),
        ("decode (p50 / p95)", ("decode p50", "decode p95")),
    ],
)
def test_a_list_of_statistics_is_a_column_for_each(head, columns):
    names, rows = parts(head, "1900 / 1992 tok/s", "—", "7.5 tok/s/8 tok/s")

    assert names == columns
    assert rows == [
        ("1900 tok/s", "1992 tok/s"),
        ("—", "—"),
        ("7.5 tok/s", "8 tok/s"),
    ]


def test_a_row_of_statistics_is_a_row_for_each():
    text = "|  | A | B | change |\n|---|---|---|---|\n| queue | 1 / 2 | 3 | |\n"
    text += "| speed avg/max | 1900 / 1992 tok/s | 1658 / 2045 tok/s | avg -13% |\n"
    text += "| load avg/max | 3 / 4 s | 5 s | |\n"
    (sheet,) = readable(Document("x.md", text.encode()))

    rows = with_rows_of_statistics(sheet).rows

    assert [tuple(cell.text for cell in row.cells) for row in rows] == [
        ("queue", "1 / 2", "3", ""),
        ("speed avg", "1900 tok/s", "1658 tok/s", "avg -13%"),
        ("speed max", "1992 tok/s", "2045 tok/s", "avg -13%"),
        ("load avg/max", "3 / 4 s", "5 s", ""),
    ]
    assert [row.line for row in rows] == [3, 4, 4, 5]


def test_a_cell_may_lack_a_part():
    names, rows = parts("Result", "2 s / 3 GB", "4 GB", "OOM", "5 s")

    assert names == ("Result (s)", "Result (GB)")
    assert rows == [("2 s", "3 GB"), ("", "4 GB"), ("OOM", "OOM"), ("5 s", "")]


@pytest.mark.parametrize(
    "cells",
    [
        ("12.3 s (1.5x)",),  # a speed-up
        ("84 min (5040 s)",),  # one figure
        ("3,224 MiB (3.15 GiB)",),
        ("1 h 20 min",),
        ("2x Spark + 200G",),
        ("9 / 11",),  # without units
        ("9 ms / 11 ms", "10 ms"),  # which of them, nothing tells
    ],
)
def test_what_is_no_list_of_figures_stays_whole(cells):
    assert parts("Run", *cells) == (("Run",), [(it,) for it in cells])
