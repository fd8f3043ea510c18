"""What a line may not hold is named at that line; what is harmless is taken."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchdb.exchange.messages import End, Value
from benchdb.exchange.validation import RefusedError, checked
from benchdb.store import rows, tables
from benchdb.store.tables import Json
from tests.exchange_lines import (
    ENVIRONMENT,
    HEADER,
    MACHINE,
    START,
    end,
    line,
    records,
    run,
    samples,
    taken,
)


@pytest.mark.parametrize(
    ("definition", "field"),
    [(MACHINE, {"label": "a\0b"}), (ENVIRONMENT, {"variables": {"a\0": "b"}})],
)
def test_nul_is_named_at_the_line_that_holds_it(definition, field):
    runs, bad = taken(*START, line(definition, key="x", **field), run("a"), end("a"))

    assert runs == [("a", "ok")]
    assert list(bad) == [4]
    assert "NUL" in bad[4]


def test_a_backslash_before_u0000_is_harmless():
    assert taken(*START, run("a"), end("a", checks={"path": "c:\\u0000"})) == (
        [("a", "ok")],
        {},
    )


def test_an_inexact_integer_is_named_where_it_is():
    odd = line(ENVIRONMENT, math={"n": 2**53})

    _, bad = taken(HEADER, MACHINE, odd, run("a"), samples("a", 1), end("a"))

    assert "not exact" in bad[3]
    assert bad[4] == "a line of environment 'e1' was not taken"
    assert set(bad) == {3, 4}


def test_a_large_integer_where_a_number_is_expected_is_a_number():
    figure = {"metric": "step_seconds", "value": 10**20}

    assert taken(*START, run("a"), end("a", values=[figure])) == ([("a", "ok")], {})


@pytest.mark.parametrize(("depth", "bad"), [(60, {}), (70, {4, 5}), (3000, {4, 5})])
def test_nesting_has_a_limit(depth, bad):
    deep = b'{"type":"end","run":"a","status":"ok","checks":{"a":%b1%b}}\n' % (
        b"[" * depth,
        b"]" * depth,
    )
    _, values = taken(*START, run("a"), deep)

    assert set(values) == set(bad)
    assert values.get(5, "nested too deeply") == "nested too deeply"


free = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), free), st.booleans())
def test_whatever_is_taken_can_be_identified_and_stored(checks, ascii_only):
    text = json.dumps(
        {"type": "end", "run": "a", "status": "ok", "checks": checks},
        ensure_ascii=ascii_only,
    )
    raw = text.encode() + b"\n"
    for record in records(*START, run("a"), raw):
        assert "\\u0000" not in json.dumps(checks).replace("\\\\", "")
        assert rows.of_record(record)["run"][0][0] == record.digest
    assert "twice" not in "".join(taken(*START, run("a"), raw)[1].values())


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"end","run":"a","status":"ok","status":"ok"}\n',
        b'{"type":"end","run":"a","status":"ok","checks":{"a":{"b":1,"b":2}}}\n',
        b'{"type":"end","run":"a","status":"ok","checks":{"a":1,"\\u0061":"\\u003a"}}\n',
        b'{"type":"samples","run":"a","run":"a","phase":"step","values":[1]}\n',
        b'{"type":"samples","run":"a","per":1,"per":2,"phase":"step","values":[1]}\n',
    ],
)
def test_a_key_told_twice_is_refused(raw):
    runs, bad = taken(*START, run("a"), raw, end("a"))

    assert runs == []
    assert "appears twice" in bad[5]


def test_colons_in_texts_are_no_keys():
    text = 'a:b "c": d'
    colon = b'{"type":"end","run":"a:","status":"ok","checks":{"x":"\\u003a:","y":1}}\n'

    assert taken(*START, run("a:", locator=text), samples("a:", 1), colon) == (
        [("a:", "ok")],
        {},
    )


@pytest.mark.parametrize("status", ["failed", "oom", "unsupported", "not-measured"])
def test_a_run_without_a_result_needs_its_reason(status):
    runs, bad = taken(*START, run("a"), end("a", status=status))

    assert runs == []
    assert bad[5] == f"status {status!r} without a reason"


@pytest.mark.parametrize(
    "changes",
    [
        {"workload_version": 0},
        {"replicate": -1},
        {"replicates": 0},
        {"seed": -1},
        {"seed": 2**53},
        {"collector": {"name": "x", "version": "1", "sha256": "A" * 64}},
        {"collector": {"name": "x", "version": "1", "sha256": "a" * 64 + "\n"}},
        {"collector": {"name": "x", "version": "1", "sha256": "a" * 63 + "\n"}},
    ],
    ids=str,
)
def test_numbers_and_digests_out_of_bounds_are_refused(changes):
    runs, bad = taken(*START, run("a", **changes), end("a"))

    assert runs == []
    assert list(bad) == [4]


def test_a_collector_without_a_name_survives_the_tables():
    collector = {"name": "", "version": "", "sha256": "0" * 64}
    (record,) = records(*START, run("a", collector=collector), end("a"))
    (result,) = rows.of_record(record)["run"]
    row = {
        column.name: json.loads(fact) if isinstance(column.type, Json) else fact
        for column, fact in zip(tables.run.columns, result, strict=True)
    }

    assert rows.to_run(row).collector == record.run.collector


def test_a_metric_that_appears_twice_is_refused_with_both_places():
    doubled = End(
        run="a",
        status="ok",
        values=tuple(
            Value(metric="work_seconds", value=3.5, locator=f"line {line}")
            for line in (3, 8)
        ),
    )

    with pytest.raises(RefusedError, match="twice: at line 3 and line 8"):
        checked(doubled)
