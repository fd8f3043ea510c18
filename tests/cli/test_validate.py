"""``benchdb validate``: what is wrong with a file, where, and what was meant."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchdb.exchange.schema import IDENTITY, document
from tests.command_line import benchdb as forked
from tests.in_process import benchdb

CHECKOUT = Path(__file__).parents[2]
HEADER = {"type": "header", "format": 1, "producer": "x", "producer_version": "1"}
MACHINE = {"type": "machine", "key": "m", "chip": {"vendor": "a", "name": "b"}}
ENVIRONMENT = {"type": "environment", "key": "e"}
RUN = {
    "type": "run",
    "key": "r",
    "machine": "m",
    "environment": "e",
    "workload": "w",
    "framework": "f",
    "device": "cpu",
    "label": "measured",
}
SAMPLES = {"type": "samples", "run": "r", "phase": "measure", "values": [1]}
END = {"type": "end", "run": "r", "status": "ok"}
FOREIGN = {"name": "foo", "unit": "s", "direction": "lower", "title": "Foo"}


def minimal() -> str:
    text = (CHECKOUT / "schema" / "README.md").read_text()
    (result,) = re.findall(r'title="minimal.jsonl"\n(.*?)```', text, re.DOTALL)
    return str(result)


def written(path: Path, *lines: Mapping[str, object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_minimal_file_of_the_documentation_is_valid(tmp_path):
    (path := tmp_path / "minimal.jsonl").write_text(minimal())

    done = benchdb("validate", path)

    assert (done.status, done.out) == (0, f"{path}: valid, 2 runs\n")
    assert minimal().count("\n") <= 10


def test_standard_input_and_bundles_are_read_as_well(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHDB_DB", str(tmp_path / "r.sqlite"))
    (path := tmp_path / "minimal.jsonl").write_text(minimal())
    benchdb("import", path)
    bundle = tmp_path / "results.benchdb"
    made = benchdb("export", "--bundle", bundle, "--unsigned")

    assert made.status == 0, made.err
    assert benchdb("validate", bundle).out == f"{bundle}: valid, 2 runs\n"
    piped = forked("validate", "-", stdin=minimal().encode())
    assert (piped.status, piped.out) == (0, "-: valid, 2 runs\n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            {**SAMPLES, "seconds": [1]},
            "unknown field 'seconds'; did you mean 'values', raw times in seconds, in "
            "the order taken?; samples has run, phase, per, values",
        ),
        (
            {**SAMPLES, "type": "sample"},
            "no line of type 'sample'; did you mean 'samp",
        ),
        ({"run": "r"}, "it does not say its type; there are: claim, end, environment"),
        (
            {**RUN, "device": "gpu"},
            "no device 'gpu'; there are: cpu, metal, cuda",
        ),
        ({**SAMPLES, "missing": 1}, "unknown field 'missing'"),
        (
            {"type": "end", "run": "r"},
            "end lacks its field 'status': outcome of",
        ),
        (
            {**MACHINE, "chip": {"vendor": "a", "nam": "b"}},
            "unknown field 'nam'; did you mean 'name'",
        ),
        (
            {**RUN, "seed": "7"},
            "seed: expected `int | null`, got `str` (seed of all that is random",
        ),
        (
            {**END, "values": [{"metric": "tera_flops", "value": 1}]},
            "unknown metric 'tera_flops'; near are teraflops",
        ),
        (
            {"type": "metric", **FOREIGN},
            "the metric 'foo' is of whoever wrote the",
        ),
        (
            {"type": "metric", **FOREIGN, "name": "teraflops"},
            "metric 'teraflops' is in s, better lower, in this file, and in TFLOP/s",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_what_is_allowed_and_what_is_near(
    tmp_path, line, why
):
    path = written(tmp_path / "x.jsonl", HEADER, MACHINE, ENVIRONMENT, RUN, line, END)

    done = benchdb("validate", path)
    first = done.out.splitlines()[0]

    assert done.status == 1
    assert first.startswith(f"{path}:5: ")
    assert why in first
    assert "withheld" not in done.out


def test_a_run_without_its_end_is_a_problem(tmp_path):
    path = written(tmp_path / "x.jsonl", HEADER, MACHINE, ENVIRONMENT, RUN)

    assert "run 'r' has no line 'end'" in benchdb("validate", path).out


@pytest.mark.parametrize(
    ("content", "status", "why"),
    [
        ("", 1, "the file is empty"),
        ("hello\n", 1, "not a benchdb exchange file: its first line is no header"),
        (None, 2, "No such file or directory"),
    ],
)
def test_what_is_no_exchange_file_is_said_to_be_none(tmp_path, content, status, why):
    path = tmp_path / "x"
    if content is not None:
        path.write_text(content)

    done = benchdb("validate", path)

    assert done.status == status
    assert why in done.out + done.err


def test_the_schema_has_an_identity_and_describes_every_field():
    schema = document()

    assert schema["$id"] == IDENTITY == "urn:benchdb:exchange:1"
    without = [
        f"{name}.{field}"
        for name, each in schema["$defs"].items()
        for field, facts in each["properties"].items()
        if not facts.get("description")
    ]
    assert without == []
    assert all(each["description"] for each in schema["$defs"].values())
