"""What identifies a run: quick to write, and the standard's own bytes all the same."""

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as some

from benchdb.exchange.messages import Collector, End, Flag, Run, Value
from benchdb.exchange.reader import read
from benchdb.exchange.record import Record, canonical_content, content, digest_of
from benchdb.resources import folder
from benchdb.sorted_json import sorted_json

REFERENCES = ("key", "run", "machine", "environment", "source")
PUBLISHED = sorted(folder("published").rglob("*.jsonl"))

exact = some.integers(-(2**53) + 1, 2**53 - 1)
numbers = some.floats(allow_nan=False, allow_infinity=False) | exact.map(float)
free = some.recursive(
    some.none() | some.booleans() | exact | numbers | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
    max_leaves=6,
)
scalars = some.dictionaries(some.text(), free, max_size=3)
text = some.none() | some.text()


def by_the_standard(line: Run | End) -> bytes:
    return rfc8785.dumps(msgspec.to_builtins(content(line, drop=REFERENCES)))


def runs(path: Path) -> list[Record]:
    with path.open("rb") as stream:
        return [record for record in read(stream) if isinstance(record, Record)]


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_published_runs_have_the_digest_of_the_standard(path):
    for run in runs(path):
        whole = {
            "run": content(run.run, drop=REFERENCES),
            "machine": digest_of(run.machine),
            "environment": digest_of(run.environment),
            "source": run.source_digest,
            "samples": hashlib.sha256(run.packed).hexdigest(),
            "end": content(run.end, drop=REFERENCES),
        }
        standard = rfc8785.dumps(msgspec.to_builtins(whole))

        assert run.digest == hashlib.sha256(standard).hexdigest()


values = some.builds(
    Value,
    metric=some.text(),
    value=some.none() | numbers,
    uncertainty=some.none() | numbers,
    printed=text,
    reason=text,
)
flags = some.builds(Flag, code=some.text(), metric=text, detail=scalars)


@given(
    some.builds(
        End,
        run=some.just("r"),
        status=some.just("ok"),
        reason=text,
        values=some.lists(values, max_size=3).map(tuple),
        checks=scalars,
        conditions=scalars,
        flags=some.lists(flags, max_size=2).map(tuple),
    )
)
def test_whatever_an_end_says_is_written_as_the_standard_does(end: End):
    assert canonical_content(end) == by_the_standard(end)


@given(parameters=scalars, setting=some.text(), seed=some.none() | exact, tier=text)
@pytest.mark.parametrize("collector", [None, Collector(name="", version="", sha256="")])
def test_whatever_a_run_says_is_written_as_the_standard_does(
    collector: Collector | None, **facts: Any
):
    known: dict[str, Any] = {
        "key": "r",
        "machine": "m",
        "environment": "e",
        "framework": "torch",
    }
    run = Run(
        **known,
        **facts,
        collector=collector,
        workload="matmul",
        device="cpu",
        label="measured",
    )

    assert canonical_content(run) == by_the_standard(run)


@given(free)
def test_json_in_the_tables_is_what_it_always_was(fact):
    always = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    assert fact is None or sorted_json(fact) == always.encode(fact)
