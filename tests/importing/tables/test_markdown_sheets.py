"""Tables in Markdown as people write, paste and break them."""

import pytest

from benchdb.importing.document import DocumentError
from benchdb.importing.sheet import Sheet
from benchdb.importing.sheets import sheets
from tests.documents import Mapped, each
from tests.foreign_files import document, sample_cases
from tests.importing.sheet_texts import FIXTURES, faults, read, table, tables, texts

TABLE = "| model | ms |\n|---|---|\n| a | 1 |\n"


def only(text: str) -> Sheet:
    return table(text, "README.md")


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|:--|--:|\n| 1 | 2 |",
        "a | b\n-|-\n1 | 2",
        "|a|b|  \n| :-: |-------------|\t\n|1|2|   ",
        "> | a | b |\n> |---|---|\n> | 1 | 2 |",
        "- | a | b |\n  |---|---|\n  | 1 | 2 |",
        "1. M1\n\n   | a | b |\n   |---|---|\n   | 1 | 2 |",
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```",
        "<pre>\n a | b\n---+---\n 1 | 2\n</pre>",
        "|---+---|\n| a | b |\n|---+---|\n| 1 | 2 |\n|---+---|",
        "| a | b |\n|--|\n| 1 | 2 |",
        "a | b\n- | -\n1 | 2",
        "| x | y |\nText - more\n\n|---|---|\n| a | b |\n|---|---|\n| 1 | 2 |",
        "Text right above\n| a | b |\n|---|---|\n| 1 | 2 |\nText right below",
    ],
)
def test_a_table_is_found_however_it_is_set(text):
    sheet = only(text)

    assert (sheet.kind, sheet.header) == ("markdown", ("a", "b"))
    assert texts(sheet) == [("1", "2")]


def test_escaped_pipes_are_part_of_a_cell():
    sheet = only("| a | b |\n|---|---|\n| x \\| y | `p` |\n| c | `p|q` |\n")

    assert texts(sheet) == [("x | y", "p")]
    assert sheet.rows[0].cells[0].raw == "x \\| y"
    assert faults(sheet) == [(4, "3 cells under 2 columns")]


def test_rows_with_more_or_fewer_cells_are_quarantined_but_for_blank_ones():
    sheet = only("| a | b |\n|--|--|\n| 1 |\n| 2 | 3 |\n| 4 | 5 | 6 |\n|  |\n")

    assert texts(sheet) == [("2", "3")]
    assert faults(sheet) == [
        (3, "1 cell under 2 columns"),
        (5, "3 cells under 2 columns"),
    ]
    assert (sheet.bad[0].raw, sheet.bad[0].locator) == ("| 1 |", "line 3")


def drawn_at(line):
    text = (FIXTURES / "columns.txt").read_text("utf-8")
    return next(sheet for sheet in tables(text, "x.txt") if sheet.line == line)


def test_lines_of_a_grid_that_may_be_one_row_or_several_are_bad():
    assert texts(drawn_at(20)) == [("A", "12.5"), ("B", "13")]
    assert [number for number, _ in faults(drawn_at(20))] == [26, 27]


def test_a_row_of_a_box_with_too_many_cells_is_bad():
    sheet = drawn_at(31)

    assert (sheet.header, texts(sheet)) == (("Model", "ms"), [("A", "12")])
    assert faults(sheet) == [(34, "3 cells under 2 columns")]


def test_psql_draws_no_outer_lines():
    assert texts(drawn_at(37)) == [("a", "12.5"), ("b", "1.2")]


def test_text_between_rows_is_quarantined():
    sheet = only(TABLE + "then\n| b | 2 |\n\nText\n")

    assert texts(sheet) == [("a", "1"), ("b", "2")]
    assert faults(sheet) == [(4, "a line of text between rows")]


def test_an_alignment_row_inside_a_table_parts_groups_only_below_figures():
    grouped = only(TABLE + "|---|---|\n| b | 2 |\n")
    doubtful = only("| a | b |\n|---|---|\n| x | y |\n|---|---|\n| z | 1 |\n")

    assert texts(grouped) == [("a", "1"), ("b", "2")]
    assert doubtful.rows == ()
    assert [number for number, _ in faults(doubtful)] == [3, 5]


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        # A row that only has its first cell is a row; an empty one is none.
        (
            "| a | b |\n|---|---|\n| Larger batch | |\n| | |\n| 1 | 2 |\n",
            ("a", "b"),
            [("Larger batch", ""), ("1", "2")],
        ),
        ("| | a |\n|-|-|\n| x | 1 |\n", ("column 1", "a"), [("x", "1")]),
        (
            TABLE + "<!-- | b | 2 | -->\n| c | 3 |\n",
            ("model", "ms"),
            [("a", "1"), ("c", "3")],
        ),
        ("a\n---\n|a|b|\n|-|-|\n|:|-|\n|1|2|\n", ("a", "b"), [(":", "-"), ("1", "2")]),
        ("|a|b|\n+---+\n\n" + TABLE, ("model", "ms"), [("a", "1")]),
    ],
)
def test_a_table_has_the_names_and_rows_that_people_see(text, header, rows):
    sheet = only(text)

    assert (sheet.header, texts(sheet)) == (header, rows)


@pytest.mark.parametrize(
    ("text", "context"),
    [
        (
            "# T\n\n## S\n\nA\n=\n\n## M1\n\n**Bold:**\n\nold\n\nright\nabove\n\n",
            ("A", "M1", "Bold", "right above"),
        ),
        ("<details>\n<summary>M1</summary>\n", ("M1",)),
        ("* Charger plugged in\n\n", ()),
        # Front matter, comments, scripts and code are no content.
        (f"---\ntitle: x\n---\n<!--\n{TABLE}-->\n<style>\n{TABLE}</style>\n\n", ()),
        (
            f"---\n## M1 ##\nuse `<!--` here\n\nOld <!-- was\n{TABLE}-->\n\n",
            ("M1", "Old"),
        ),
        ("<h1>\n\n", ()),
        ("# T\n\n```\n# 64 batch\n```\n\n", ("T",)),
    ],
)
def test_headings_bold_lines_and_the_paragraph_right_above_are_context(text, context):
    assert only(text + TABLE).context == context


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        (
            f"# T\n<details><summary><b>M1</b></summary>\n\n{TABLE}\n</details>\n\n",
            ("T", "M1"),
            ("T",),
        ),
        (
            f"<details>\n<summary>\nM1\n</summary>\n\n{TABLE}\nend</details>\n\n",
            ("M1",),
            (),
        ),
    ],
)
def test_a_summary_holds_up_to_the_end_of_its_details(text, inside, outside):
    inner, outer = tables(text + TABLE, "README.md")

    assert (inner.context, outer.context) == (inside, outside)


def test_a_list_item_is_context_of_what_stands_inside_it():
    inside = "* M1 Max:\n\n" + "".join(f"  {line}\n" for line in TABLE.splitlines())

    assert only(inside).context == ("M1 Max:",)


def test_a_block_of_csv_is_read_as_that():
    sheet = only("# T\n\n```csv\nmodel;s\na;1,5\nb;2,5\n```\n")

    assert (sheet.kind, sheet.line, sheet.context) == ("csv", 4, ("T",))
    assert texts(sheet) == [("a", "1,5"), ("b", "2,5")]


def test_a_block_of_results_in_json_is_read_by_paths_under_its_headings():
    text = '# M2 Max\n\nMeasured twice:\n\n```json\n{\n "model": "Qwen2.5-7B",\n'
    text += ' "latency_ms": {"mean": 12.50,\n  "p95": 20.25},\n'
    text += ' "tags": {"date": "today"}\n}\n```\n'
    (sheet,) = read("json", text)

    assert (sheet.kind, sheet.line) == ("json", 7)
    assert sheet.context == ("M2 Max", "Measured twice:")
    assert sheet.header == ("model", "latency_ms.mean", "latency_ms.p95", "tags.date")
    assert texts(sheet) == [("Qwen2.5-7B", "12.50", "20.25", "today")]
    assert [cell.line for cell in sheet.rows[0].cells] == [7, 8, 9, 10]
    assert not any(cell.pointer for cell in sheet.rows[0].cells)


def test_lists_in_a_block_of_json_keep_what_stands_above_them():
    text = '# T\n\n```\n[{"gpu": "RTX 4090", "runs": [\n{"name": "a", "tps": 58.5},\n'
    (sheet,) = read("json", f'{text}{{"name": "b", "tps": 52.25}}]}}]\n```\n')

    assert sheet.context == ("T", "[].runs[]")
    assert texts(sheet) == [("a", "58.5", "RTX 4090"), ("b", "52.25", "RTX 4090")]


def test_each_line_of_a_quoted_block_of_json_lines_is_a_row():
    text = '> ```\n> {"model": "a", "tps": 31.5}\n>\n> {"model": "b", "tps": 44.25}\n'
    (sheet,) = read("json", f"[Results](x.md)\n\n{text}> ```\n")

    assert texts(sheet) == [("a", "31.5"), ("b", "44.25")]
    assert [row.line for row in sheet.rows] == [4, 6]


@pytest.mark.parametrize(
    "block",
    [
        '{"batch_size": 4, "dtype": "fp16"}',
        '{\n "ttft_ms": 12.5,\n …\n}',
        '{"tps": 12.5}\nand so on',
        "[info] latency: 12 ms",
        "{}",
        "",
    ],
)
def test_a_block_without_results_in_json_is_left_to_the_other_readers(block):
    assert read("json", f"# T\n\n```json\n{block}\n```\n") == ()


def test_footnotes_are_found_by_their_marks():
    text = (
        "| model[^n] | ms |\n|---|---|\n| a | **140**\\* |\n| b | 70<sup>1</sup> |\n"
        "| c | 7† |\n\n\\* with XLA\n† alone\n\n[^n]: the *names*\n[^1]: one\n"
    )
    sheet = only(text)

    assert sheet.header == ("model", "ms")
    assert [row.cells[1].notes for row in sheet.rows] == [("*",), ("1",), ("†",)]
    assert dict(sheet.footnotes) == {
        "n": "the names",
        "1": "one",
        "*": "with XLA",
        "†": "alone",
    }


def test_a_list_below_a_table_is_no_footnote_unless_it_has_a_star():
    starred = "| a | b |\n|---|---|\n| 1* | 2 |\n\n"

    assert only(TABLE + "* one\n* two\n").footnotes == ()
    assert only(TABLE + "*All with batch 64*\n").footnotes == ()
    assert only(starred + "* with XLA\n").footnotes == (("*", "with XLA"),)


@pytest.mark.parametrize(
    ("path", "rate"),
    sample_cases("llama-bench.md", ours=("64.25 ± 0.75",), shared=("131.42 ± 0.59",)),
)
def test_what_llama_bench_prints_is_a_table(path, rate):
    (sheet,) = sheets(document(path))

    assert (len(sheet.header), len(sheet.rows)) == (7, 2)
    assert texts(sheet)[1][-1] == rate


def test_hostile_text_is_read_to_its_end():
    pieces = [
        "[",
        "![a](",
        "**",
        "_a ",
        "~~",
        "`",
        "<a x='",
        "<!--",
        "<sup>",
        "\\",
        "*a ",
    ]
    rows = "".join(f"| {piece * 5000} | 1 |\n" for piece in pieces)

    assert len(only(f"| a | b |\n|---|---|\n{rows}").rows) == len(pieces)


def test_too_many_cells_are_refused_as_a_whole():
    with pytest.raises(DocumentError, match="more than 200,000 cells"):
        tables(TABLE + ("|" * 1000 + "\n") * 1001, "README.md")


def test_a_line_that_begins_in_bold_is_a_heading_for_what_follows_a_caption():
    (first, second) = tables(
        "**M2**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "**M3 (16 GB)** - mlx 0.2\n\nAverages:\n| a | b |\n|---|---|\n| 3 | 4 |\n",
        "README.md",
    )

    assert first.context == ("M2",)
    assert second.context == ("M2", "M3 (16 GB) - mlx 0.2", "Averages:")


@each("throughput")
def test_the_tables_of_a_readme_are_all_there(mapped: Mapped):
    result = sheets(mapped.document)
    rows, above, (at, heading) = {
        "throughput": (
            [3, 3, 5],
            [
                "Training on the M2 Max",
                "Training on the M2 Pro (19 Core GPU)",
                "For comparison: an RTX 4090",
            ],
            (3, "Largest Batch Size"),
        ),
        "tf-metal-experiments": (
            [4, 6, 10],
            [
                "Benchmarks from M1 Max",
                "Benchmarks from M1 Pro (16 Core GPU)",
                "Reference Benchmarks from RTX 3090",
            ],
            (5, "Larger Batch Size"),
        ),
    }[mapped.name]

    assert [len(sheet.rows) for sheet in result] == rows
    assert [sheet.bad for sheet in result] == [(), (), ()]
    assert [sheet.context[-1] for sheet in result] == above
    assert texts(result[2])[at] == (heading, "", "", "", "")


@each("script-times")
def test_a_table_of_times_is_read_cell_by_cell(mapped: Mapped):
    (sheet,) = sheets(mapped.document)
    columns, lines, empty = (
        (7, range(71, 75), 2) if mapped.is_ours else (9, range(95, 104), 4)
    )

    assert (len(sheet.header), sheet.bad) == (columns, ())
    assert [row.line for row in sheet.rows] == list(lines)
    assert sheet.rows[empty].cells[4].text == "-"


@each("epochs")
def test_a_table_below_text_stands_under_it(mapped: Mapped):
    (sheet,) = sheets(mapped.document)
    ratio, *above = (
        ("500.00%", "MPS에서", "몇 배인지 나누어 보면,")
        if mapped.is_ours
        else ("519.02%", "MPS 결과", "속도 개선률을 계산해보면,")
    )

    assert texts(sheet)[0] == ("vgg16", ratio)
    assert sheet.context[-2:] == tuple(above)


def test_rows_that_a_printed_line_end_joins_are_rows_of_the_table():
    sheet = only(TABLE + "| b | 2 |\\n| c | 3 |\\n| d\\n | 4 |\\n\n")

    assert [(row.line, row.cells[0].text) for row in sheet.rows] == [
        (3, "a"),
        (4, "b"),
        (4, "c"),
        (4, "d\\n"),
    ]
    assert faults(sheet) == []


def test_a_header_below_a_line_of_dashes_begins_a_table_in_a_code_block():
    rows = "a     |    1 |    nan\nb     |    8 |  39.25\n"
    text = f"# GPU\n\n```\nBreakdown\n---------\nbench | ngpu |   perf\n{rows}```\n"
    sheet = only(text)

    assert sheet.context == ("GPU", "Breakdown")
    assert sheet.header == ("bench", "ngpu", "perf")
    assert texts(sheet) == [("a", "1", "nan"), ("b", "8", "39.25")]


@pytest.mark.parametrize(
    "text",
    [
        "```\n---------\na | b | c\nd | e\n```\n",
        "```\na | b | c\n1 | 2 | 3\n```\n",
        "```\n---------\na | b\n1 | 2\n```\n",
        "---------\na | b | c\n1 | 2 | 3\n",
    ],
)
def test_lines_with_bars_below_no_line_of_dashes_are_no_table(text):
    assert tables(text, "README.md") == ()
