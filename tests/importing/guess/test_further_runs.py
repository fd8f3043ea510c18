"""Columns without a heading are further runs of the column left of them, if asked."""

import pytest

from tests.importing.guess.guessed import of_text, question, records, table

PAGE = "# Llama 7B with llama.cpp on M2 Ultra GPU\n\n"
ROWS = (
    ("Model", "decode tok/s", "", "", "prefill tok/s", ""),
    ("7B", "54.8", "61.7", "59.8", "135.7", "137.3"),
    ("13B", "30.2", "OOM", "31.1", "63.3", "62.8"),
)
HTML = "".join(
    f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in row)}</tr>"
    for row, tag in zip(ROWS, ("th", "td", "td"), strict=True)
)
WRITTEN = {
    "runs.md": PAGE + table(*(f"| {' | '.join(row)} |" for row in ROWS)),
    "page.md": f"{PAGE}<table>{HTML}</table>\n",
    "runs.csv": "".join(f"{','.join(row)}\n" for row in ROWS),
}


def runs(text, answer="", name="runs.md"):
    """Return the figures by work and number of the run."""
    answers = {"readings": f"yes, but {answer}"} if answer else {}
    groups: dict[tuple[str, object], list[float | None]] = {}
    for record in records(of_text(text, answers, name), text, name):
        key = record.run.workload, record.run.conditions.get("repeat")
        groups.setdefault(key, []).extend(it.value for it in record.end.values)
    return groups


@pytest.mark.parametrize("name", WRITTEN)
def test_columns_without_a_heading_are_proposed_as_further_runs(name):
    text = WRITTEN[name]
    line = question(of_text(text, name=name), "runs of decode tok/s")
    assert line.likely == "runs"
    assert "right of 'decode tok/s' (54.8, 30.2), 'prefill tok/s'" in line.text
    assert runs(text, name=name) == {
        ("llm-decode", 1): [54.8, 30.2],
        ("llm-decode", 2): [61.7, None],
        ("llm-decode", 3): [59.8, 31.1],
        ("llm-prefill", 1): [135.7, 63.3],
        ("llm-prefill", 2): [137.3, 62.8],
    }


def test_an_answer_about_a_column_holds_for_its_further_runs():
    result = runs(WRITTEN["runs.md"], "decode tok/s: work llm-generate")
    assert [key for key in result if key[0] == "llm-generate"] == [
        ("llm-generate", 1),
        ("llm-generate", 2),
        ("llm-generate", 3),
    ]


def test_further_runs_can_be_left_out():
    result = runs(WRITTEN["runs.md"], "runs of decode tok/s: leave-out")
    assert [*result.values()] == [[54.8, 30.2], [135.7, 63.3]]


def test_figures_of_another_size_are_likely_no_further_runs():
    text = PAGE + table(
        "| Model | decode tok/s | |", "| 7B | 54.8 | 0.3 |", "| 13B | 30.2 | 0.2 |"
    )
    assert question(of_text(text), "runs of decode tok/s").likely == "others"


@pytest.mark.parametrize(
    "text",
    [
        PAGE + table("| Model | decode tok/s | |", "| 7B | 54.8 | 12.3 GB |"),
        PAGE + table("| Model | decode tok/s | |", "| 7B | 54.8 | stable |"),
        PAGE + table("| | | |", "| 7B | 54.8 | 55.1 |"),
    ],
    ids=["other unit", "words", "no heading at all"],
)
def test_no_runs_are_made_of_what_is_no_like_figure(text):
    keys = {line.key for line in of_text(text).questions}
    assert not any(key.startswith("runs of") for key in keys)
