"""Answers that make sense are taken, however they are put; all others are named."""

import pytest
import typer

from benchdb.cli.application import one_line
from benchdb.importing.guess.facts import AnswerError
from tests.importing.guess.guessed import figures, number, of_text, records, table

KILN = "# Glazing on M2 Max with MLX\n\n## First kiln\n\n" + table(
    "Operation | Throughput | peak", "matmul | 138 | 2.5", "conv | 141 | 3.5"
)
TWO = (
    KILN
    + "\n## Second kiln\n\n"
    + table(
        "Operation | Wall time (s) | Note", "matmul | 3.5 | Peak", "conv | 4.5 | low"
    )
)
PARTS = "# PyTorch on M2 Max\n\n" + table(
    "Operation | bare | ms of bricks", "matmul | 4.5 | 7.5", "conv | 9.5 | 8.5"
)


def proposed(text, answer):
    return of_text(text, {"readings": f"yes, but {answer}"})


def faults(text, answer):
    with pytest.raises(AnswerError) as refused:
        proposed(text, answer)
    return refused.value.lines


def stored(text, answer):
    return figures(proposed(text, answer), text)


def test_all_that_makes_no_sense_is_named_at_once_each_in_a_line():
    line = number(of_text(TWO), "Throughput")
    lines = faults(
        TWO, f"{line}: furlongs; device: kettle; no colon; precison: fp16; peak: img/s"
    )
    starts = (
        "'readings': 'no colon': give yes, or what is wrong as NUMBER: ANSWER",
        f"{line}: 'unit of Throughput': 'furlongs': it is no unit",
        "'device",
        "nothing asks 'precison'; did you mean 'precision",
    )
    assert len(lines) == len(starts)
    for fault, start in zip(sorted(lines), sorted(starts), strict=True):
        assert fault.startswith(start)
    assert all(
        "allowed: " in it or "did you mean" in it or "give" in it for it in lines
    )


def test_the_command_line_says_each_fault_in_a_line_of_its_own(capsys):
    with pytest.raises(typer.Exit), one_line():
        proposed(TWO, "Throughput: img/s; device: kettle; precison: fp16")
    lines = capsys.readouterr().err.splitlines()
    assert [it.partition(":")[0] for it in lines] == ["benchdb", "benchdb"]


def test_an_answer_of_two_lines_by_one_number_is_refused_once():
    text = "\n".join(
        f"## {name}\n\n" + table(f"Operation | {head}", "matmul | 138")
        for name, head in (("Oak", "Throughput"), ("Elm", "Throughput of all"))
    )
    line = number(of_text(f"# MLX on M2 Max\n\n{text}"), "In which unit")
    assert len(faults(f"# MLX on M2 Max\n\n{text}", f"{line}: furlongs")) == 1


def test_what_another_fault_keeps_from_being_a_table_is_no_fault():
    text = "# Rows\n\n" + table("Operation | Throughput", "matmul | 138")
    lines = faults(text, "Throughput: furlongs; machine of table 1: M2 Max")
    assert [it.partition(": ")[0] for it in lines] == ["'Throughput'"]


def test_a_name_is_entered_where_its_value_fits():
    peak = "peak: peak_memory_observed_bytes in GB"
    result = proposed(TWO, f"Throughput: img/s; {peak}")
    values = [it[2] for it in figures(result, TWO) if it[1].startswith("peak_memory")]
    assert values == [2.5e9, 3.5e9]


def test_a_text_that_is_a_title_elsewhere_takes_what_no_column_can_be():
    text = (
        KILN
        + "\n## Second kiln\n\n"
        + table(
            "Operation | Throughput | Kind", "matmul | 150 | Peak", "conv | 160 | low"
        )
    )
    result = proposed(text, "Throughput: img/s; Kind: setting; peak: leave-out")
    assert len(records(result, text)) == 4


def test_the_example_of_a_missing_unit_is_one_of_the_metric():
    (fault,) = faults(KILN, "Throughput: img/s; peak: peak_memory_observed_bytes")
    assert fault.endswith("give both, as 'peak: peak_memory_observed_bytes in GB'")


def test_a_numbered_line_takes_a_metric_in_a_unit_as_a_column_does():
    line = number(of_text(PARTS), "bare")
    by_number = stored(PARTS, f"{line}: latency_mean_seconds in ms")
    assert ("latency_mean_seconds", 0.0045) in [it[1:] for it in by_number]
    by_name = stored(PARTS, "bare: latency_mean_seconds in ms")
    assert sorted(map(str, by_number)) == sorted(map(str, by_name))


def test_a_metric_in_a_unit_that_it_cannot_have_is_refused():
    line = number(of_text(PARTS), "bare")
    (fault,) = faults(PARTS, f"{line}: latency_mean_seconds in GB")
    assert "'latency_mean_seconds in GB'" in fault


@pytest.mark.parametrize(
    "where", ["of table 2", "at line 12", "of the table at line 12"]
)
def test_a_table_is_meant_by_its_number_or_its_line(where):
    result = proposed(TWO, f"Throughput: img/s; machine {where}: M1 Pro")
    by_metric = {
        it.end.values[0].metric: it.machine.chip.name for it in records(result, TWO)
    }
    assert by_metric["operation_seconds"] == "M1 Pro"
    assert {*by_metric.values()} == {"M1 Pro", "M2 Max"}


def test_a_whole_table_is_left_out_by_its_line():
    result = proposed(TWO, "Throughput: img/s; table at line 12: leave-out")
    assert "table 2 at line 12: as answered" in result.left_out


def test_a_line_in_which_no_table_begins_is_refused_with_those_that_do():
    lines = faults(TWO, "Throughput: img/s; machine at line 9: M1 Pro")
    assert lines == ["'machine at line 9': no table begins there; allowed: line 5, 12"]


def test_tables_of_a_line_are_sorted_and_none_is_hidden():
    tables = [table(f"Operation | img/s | n{n}", "matmul | 138 | x") for n in range(6)]
    tables[1] = table("Operation | img/s | Chip", "matmul | 138 | M1")
    text = "# Kilns\n\n" + "\n".join(f"## Kiln\n\n{item}" for item in tables)
    (line,) = [it for it in of_text(text).lines() if "stated: machine" in it.reading()]
    assert "(tables 1, 3-6)" in line.reading()


def test_not_stated_is_nothing_where_a_question_has_that():
    text = "# MLX on M2 Max\n\n" + "\n".join(
        f"## {name}\n\n" + table("Operation | ms", "matmul | 2.5")
        for name in ("Wet clay", "Dry clay")
    )
    line = number(of_text(text), "headings of")
    for word in ("not-stated", "nothing", "not stated"):
        result = proposed(text, f"{line}: {word}")
        assert not any("headings" in it for it in result.map.table[0].context)


def test_figure_is_taken_for_a_column_by_its_title():
    rows = [it[1:] for it in stored(PARTS, "bare: figure")]
    assert ("reported_value", 4.5) in rows


def test_a_setting_with_its_value_needs_no_word_before_it():
    result = proposed(PARTS, "ms of bricks: concurrency 32")
    groups = [it.run.parameters for it in records(result, PARTS)]
    assert {it.get("concurrency") for it in groups} == {None, 32}
    other = proposed(PARTS, "ms of bricks: setting concurrency 32")
    assert [it.run.parameters for it in records(other, PARTS)] == groups


def test_title_is_the_work_of_columns_beside_others_as_it_is_of_a_table():
    text = "# Teapots on M2 Max\n\n" + table(
        "Round | resnet50 inference ms | kettle ms", "1 | 4.5 | 7.5"
    )
    proposal = of_text(text)
    assert any("belong to" in it.reading() for it in proposal.lines())
    line = number(proposal, "belong to")
    works = {it[0] for it in stored(text, f"{line}: title")}
    assert "teapots-on-m2-max" in works


@pytest.mark.parametrize("kept", ["table 2", "line 12", "at line 12"])
def test_only_some_tables_are_read_and_nothing_is_asked_of_the_others(kept):
    result = proposed(TWO, f"only: {kept}")
    assert not any("Throughput" in it.reading() for it in result.lines())
    assert "table 1 at line 5: as answered" in result.left_out
    assert {it[1] for it in figures(result, TWO)} == {"operation_seconds"}


def test_only_names_tables_that_are_there():
    (fault,) = faults(TWO, "Throughput: img/s; only: table 7")
    assert fault.startswith("'only'")
    assert "'table 7' is no table; allowed: table 1 to table 2" in fault


def test_a_table_that_is_left_out_asks_nothing():
    result = proposed(TWO, "table 1: leave-out")
    assert {it[2] for it in figures(result, TWO)} == {3.5, 4.5}


def test_a_table_that_is_not_there_cannot_be_left_out():
    (fault,) = faults(TWO, "Throughput: img/s; table 7: leave-out")
    assert fault == "nothing asks 'table 7'; nothing is taken of table 7"
