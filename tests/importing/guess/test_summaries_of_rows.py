"""What sums up the rows beside it is no run of its own: totals, averages, extremes."""

from collections.abc import Mapping

import pytest

from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING
from benchdb.importing.sheets import READERS, readable
from tests.importing.guess.guessed import (
    figures,
    of_text,
    question,
    table,
)

PAGE = "# MLX on M2 Ultra GPU\n\n"


def of_json(
    text: str, answers: Mapping[str, str] = {}
) -> tuple[list[float | None], str]:
    """Return the values that are stored, and what is left out."""
    document = Document("results.json", text.encode())
    proposal = propose(document, READERS["json"](document), answers)
    made = [
        it for it in read(document, proposal.map, NOTHING) if isinstance(it, Record)
    ]
    values = [value.value for record in made for value in record.end.values]
    return values, "\n".join(proposal.left_out)


RUNTIME = '"framework": "mlx", "device": "gpu", "model": "Llama-3.1-8B-4bit"'


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        (
            '"trials": [{"decode_tps": 45.0}, {"decode_tps": 46.0}],'
            '"averages": {"decode_tps": 45.6}',
            "averages.decode_tps",
        ),
        (
            '"avg_decode_tps": 45.6,'
            '"runs": [{"run": 1, "decode_tps": 45.0}, {"run": 2, "decode_tps": 46.0}]',
            "avg_decode_tps",
        ),
        ('"decode_tps": [45.0, 46.0], "mean_decode_tps": 45.6', "mean_decode_tps"),
    ],
)
def test_samples_win_over_the_average_beside_them(fields, name):
    values, left = of_json(f"{{{RUNTIME}, {fields}}}")
    assert values == [45.5]
    assert f"{name!r}: sums up 'decode_tps" in left


GLOSS = f"""{{{RUNTIME}, "texts": [
  {{"label": "long", "gloss": 4.25, "gloss_min": 3.75, "parts": [
    {{"part": "a", "gloss": 4.5, "decode_tps": 40.5}},
    {{"part": "b", "gloss": 3.75, "decode_tps": 50.5}}]}},
  {{"label": "short", "gloss": 4.75, "gloss_min": 4.5, "parts": [
    {{"part": "a", "gloss": 5, "decode_tps": 60.5}},
    {{"part": "b", "gloss": 4.5, "decode_tps": 70.5}}]}}
]}}"""


def test_nothing_is_asked_about_what_sums_up_rows():
    document = Document("results.json", GLOSS.encode())
    questions = propose(document, READERS["json"](document)).questions
    assert not [it.key for it in questions if "gloss_min" in it.text]


def test_what_sums_up_a_column_is_left_out_with_it():
    values, left = of_json(GLOSS, {"readings": "yes, but gloss: leave-out"})
    assert values == [40.5, 50.5, 60.5, 70.5]
    assert "'gloss_min': sums up 'gloss' of each row" in left


LIST_BESIDE = """# matmul with MLX on M2 GPU

- Average time: {mean}
- Total time: {total}
- Slowest time (max): {largest}
- Setup time: 3.25 s

Size | Time (s)
---|---
512 | 1.5
1024 | 2.25
2048 | 4
"""


def with_list(**printed: str) -> tuple[list[float | None], str]:
    """Return the values that are stored of a list beside a table, and what is left."""
    text = LIST_BESIDE.format(**printed)
    document = Document("results.md", text.encode())
    proposal = propose(document, readable(document))
    return [value for *_, value in figures(proposal, text)], "\n".join(
        proposal.left_out
    )


def test_a_list_of_what_sums_up_a_table_is_no_run():
    values, left = with_list(mean="2.58 s", total="7.75 s", largest="4000 ms")

    assert {*values} == {1.5, 2.25, 3.25, 4}
    assert "'Average time': sums up 'Time (s)' of table 2 at line 8" in left


def test_a_total_of_something_else_is_asked_about():
    _, left = with_list(mean="2.6 s", total="9.5 s", largest="4.5 s")

    assert left == "line 3: 'Average time': sums up 'Time (s)' of table 2 at line 8"


def test_a_lowest_value_beside_a_plain_one_is_not_in_minutes():
    text = PAGE + table(
        "Model | decode tok/s | gloss | gloss min", "a | 9.5 | 4.5 | 3.5"
    )
    line = question(of_text(text), "numbers of gloss")
    assert "'gloss' (4.5), 'gloss min' (3.5)" in line.text
    assert line.likely == "leave-out"


def test_a_total_beside_rows_that_settings_tell_apart_is_kept():
    rows = '{"depth": 0, "decode_tps": 45.0}, {"depth": 9, "decode_tps": 40.0}'
    values, left = of_json(f'{{{RUNTIME}, "decode_tps": 50.5, "runs": [{rows}]}}')
    assert {*values} == {40.0, 45.0, 50.5}
    assert "sums up" not in left
