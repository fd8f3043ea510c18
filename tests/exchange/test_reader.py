"""Of a damaged file, what is whole is taken, and the rest is named."""

import codecs
import io
import json

import pytest

from benchdb.errors import ExchangeError
from benchdb.exchange.reader import BadLine, SourceClaim, read
from benchdb.exchange.validation import LINE_LIMIT
from tests.exchange_lines import (
    ENVIRONMENT,
    HEADER,
    LINES,
    MACHINE,
    START,
    end,
    line,
    run,
    samples,
    taken,
)


@pytest.mark.parametrize("raw", LINES.splitlines()[1:], ids=range(2, 11))
def test_wherever_a_last_line_is_cut_off_nothing_is_bad(raw):
    for cut in range(1, len(raw)):
        assert taken(*START, run("a"), raw[:cut]) == ([("a", "interrupted")], {})


@pytest.mark.parametrize(
    "text",
    ['{"type":"end","run":"a","reason":"é', '{"type":"samples","values":[1e-5,2.5e-'],
)
def test_a_character_or_a_number_may_be_cut_in_two(text):
    for cut in (-1, -2):
        assert taken(*START, run("a"), text.encode()[:cut])[1] == {}


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"end","run":"a","status":"great"}',
        b'{"type":"end","run":"a","status":"ok","surprise":1,',
        b'{"type":"end","run":"a"}}',
        b'{"type":"end","run":"a","reason":"\xff"}',
        b'{"type":"end","run":"a","status":"failed","reason":"\\ud800"}',
        b'{"type":"samples","run":"a","phase":"step","values":[1ex]}',
        b"nonsense",
    ],
)
def test_a_bad_last_line_is_named_though_its_line_break_is_missing(raw):
    runs, bad = taken(*START, run("a"), raw)

    assert runs == []
    assert set(bad) == {4, 5}


def test_a_key_that_changes_its_meaning_stands_for_nothing():
    other = line(ENVIRONMENT, os_name="Linux")

    runs, bad = taken(*START, run("a"), end("a"), other, run("b"), end("b"))

    assert runs == [("a", "ok")]
    assert bad[6] == "environment 'e1' was something else before"
    assert set(bad) == {6, 7}


def test_a_key_that_stands_twice_in_a_line_is_named():
    doubled = b'{"type":"end","run":"a","status":"ok","status":"failed"}\n'

    runs, bad = taken(*START, run("a"), doubled)

    assert runs == []
    assert bad[5] == "the key 'status' appears twice"


def test_a_definition_that_is_repeated_changes_nothing():
    again = json.dumps(json.loads(ENVIRONMENT) | {"missing": {}}).encode() + b"\n"

    assert taken(*START, MACHINE, again, run("a"), end("a")) == ([("a", "ok")], {})


def test_a_definition_that_cannot_be_taken_does_not_leave_the_old_one_in_force():
    broken = line(MACHINE, chip={"vendor": "Apple", "name": "M9", "cpu_cores": 0})

    runs, bad = taken(*START, broken, run("a"), samples("a", 1), end("a"))

    assert runs == []
    assert set(bad) == {4, 5}


def test_a_refused_line_takes_only_its_own_run_with_it():
    runs, bad = taken(
        *START,
        run("a"),
        run("b"),
        samples("a", -1),
        samples("a", 1),
        samples("b", 1),
        end("a"),
        end("b"),
        run("a"),
        end("a"),
    )

    assert runs == [("b", "ok"), ("a", "ok")]
    assert set(bad) == {4, 6}


def test_a_line_that_says_nothing_takes_the_open_runs_and_no_later_ones():
    runs, bad = taken(
        *START,
        run("a"),
        b"{lost}\n",
        run("c"),
        samples("a", 1),
        samples("b", 1),  # its start was the line that is lost
        samples("c", 1),
        end("b"),
        end("a"),
        end("c"),
    )

    assert runs == [("c", "ok")]
    assert set(bad) == {4, 5, 8}


def test_a_run_that_never_started_may_be_any_run_with_a_damaged_key():
    runs, bad = taken(*START, run("a"), samples("A", 1), run("b"), end("b"), end("a"))

    assert runs == [("b", "ok")]
    assert set(bad) == {4, 5}


def test_a_run_that_could_not_start_is_named_once():
    lost = run("a", machine="m2")

    assert taken(*START, lost, samples("a", 1), end("a")) == (
        [],
        {4: "no machine 'm2' before this line"},
    )


@pytest.mark.parametrize("version", [0, -1, 2, True, "1"])
def test_a_part_in_another_format_is_left_out_with_one_message(version):
    foreign = [line(HEADER, format=version), MACHINE, b"{?}\n", run("b"), end("b")]

    runs, bad = taken(*START, run("a"), *foreign, *START, run("c"), end("c"))

    assert runs == [("a", "interrupted"), ("c", "ok")]
    assert list(bad) == [5]
    assert "next header" in bad[5]


@pytest.mark.parametrize("version", [0, -1, 2])
def test_a_file_in_another_format_is_refused_whole(version):
    with pytest.raises(ExchangeError, match=f"format {version},"):
        taken(line(HEADER, format=version), MACHINE)


def test_a_line_that_is_too_long_is_named_with_its_reason():
    long = b" " * LINE_LIMIT + b"{}\n"

    runs, bad = taken(*START, run("a"), long, run("b"), end("b"))

    assert runs == [("b", "ok")]
    assert bad[5] == "longer than 64 MiB"
    assert set(bad) == {4, 5}


def test_a_byte_order_mark_and_blank_lines_may_come_first():
    blank = codecs.BOM_UTF8 + b"\r\n\n"

    for before in (codecs.BOM_UTF8, b"\n \n", blank):
        runs, bad = taken(before, *START, run("a"), end("a", status="great"))
        assert runs == []
        assert before.count(b"\n") + 5 in bad


def test_claims_of_a_source_that_changed_are_refused():
    source = b'{"type":"source","key":"s","slug":"s","title":"t"}\n'
    claim = (
        b'{"type":"claim","source":"s","kind":"claimed","statement":"x","printed":"x",'
        b'"locator":"line 1"}\n'
    )
    parts = [HEADER, source, claim, line(source, title="u"), claim]
    items = list(read(io.BytesIO(b"".join(parts))))

    assert [item.number for item in items if isinstance(item, BadLine)] == [4, 5]
    assert sum(isinstance(item, SourceClaim) for item in items) == 1
