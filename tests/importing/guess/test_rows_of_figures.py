"""Rows that are figures: what tells them apart, and those that are none."""

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import records, table

MEASURES = "# vllm on A100, llama\n\n" + table(
    "Measure | before | after",
    "TTFT first | 310 ms | 250 ms",
    "TTFT whole | 410 ms | 350 ms",
)
STEPS = (
    "Iteration 0: took 2.5 s, loss = 3.5\n"
    "Iteration 100: took 2.0 s, loss = 1.5\n"
    "Iteration 200: took 1.5 s, loss = 0.5\n"
)


def proposed(text: str, *templates: str) -> Proposal:
    document = Document("results.md", text.encode())
    return propose(document, readable(document, templates))


def test_rows_and_columns_of_one_figure_each_have_their_own_variant():
    proposal = proposed(MEASURES)
    assert [
        (run.parameters["variant"], run.parameters["variant_2"], value)
        for run, value in (
            (it.run, it.end.values[0].value) for it in records(proposal, MEASURES)
        )
    ] == [
        ("before", "TTFT first", 0.31),
        ("after", "TTFT first", 0.25),
        ("before", "TTFT whole", 0.41),
        ("after", "TTFT whole", 0.35),
    ]


def test_every_row_without_a_metric_is_named():
    rows = [f"part {n} | {n}5.5 widgets" for n in range(1, 9)]
    text = "# Inference\n\n" + table("Measure | A100", "Latency | 2.5 ms", *rows)
    (left,) = (it for it in proposed(text).left_out if "say no metric" in it)
    assert all(f"part {n} ({n}5.5 widgets)" in left for n in range(1, 9))


def test_the_loss_of_each_iteration_is_no_final_figure():
    proposal = proposed(STEPS, "Iteration {iteration}: took {time s} s, loss = {loss}")
    assert any("'loss': of each step" in it for it in proposal.left_out)


def test_many_tables_that_are_alike_are_one_line_of_what_is_left_out():
    alike = [f"## {n}\n\n" + table("Model | ms", "wren | 2.5") for n in range(150)]
    text = "\n".join([*alike, "## Power\n", table("Model | ms | W", "wren | 2.5 | 3")])
    (line,) = (it for it in proposed(text).left_out if "like it" in it)
    assert line.endswith("(50; the first 100 are looked at)")
