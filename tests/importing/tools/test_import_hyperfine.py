"""hyperfine: executions, aggregates, and what failed."""

import json

import pytest

from benchdb.importing.tools import hyperfine
from tests.foreign_files import document, sample_cases, taken, written


def timed(**facts):
    result = {"command": "sleep 1", "times": [1.5, 1.0, 2.0], **facts}
    return taken(hyperfine, written(json.dumps({"results": [result]})))


@pytest.mark.parametrize(
    ("path", "command", "executions", "wall", "user"),
    sample_cases(
        "hyperfine_two.json",
        ours=("sort words.txt", 5, 0.25, "0.2125"),
        shared=("sleep 0.1", 27, 0.10652535172000001, "0.0007174962962962964"),
    ),
)
def test_executions_of_a_command_are_samples(path, command, executions, wall, user):
    first = taken(hyperfine, document(path)).runs[0]

    figures = {value.metric: value for value in first.end.values}
    assert first.run.workload == f"hyperfine/{command}"
    assert len(first.series[0].values) == executions
    assert figures["command_wall_seconds"].value == wall
    assert figures["command_user_seconds"].printed == user
    assert first.run.missing["started"] == "not in the file"


@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        ([0, 1, 1], "2 of 3 executions failed: exit status 1"),
        ([0, None, 0], "1 of 3 executions failed: ended by a signal"),
    ],
)
def test_a_command_that_failed_stays_failed(codes, reason):
    (run,) = timed(exit_codes=codes).runs

    assert (run.end.status, run.end.reason) == ("failed", reason)
    assert run.series[0].values == (1.5, 1.0, 2.0)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("ssh buildbox make -j8", "ssh (private) make -j8"),
        ("ssh -p 22 -i key ada@buildbox ls", "ssh -p 22 -i key (private) ls"),
        ("rsync -a x buildbox:/y", "rsync -a x (private):/y"),
        ("curl -s http://buildbox:80/x?y=1", "curl -s http://(private)/x?y=1"),
        ("ping 10.20.30.40 && ./a.out", "ping (private) && ./a.out"),
        ("./sort --host-order 1.2.3", "./sort --host-order 1.2.3"),
        ("ssh", "ssh"),
        ("time ssh\nbuildbox make", "time ssh (private) make"),
    ],
)
def test_hosts_and_accounts_that_were_typed_are_left_out(typed, kept):
    (result,) = timed(command=typed, parameters={"target": typed}).runs

    assert result.run.workload == f"hyperfine/{kept}"
    assert " ".join(result.run.parameters["target"].split()) == kept
    text = "names and addresses left out" if typed != kept else None
    assert result.run.basis.get("workload") == text


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"exit_codes": [0]}, "1 exit codes for 3 times"),
        ({"exit_codes": 1}, "exit_codes is no list"),
        ({"times": []}, "neither times nor a median or mean"),
        ({"parameters": ["n"]}, "parameters is no object"),
        ({"command": 7}, "command is no text"),
        ({"times": [float("nan")]}, "nan, no number"),
    ],
)
def test_a_damaged_result_of_hyperfine_is_refused(facts, why):
    (bad,) = timed(**facts).bad

    assert why in bad.reason


def test_the_parameters_of_a_scan_tell_commands_apart():
    (run,) = timed(parameters={"delay": "0.3", "size": 2}, host="zsh").runs

    assert run.run.parameters == {"delay": "0.3", "size": 2, "host": "zsh"}


def test_memory_is_the_median_of_what_each_execution_took():
    (run,) = timed(memory_usage_byte=[100, 300, 200]).runs

    assert run.end.values[0].metric == "command_wall_seconds"
    assert (run.end.values[1].value, run.end.values[1].derived) == (
        *(200, "median of 3 executions"),
    )


def test_without_times_the_median_or_mean_is_an_aggregate():
    (run,) = timed(times=None, median=2.5, mean=3, stddev=0.5).runs
    (other,) = timed(times=None, mean=3).runs

    assert (run.end.values[0].value, run.end.values[0].uncertainty) == (2.5, 0.5)
    assert (other.end.values[0].value, other.end.values[0].uncertainty) == (3, None)
    assert run.run.label == "aggregate"


def test_a_command_of_several_lines_in_a_home_is_one_line_without_it():
    (run,) = timed(command="/home/jane/x.sh \\\n  --fast").runs

    assert run.run.workload == "hyperfine/…/x.sh \\ --fast"
    assert run.run.basis["workload"] == "line breaks and home folders left out"


def test_a_command_too_long_for_a_name_is_a_parameter_as_a_whole():
    (run,) = timed(command="x" * 999).runs

    assert len(run.run.workload) == 300
    assert run.run.parameters == {"whole_name": "x" * 999}


def test_a_time_printed_as_0_is_no_time():
    (run,) = timed(times=[0.0, 0.0]).runs

    assert run.end.values[0].value is None
    assert "shorter than its digits" in run.end.values[0].reason
