"""Cells with several figures, each with its unit: a column for each of them."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.sheet import Sheet
from benchdb.importing.sheets import readable
from benchdb.importing.tables.divided import divided


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
