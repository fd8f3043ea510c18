"""Rows whose status says that they failed, and that have figures all the same."""

from tests.importing.guess.guessed import figures, number, of_text, question, table

RUNS = "# llama.cpp on RTX 4090\n\n" + table(
    "Depth | tok/s | Peak memory (MiB) | Status",
    "0 | 36.5 | 15024 | OK",
    "4096 | 35.75 | 15134 | OK",
    "32768 |  | 14254 | FAIL",
)


def test_figures_of_failed_rows_are_left_out_and_named_where_nobody_objects():
    proposal = of_text(RUNS)
    assert question(proposal, "failures of").likely == "leave-out"
    agreed = of_text(RUNS, {"readings": "yes"})
    sizes = [it[2] for it in figures(agreed, RUNS) if it[1].endswith("bytes")]
    assert sizes == [15024 * 2**20, 15134 * 2**20]
    assert "line 3: 'Status': rows that failed: 'FAIL' (1)" in agreed.left_out


def test_figures_of_failed_rows_may_be_kept():
    kept = f"yes, but {number(of_text(RUNS), 'failures')}: kept"
    proposal = of_text(RUNS, {"readings": kept})
    assert 14254 * 2**20 in [value for *_, value in figures(proposal, RUNS)]


def test_failed_rows_without_figures_are_no_question():
    text = RUNS.replace("14254", "")
    assert not [it for it in of_text(text).questions if it.topic == "failures"]
