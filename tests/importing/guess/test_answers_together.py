"""Answers of one card hold together: what one changes, another is to all the same."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.column_draft import without_unit
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import figures, number, records, table

EXCHANGED = "# Detector on M2 Max\n\n" + table(
    "Framework | Model | Size | Mean (ms) | Min (ms)",
    "tinydet | onnxruntime | 160 | 3.5 | 3.0",
    "tinydet | coreml | 160 | 2.5 | 2.0",
)
STATISTICS = "# Requests to an M2 Max\n\n- mean: 74.5\n- min: 66.5\n- runs: 5\n"
LISTED = (
    "# mlx on M2 Max\n\n- load time: 2.5 s\n- speed: 30 tok/s\n"
    "- first: 12.5\n- widest: 83.5\n"
)
ABOVE = "# torch on M2 Max\n\n"


def answered(text: str, *cards: str) -> Proposal:
    keys = ["readings", "readings 2"][: len(cards)]
    texts = (it if it == "yes" else f"yes, but {it}" for it in cards)
    document = Document("results.md", text.encode())
    return propose(document, readable(document), dict(zip(keys, texts, strict=True)))


def asked_again(text: str, answer: str) -> list[str]:
    return [it.text for it in answered(text, answer).questions]


def test_columns_that_are_exchanged_hand_their_work_on():
    work = number(answered(EXCHANGED), "What is the work")
    answer = f"Framework: model; Model: framework; {work}: model-inference"
    proposal = answered(EXCHANGED, answer)
    runs = [it.run for it in records(proposal, EXCHANGED)]
    assert {(it.workload, it.framework) for it in runs} == {
        ("tinydet-inference", "onnxruntime"),
        ("tinydet-inference", "coreml"),
    }
    assert not proposal.questions


def test_the_work_is_asked_again_where_the_column_that_named_it_is_another():
    (line,) = answered(EXCHANGED, "Framework: model; Model: framework").questions
    assert line.text.startswith("What is the work")
    assert line.likely == "model"


TWO = ABOVE + table("Operation | ms", "matmul | 2.5") + "\n"
TWO += table("Operation | Size | s", "conv | 8 | 7.5")


def test_figures_that_are_left_without_work_are_asked_about():
    answer = "Operation of table 2: leave-out"
    (line,) = answered(TWO, answer).questions
    assert line.text.startswith("What is the work of table 2 at line 7 ")
    assert line.likely == "title"

    proposal = answered(TWO, answer, "1: llm-train")
    assert [it.run.workload for it in records(proposal, TWO)] == ["matmul", "llm-train"]


def test_what_figures_of_an_answer_mean_is_asked_once_more():
    which = "Which tokens do 'Size' (8) count?"
    assert which in asked_again(TWO, "Operation of table 2: leave-out; Size: tok/s")

    # There is no third card: what is likely holds, and is a note.
    second = "1: llm-generate; Size: tok/s"
    proposal = answered(TWO, "Operation of table 2: leave-out", second)
    assert f"{which} a request as a whole" in proposal.notes
    assert not proposal.questions


def test_a_column_that_says_its_side_keeps_it_whatever_another_is():
    text = ABOVE + table(
        "Model | decode tok/s | decode ms | x tok/s", "w | 30 | 500 | 90"
    )
    proposal = answered(text, "x tok/s: new: llm-sampling")
    assert [it.run.workload for it in records(proposal, text)] == [
        "llm-decode",
        "llm-decode",
        "llm-sampling",
    ]
    assert not proposal.questions


def test_what_a_plain_yes_agrees_to_is_named():
    proposal = answered(EXCHANGED, "precision: fp32")
    assert any(it.startswith("What is the work") for it in proposal.agreed)
    assert not any("precision" in it for it in proposal.agreed)
    assert not answered(EXCHANGED).agreed  # its card says it


def test_the_work_is_asked_for_where_its_column_is_said_to_be_a_setting():
    text = "# Inference\n\n" + table("Model | s", "Wren (v2) | 2.5", "Lark (v3) | 3.5")
    (asked,) = asked_again(text, "Model: setting")
    assert asked.startswith("What is the work of table 1 at line 3")


def test_a_column_that_takes_what_another_told_leaves_it_a_setting():
    text = ABOVE + table("Model | Engine | tok/s", "wren 7B | mlx | 30.5")
    proposal = answered(text, "Engine: model")
    (run,) = (it.run for it in records(proposal, text))
    assert run.parameters == {"model": "mlx", "printed_model": "wren 7B"}
    assert "'Model': kept as a setting, as 'Engine' is its model" in proposal.notes


def test_a_metric_that_is_none_of_ours_is_refused_with_those_like_it():
    why = r"'latency_min_seconds' is no metric.*allowed: latency_mean_seconds, latency_"
    with pytest.raises(AnswerError, match=why):
        answered(EXCHANGED, "Min (ms): latency_min_seconds")


def test_the_least_of_a_latency_is_that_metric_with_its_statistic():
    proposal = answered(EXCHANGED, "Min (ms): latency_mean_seconds; Size: setting")
    least = [
        value.value
        for it in records(proposal, EXCHANGED)
        for value in it.end.values
        if it.run.parameters.get("statistic") == "min"
    ]
    assert least == [0.003, 0.002]


def test_rows_of_keys_without_a_unit_take_a_unit_and_a_metric():
    unit = "latency_mean_seconds in ms"
    answer = f"mean: {unit}; min: {unit}; work: llm-generate"
    proposal = answered(STATISTICS, answer)
    assert [
        (it.run.parameters, it.end.values[0].metric, it.end.values[0].value)
        for it in records(proposal, STATISTICS)
    ] == [
        ({"variant": "mean"}, "latency_mean_seconds", 0.0745),
        ({"variant": "min", "statistic": "min"}, "latency_mean_seconds", 0.0665),
    ]
    assert proposal.left_out == ("line 3: rows whose names say no metric: runs (5)",)


def test_rows_of_keys_take_a_unit_alone_and_are_asked_what_is_timed():
    proposal = answered(STATISTICS, "min: ms; work: llm-generate")
    assert figures(proposal, STATISTICS) == [("llm-generate", "work_seconds", 0.0665)]
    assert "What is timed in 'min' (66.5)?" in [it.text for it in proposal.questions]


def test_rows_of_keys_that_have_a_metric_take_another():
    proposal = answered(LISTED, "load time: compile_seconds; widest: GB/s")
    assert sorted(it[1:] for it in figures(proposal, LISTED)) == [
        ("compile_seconds", 2.5),
        ("gigabytes_per_second", 83.5),
        ("tokens_per_second", 30),
    ]


def test_a_metric_of_a_row_without_a_unit_is_refused_with_what_is_missing():
    with pytest.raises(AnswerError, match=r"as 'first: time_to_first_token_seconds in"):
        answered(LISTED, "first: time_to_first_token_seconds")


def test_labels_of_a_plain_table_may_be_metrics():
    text = "# mlx on M2 Max\n\n" + table("What | Value", "alpha | 12.5", "beta | 7.5")
    proposal = answered(text, "alpha: tok/s; work: llm-decode")
    assert figures(proposal, text) == [("llm-decode", "tokens_per_second", 12.5)]
    assert proposal.left_out == ("line 3: rows whose names say no metric: beta (7.5)",)


def test_what_a_metric_says_of_the_work_needs_no_line():
    answer = "first: time_to_first_token_seconds in ms"
    assert not asked_again(LISTED, answer)


def test_a_reopened_column_joins_the_question_of_those_beside_it():
    text = ABOVE + table("Model | avg tok/s | max tok/s", "wren 7B | 30.5 | 40.5")
    assert not asked_again(text, "max tok/s: tokens_per_second")


def test_columns_that_were_asked_about_together_are_not_asked_again_without_one():
    text = ABOVE + table(
        "Operation | p50 a ms | p50 b ms | p50 c ms", "conv | 1 | 2 | 3"
    )
    assert len(answered(text).questions)
    assert not asked_again(text, "p50 a ms: leave-out")


def test_a_column_that_does_not_name_the_work_is_a_setting_without_a_line():
    text = ABOVE + table("Type | ms", "wide | 2.5", "deep | 7.5")
    work = number(answered(text), "What is the work")
    proposal = answered(text, f"{work}: matmul")
    assert {it.run.workload for it in records(proposal, text)} == {"matmul"}
    assert not proposal.questions


def test_the_beginning_of_one_title_is_enough():
    text = ABOVE + table("Operation | mean (ms) | p99 latency (ms)", "conv | 2 | 7.5")
    proposal = answered(text, "p99: latency_p99_seconds")
    assert ("latency_p99_seconds", 0.0075) in [it[1:] for it in figures(proposal, text)]


def test_the_beginning_of_several_titles_is_refused_with_them():
    text = ABOVE + table("Operation | ms | p99 low | p99 high", "conv | 2 | 7.5 | 8.5")
    with pytest.raises(AnswerError, match="say which of 'p99 low', 'p99 high'"):
        answered(text, "p99: latency_p99_seconds in ms")


def test_a_name_may_have_a_colon():
    text = ABOVE + table("Operation | Where | ms", "conv | unit:0 | 2.5")
    (run,) = (it.run for it in records(answered(text, "unit:0: device cuda"), text))
    assert run.device == "cuda"


def test_a_fact_of_all_texts_that_begin_alike():
    text = ABOVE + table("Operation | ms", "wide_1 | 2.5", "wide_2 | 3.5", "deep | 4.5")
    proposal = answered(text, "precision in wide: fp16")
    known = [it.run.precision for it in records(proposal, text)]
    assert known == ["fp16", "fp16", None]


def test_a_setting_of_the_best_run_is_none_of_the_one_beside_it():
    text = ABOVE + table(
        "Operation | plain_latency_s | best_spec_latency_s | best_config",
        "conv | 2.5 | 1.5 | n3",
    )
    proposal = answered(text)
    assert all("n3" not in it.run.parameters.values() for it in records(proposal, text))
    assert proposal.left_out == (
        "line 3: 'best_config' is of one of the runs alone, no setting of the others",
    )


def test_numbers_without_a_unit_may_be_factors():
    text = ABOVE + table("Operation | RTF | ms", "conv | 0.25 | 2.5")
    proposal = answered(text, "RTF: speed_factor")
    assert ("speed_factor", 0.25) in [it[1:] for it in figures(proposal, text)]


def test_whole_numbers_among_figures_may_be_a_count():
    text = "# llama.cpp on M2 Max\n\n" + table(
        "C | Wren 4B (tok/s) | Lark 2B (tok/s)", "1 | 127 | 161", "8 | 299 | 361"
    )
    runs = records(answered(text, "C: batch size"), text)
    assert {it.run.parameters["batch_size"] for it in runs} == {1, 8}


def test_a_column_that_is_left_out_already_may_be_left_out():
    text = ABOVE + table("Operation | ms", "conv | 2.5") + "\n"
    text += table("Kind | Text", "a | wide", "b | deep")
    proposal = answered(text, "Text: leave-out")
    assert "'Text': the answer 'leave-out' was not needed" in proposal.notes


def test_an_answer_about_figures_leaves_what_tells_them_from_others():
    text = ABOVE + table("Operation | small (ms) | large (ms)", "conv | 2.5 | 7.5")
    runs = records(answered(text, "large (ms): operation_seconds"), text)
    assert {it.run.parameters["variant"] for it in runs} == {"small", "large"}


def test_a_label_goes_before_titles_that_begin_with_it():
    text = "# mlx on M2 Max\n\n" + table("What | first run", "first | 12.5", "b | 7.5")
    proposal = answered(text, "first: tok/s; work: llm-decode")
    assert figures(proposal, text) == [("llm-decode", "tokens_per_second", 12.5)]


def test_a_column_of_like_tables_is_called_by_its_number():
    result = table("Operation | warm", "conv | 2.5")
    text = "# torch on M2 Max\n\n## A\n\n" + result + "\n## B\n\n" + result
    proposal = answered(text, "column 2: operation_seconds in ms")
    assert {it[1:] for it in figures(proposal, text)} == {("operation_seconds", 0.0025)}


@pytest.mark.parametrize("answer", ["work_seconds", "tok/s"])
def test_a_metric_or_a_unit_is_no_value_of_a_setting(answer):
    text = ABOVE + table("Operation | ms", "conv | 2.5")
    with pytest.raises(AnswerError, match=r"nothing is called 'wool time'"):
        answered(text, f"wool time: {answer}")


def test_a_metric_in_another_unit_than_its_title_says_is_refused():
    text = ABOVE + table("Model | wall_TPS", "wren 7B | 30.5", "lark 7B | 40.5")
    with pytest.raises(AnswerError, match="'wall_TPS': work_seconds: its figures are"):
        answered(text, "wall: work_seconds")


def test_a_bracket_behind_the_unit_of_a_title_tells_its_column_from_others():
    assert without_unit("peak t/s (req)", "t/s") == "peak (req)"
    assert without_unit("t/s (total)", "t/s") == "total"
    assert without_unit("Latency (ms, lower is better)", "ms") == "Latency"


def test_figures_that_an_answer_about_their_work_leaves_out_are_named():
    text = ABOVE + table("Model | t/s (total) | t/s (req)", "llama 8B | 8.5 | 4.5")
    number = next(
        n
        for n, line in enumerate(answered(text).lines(), 1)
        if line.reading().startswith("work: 't/s (total)'")
    )
    proposal = answered(text, f"{number}: leave-out")
    assert "line 3: 't/s (total)': as answered" in proposal.left_out
