"""The JSON Schema and the types that read a file say the same."""

import json
from pathlib import Path

import jsonschema
import pytest

from benchdb.exchange.schema import document

CHECKOUT = Path(__file__).parents[2]
SCHEMA = json.loads((CHECKOUT / "schema" / "exchange.schema.json").read_text())


def test_the_committed_schema_is_the_one_that_the_types_generate():
    assert json.loads(json.dumps(document())) == SCHEMA


@pytest.mark.parametrize(
    "path",
    [
        *sorted((CHECKOUT / "published").glob("*.jsonl")),
        CHECKOUT / "tests" / "fixtures" / "two_runs.jsonl",
    ],
    ids=lambda path: path.stem,
)
def test_every_line_of_ours_satisfies_the_schema(path):
    validator = jsonschema.Draft202012Validator(SCHEMA)

    problems = [
        f"line {number}: {error.message}"
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        for error in validator.iter_errors(json.loads(line))
    ]

    assert problems == []


@pytest.mark.parametrize(
    "line",
    [
        {"type": "mystery"},
        {"type": "header", "format": "1", "producer": "x", "producer_version": "1"},
        {"type": "end", "run": "r", "status": "great"},
        {"type": "samples", "run": "r", "phase": "measure", "values": ["1"]},
        {"type": "end", "run": "r", "status": "ok", "surprise": 1},
    ],
    ids=json.dumps,
)
def test_what_the_types_refuse_the_schema_refuses(line):
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(line)
