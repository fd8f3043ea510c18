"""Rules of a map for a whole source: file names, parts of cells, rows left out."""

import hashlib
from typing import Any

import pytest

from benchdb.errors import UsageError
from benchdb.importing.document import Document
from benchdb.importing.mapping.maps import parse
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING
from tests.importing.mapping.mapped import BASE, items, records

TESTS = f"""
{BASE}
[workloads]
llm-prefill = {{ match = ["pp"] }}
llm-decode = {{ match = ["tg"] }}

[[table]]
[table.columns]
Chip = {{ field = "chip", blank = "above", skip = {{ "x [0-9]$" = "several" }} }}
Rate = {{ is = "value", metric = "tokens_per_second", unit = "1/s" }}

[table.columns.Test]
pattern = [
    '^(?P<workload>pp)(?P<parameters__prompt_tokens>[0-9]+)',
    '^(?P<workload>tg)(?P<parameters__generated_tokens>[0-9]+)',
    '@ d(?P<parameters__depth>[0-9]+)$',
]
"""


def table(*rows: str, header: str = "Chip | Test | Rate") -> str:
    rule = " | ".join("---" for _ in header.split("|"))
    return "\n".join(f"| {row} |" for row in (header, rule, *rows))


def facts_of_runs(
    toml: str, text: str, name: str = "results.md"
) -> list[tuple[Any, ...]]:
    """Return chip, workload, parameters and value of each run."""
    return [
        (
            record.machine.chip.name,
            record.run.workload,
            record.run.parameters,
            record.end.values[0].value,
        )
        for record in records(items(toml, text, name=name))
    ]


def test_patterns_take_a_cell_apart():
    assert facts_of_runs(TESTS, table("M1 | pp512 | 90", "M1 | tg32 @ d4096 | 8")) == [
        ("M1", "llm-prefill", {"prompt_tokens": 512}, 90.0),
        ("M1", "llm-decode", {"generated_tokens": 32, "depth": 4096}, 8.0),
    ]


def test_what_is_left_out_takes_the_rows_with_it_that_repeat_its_cell():
    text = table(
        "M1 | pp512 | 90", "M1 x 2 | pp512 | 70", "| tg32 | 7", "M2 | tg32 | 9"
    )

    assert [(chip, value) for chip, _, _, value in facts_of_runs(TESTS, text)] == [
        ("M1", 90.0),
        ("M2", 9.0),
    ]


def test_a_line_is_left_out_by_its_number():
    toml = TESTS + '[table.without]\n4 = "the row above again"\n'
    text = table("M1 | pp512 | 90", "M1 | pp512 | 90")

    assert [value for *_, value in facts_of_runs(toml, text)] == [90.0]


def test_a_file_s_name_says_what_is_no_word_of_ours():
    toml = (
        TESTS
        + """
[files]
'^big/' = { set = { "parameters.model" = "Llama 3 70B" } }
'small' = { set = { "parameters.model" = "Llama 3 8B" } }
"""
    )
    row = table("M1 | pp512 | 90")

    assert [
        parameters["model"]
        for name in ("big/m1.md", "results/small.md")
        for _, _, parameters, _ in facts_of_runs(toml, row, name)
    ] == ["Llama 3 70B", "Llama 3 8B"]


def test_a_figure_may_be_a_part_of_its_cell():
    toml = TESTS.replace(
        'unit = "1/s" }', 'unit = "1/s", pattern = "^(?P<value>[0-9.]+) +\\\\[" }'
    )
    (record,) = records(items(toml, table("M1 | pp512 | 90.5 [ 88, 91 ]")))
    (value,) = record.end.values

    assert (value.value, value.printed) == (90.5, "90.5")


def test_a_pattern_of_figures_says_where_the_figure_is():
    toml = TESTS.replace('unit = "1/s" }', 'unit = "1/s", pattern = "[0-9]+" }')

    with pytest.raises(UsageError, match="pattern: a group"):
        items(toml, table("M1 | pp512 | 90"))


TWICE = f"""
{BASE}
[[table]]
set = {{ workload = "llm-prefill" }}
[table.columns]
Chip = {{ field = "chip" }}
Prompt = {{ field = "parameters.prompt_tokens" }}
Read = {{ is = "value", metric = "tokens_per_second", unit = "1/s" }}
Written = {{ is = "ignore" }}

[[table]]
%s
set = {{ workload = "llm-decode" }}
[table.columns]
Chip = {{ field = "chip" }}
Prompt = {{ field = "parameters.depth" }}
Read = {{ is = "ignore" }}
Written = {{ is = "value", metric = "tokens_per_second", unit = "1/s" }}
"""


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        ("", [("M1", "llm-prefill", {"prompt_tokens": 512}, 90.0)]),
        (
            "again = true",
            [
                ("M1", "llm-prefill", {"prompt_tokens": 512}, 90.0),
                ("M1", "llm-decode", {"depth": 512}, 8.0),
            ],
        ),
    ],
)
def test_a_table_is_read_twice_only_where_the_map_says_so(again, expected):
    text = table("M1 | 512 | 90 | 8", header="Chip | Prompt | Read | Written")

    assert facts_of_runs(TWICE % again, text) == expected


def test_a_document_of_a_repository_goes_by_its_path_there():
    text = table("M1 | pp512 | 90").encode()
    sha256 = hashlib.sha256(text).hexdigest()
    toml = TESTS + f'[paths]\n"big/m1.md" = "{sha256}"\n'
    toml += '[files]\n\'^big/\' = { set = { "parameters.model" = "Llama 3 70B" } }\n'
    map_ = parse(toml.encode(), "test").map_
    (record,) = records(list(read(Document("m1.md", text), map_, NOTHING)))

    assert record.run.parameters["model"] == "Llama 3 70B"
    assert record.source is not None
    assert record.source.document == "big/m1.md"
