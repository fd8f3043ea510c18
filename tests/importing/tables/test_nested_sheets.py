"""JSON, JSON Lines and YAML as tables: paths as columns, what is printed kept."""

import json

import pytest

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import excerpt
from benchdb.importing.sheets import READERS
from tests.importing.mapping import mapped
from tests.importing.sheet_texts import faults, read, texts

RESULTS = """{
 "meta": {"system": {"chip": "M3 Max"}, "tags": ["a", "b"]},
 "results": [
  {"model": "llama", "timings": {"ttft_ms": 12.50, "e2e": NaN}},
  {"model": "qwen", "timings": {"ttft_ms": 13, "e2e": null}}
 ]
}"""
MAP = """
[set]
framework = "mlx"
device = "metal"
workload = "llm-prefill"
[[table]]
read = "json"
under = '^results'
[table.columns]
"model" = { field = "parameters.model" }
"meta.system.chip" = { field = "chip" }
"timings.ttft_ms" = { is = "value", metric = "latency_mean_seconds", unit = "ms" }
"timings.e2e" = { is = "value", metric = "step_seconds", unit = "ms" }
"meta.tags" = { is = "ignore" }
"""


def test_a_list_of_objects_is_a_table_with_what_stands_above_it():
    (results,) = read("json", RESULTS)

    assert results.context == ("results[]",)
    assert results.header == (
        *("model", "timings.ttft_ms", "timings.e2e"),
        *("meta.system.chip", "meta.tags"),
    )
    assert results.inherited == ("meta.system.chip", "meta.tags")
    assert texts(results) == [
        ("llama", "12.50", "NaN", "M3 Max", "a, b"),
        ("qwen", "13", "null", "M3 Max", "a, b"),
    ]
    assert [row.line for row in results.rows] == [4, 5]


def test_a_cell_of_json_stands_where_its_pointer_leads():
    document = Document("x.json", RESULTS.encode())
    (results,) = READERS["json"](document)

    cells = results.rows[0].cells
    assert cells[1].pointer == "/results/0/timings/ttft_ms"
    assert [excerpt(document, cell.pointer) for cell in cells[:4]] == [
        *("llama", "12.50", "nan", "M3 Max")
    ]


def test_a_map_names_columns_by_their_paths():
    first, second = mapped.records(mapped.items(MAP, RESULTS, name="x.json"))

    assert first.machine.chip.name == "M3 Max"
    assert first.run.parameters == {"model": "llama"}
    assert first.run.locator == "/results/0/timings"
    ttft, e2e = first.end.values
    assert (ttft.value, ttft.printed) == (0.0125, "12.50")
    assert ttft.locator == "/results/0/timings/ttft_ms"
    assert (e2e.value, e2e.reason) == (None, "not a number")
    assert second.end.values[1].reason == "not printed"


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        ('{"a": 1.0, "b": {"c": "x"}}', ("a", "b.c"), [("1.0", "x")]),
        ('[{"a": 1}, {"a": 2}]', ("a",), [("1",), ("2",)]),
        (
            '{"M1": {"ms": 1}, "M2": {"ms": 2}}',
            ("key", "ms"),
            [("M1", "1"), ("M2", "2")],
        ),
        # What is alike in one is so in its neighbour with a single entry.
        (
            '{"M1": {"r": {"ms": 1}, "v": {"ms": 2}}, "M2": {"r": {"ms": 3}}}',
            ("key", "ms", "key (2)"),
            [("r", "1", "M1"), ("v", "2", "M1"), ("r", "3", "M2")],
        ),
        (
            '{"M1": [{"n": 1}, {"n": 2}], "M2": [{"n": 3}]}',
            ("n", "key"),
            [("1", "M1"), ("2", "M1"), ("3", "M2")],
        ),
        # Lists of one length stand side by side, however they are named.
        (
            '{"n": [64, 128], "mps": [1.50, 2.5], "tags": ["x", "y", "z"]}',
            ("index", "n[]", "mps[]", "tags"),
            [("0", "64", "1.50", "x, y, z"), ("1", "128", "2.5", "x, y, z")],
        ),
        ("[[1, 2], [3, 4]]", ("index", "0", "1"), [("0", "1", "2"), ("1", "3", "4")]),
        ("[1.0, 2]", ("index", "[]"), [("0", "1.0"), ("1", "2")]),
    ],
)
def test_whatever_its_shape_json_is_a_table(text, header, rows):
    (sheet,) = read("json", text)

    assert sheet.header == header
    assert texts(sheet) == rows


def test_samples_are_rows_under_what_they_belong_to():
    text = '[{"model": "a", "rounds_raw": [1.10, 1.2]}, {"model": "b", "mean": 3}]'
    rounds, means = read("json", text)

    assert rounds.context == ("[].rounds_raw[]",)
    assert rounds.header == ("index", "rounds_raw[]", "model")
    assert texts(rounds) == [("0", "1.10", "a"), ("1", "1.2", "a")]
    assert rounds.rows[1].cells[1].pointer == "/0/rounds_raw/1"
    assert texts(means) == [("b", "3")]


@pytest.mark.parametrize(
    "listed",
    ['"curve": [4.1, 3.2]', '"history": [{"step": 1, "loss": 4}, {"step": 2}]'],
)
def test_what_objects_list_beside_their_results_is_left_out_and_told(listed):
    text = f'[{{"m": "a", "tok_per_s": 12.5, {listed}}}, {{"m": "b", "tok_per_s": 3}}]'
    (sheet,) = read("json", text)

    assert texts(sheet) == [("a", "12.5"), ("b", "3")]
    ((line, why),) = faults(sheet)
    assert (line, why.partition(" of ")[0]) == (1, "2 items")


def test_the_shape_of_what_an_object_measured_is_one_cell():
    text = '[{"op": "a", "shape": [64, 64], "ms": 1.5}, {"op": "a", "ms": 2}]'
    (sheet,) = read("json", text)

    assert sheet.header == ("op", "ms", "shape")
    assert texts(sheet) == [("a", "1.5", "64, 64"), ("a", "2", "")]


def test_objects_with_little_in_common_are_tables_of_their_own():
    text = (
        '[{"a": 1, "b": 2, "c": 3}, {"x": 1, "y": 2, "z": 3}, {"a": 4, "b": 5, "c": 6}]'
    )
    first, second = read("json", text)

    assert texts(first) == [("1", "2", "3"), ("4", "5", "6")]
    assert second.header == ("x", "y", "z")


def test_each_line_of_json_lines_is_a_row_at_its_line():
    lines = ['{"m": "a", "s": {"n": 1.0}}', "", '{"m": "b", "s": {"n": 2}}', '{"m": ']
    (sheet,) = read("json", "\n".join(lines))

    assert sheet.header == ("m", "s.n")
    assert texts(sheet) == [("a", "1.0"), ("b", "2")]
    assert [(row.line, row.cells[1].pointer) for row in sheet.rows] == [
        (1, ""),
        (3, ""),
    ]
    assert faults(sheet) == [(4, "no JSON")]


def test_yaml_is_read_by_the_same_rules():
    text = """# ours
machine: {chip: M1 Max, ram: 64}
runs:
  - model: resnet50
    time_s: 12.50
    on: {chip: M1 Max, ram: 64}
  - model: "1.0"
    time_s: ~
    on:
      chip: M1 Max
      ram: 32
"""
    machine, runs = read("yaml", text)

    assert texts(machine) == [("M1 Max", "64")]
    assert runs.header[:4] == ("model", "time_s", "on.chip", "on.ram")
    assert [row[:4] for row in texts(runs)] == [
        ("resnet50", "12.50", "M1 Max", "64"),
        ("1.0", "~", "M1 Max", "32"),
    ]
    assert [cell.line for cell in runs.rows[1].cells[:4]] == [7, 8, 10, 11]


@pytest.mark.parametrize(
    ("reader", "text", "why"),
    [
        ("json", '{"a": 1,\n "b": }', "line 2, column 7: no JSON"),
        ("json", "[" * 100 + "]" * 100, "nested too deeply"),
        ("json", json.dumps([0] * 600_000), "up to 600,000 values"),
        ("yaml", "a: [1, 2\nb: 3", "line 2: no YAML"),
        ("yaml", "a: 1\na: 2", "line 2: the key 'a' stands twice"),
        ("yaml", "a: &a [1]\nb: *a", "line 2: \\*a stands for .* write it out"),
        ("yaml", "? [1, 2]\n: 3", "line 1: a key is a list"),
        ("yaml", "[" * 100_000, "line 1: .*nest(ed|ing)"),
        ("yaml", "a: 1\n" * 300_000, "more than 1,048,576 characters of YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(reader, text, why):
    with pytest.raises(DocumentError, match=why):
        read(reader, text)


def test_what_is_no_json_has_no_tables_in_it():
    assert read("json", "loss: 0.3\n{'a': 1}") == ()
