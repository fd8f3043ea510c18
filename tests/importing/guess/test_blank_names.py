"""Blank cells below names repeat them; rows of what is not known are no samples."""

import pytest

from tests.importing.guess.guessed import (
    asked,
    bad_lines,
    figures,
    of_text,
    question,
    records,
    table,
)

PAGE = "# MLX, Llama models\n\n"
ROWS = (
    ("GPU", "Model", "decode tok/s"),
    ("M1 Max", "Llama 7B", "30.5"),
    ("", "Llama 13B", "17.2"),
    ("M2 Max", "Llama 7B", "38.1"),
    ("", "Llama 13B", "21.9"),
)
HTML = "".join(
    f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in row)}</tr>"
    for row, tag in zip(ROWS, ["th", *["td"] * 4], strict=True)
)
WRITTEN = {
    "pipes.md": PAGE + table(*("| " + " | ".join(row) for row in ROWS)),
    "page.md": f"{PAGE}<table>{HTML}</table>\n",
    "rows.csv": "\n".join(map(",".join, ROWS)) + "\n",
}
MACHINES = {30.5: "M1 Max", 17.2: "M1 Max", 38.1: "M2 Max", 21.9: "M2 Max"}


def machines(text, answers=(), name="results.md"):
    """Return which machine each figure is stored of."""
    return {
        value.value: record.machine.chip.name
        for record in records(of_text(text, dict(answers), name), text, name)
        for value in record.end.values
    }


@pytest.mark.parametrize("name", WRITTEN)
def test_a_blank_cell_below_a_machine_is_proposed_as_the_machine_above(name):
    text = WRITTEN[name]
    proposal = of_text(text, name=name)
    line = question(proposal, "blanks of GPU")
    assert line.likely == "above"
    assert "blank cells of 'GPU'" in line.text
    assert machines(text, name=name) == MACHINES
    assert "repeat" not in {key.partition(" of ")[0] for key in asked(proposal)}


def test_a_line_about_a_machine_counts_the_blank_cells_below_it():
    text = WRITTEN["pipes.md"].replace("M1 Max", "Big M1 Max")
    line = question(of_text(text), "machine in GPU")
    assert "'Big M1 Max' -> M1 Max (2)" in line.text


def test_blank_cells_of_a_column_that_is_answered_for_repeat_it_still():
    answers = {"readings": "yes, but GPU: machine; M2 Max: machine M3 Max"}
    values = {**MACHINES, 38.1: "M3 Max", 21.9: "M3 Max"}
    assert machines(WRITTEN["pipes.md"], answers) == values


def test_rows_of_unknown_machines_are_refused_and_no_samples_of_one_run():
    text = WRITTEN["pipes.md"]
    answers = {"readings": "yes, but blanks of GPU: nothing"}
    proposal = of_text(text, answers)
    assert "repeat" not in {key.partition(" of ")[0] for key in asked(proposal)}
    assert machines(text, answers) == {30.5: "M1 Max", 38.1: "M2 Max"}
    refused = bad_lines(proposal, text)
    assert [bad.number for bad in refused] == [6, 8]
    assert all("twice" in bad.reason for bad in refused)


def test_equal_rows_below_labels_that_change_are_no_samples_unasked():
    rows = [
        f"llama 7B | {test} | {rate}"
        for n, prompt in enumerate((4096, 8192, 16384))
        for test, rate in ((f"pp{prompt}", 900 - n), ("tg256", 160 - 30 * n))
    ]
    text = "# M2 Max, MLX\n\n" + table("model | test | t/s", *rows)

    assert question(of_text(text), "repeat").likely == "nothing"
    assert {bad.number for bad in bad_lines(of_text(text), text)} == {6, 8, 10}

    answers = {"readings": "yes, but repeat of rows: samples"}
    assert 130 in {rate for *_, rate in figures(of_text(text, answers), text)}


def test_equal_rows_of_a_machine_that_stands_above_are_its_samples():
    text = PAGE + table(
        "GPU | Model | decode tok/s",
        "M1 Max | Llama 7B | 30.5",
        "| | Llama 7B | 30.7",
        "M2 Max | Llama 7B | 38.1",
        "| | Llama 7B | 38.5",
    )
    assert question(of_text(text), "repeat").likely == "samples"
    assert machines(text) == {30.6: "M1 Max", 38.3: "M2 Max"}


@pytest.mark.parametrize(
    "text",
    [
        PAGE
        + table("Model | decode tok/s | GPU", "7B | 30.5 | M1 Max", "13B | 20.1 |"),
        PAGE
        + table("GPU | Model | decode tok/s", "M1 Max | 7B | 30.5", "M2 Max | | 38.1"),
        '[{"gpu": "M1 Max", "decode_tps": 30.5}, {"gpu": "", "decode_tps": 20.1}]',
    ],
    ids=["right of the figures", "beside another name", "JSON"],
)
def test_other_blank_cells_do_not_repeat_what_is_above(text):
    name = "results.json" if text.startswith("[") else "results.md"
    assert not any(key.startswith("blanks") for key in asked(of_text(text, name=name)))
