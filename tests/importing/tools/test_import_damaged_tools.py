"""Files of tools with something wrong in them: refused with a reason, never a crash."""

import copy
import json
from typing import Any

import pytest

from benchdb.exchange.reader import BadLine, Item
from benchdb.exchange.record import Record
from benchdb.importing.document import DocumentError
from benchdb.importing.formats import FORMATS
from benchdb.importing.provenance import NOTHING
from tests.foreign_files import (
    SAMPLES,
    SHARED_SAMPLES,
    document,
    sample_folders,
    sample_id,
    sample_paths,
    written,
)

OURS = {
    "hyperfine_two.json": "hyperfine",
    "pytest_benchmark_two.json": "pytest-benchmark",
}
# Each is put in the place of something that a tool wrote.
DAMAGE: tuple[Any, ...] = (
    *(None, True, -1, 0, 10**20, 10**400, 3.5, float("nan"), float("inf")),
    *("", "x", "=1+1", "NaN", "\u202e", "\0", "\ud800", "two\nlines", "9" * 4000),
    *("2099-01-01", [], {}, [None], ["x"], [[]], [{}], {"values": [1]}, {"a": {}}),
)


def shortened(result, most=3):
    """Return JSON with the first few of every list and of long objects."""
    if isinstance(result, list):
        return [shortened(item) for item in result[:most]]
    if isinstance(result, dict):
        kept = dict(list(result.items())[: 3 if len(result) > 25 else None])
        return {name: shortened(outcome) for name, outcome in kept.items()}
    return result


def places(result, path=()):
    yield path
    for name, outcome in (
        result.items()
        if isinstance(result, dict)
        else enumerate(result)
        if isinstance(result, list)
        else ()
    ):
        yield from places(outcome, (*path, name))


def damaged(result, path, damage):
    whole = holder = {"": copy.deepcopy(result)}
    steps = ("", *path)
    for step in steps[:-1]:
        holder = holder[step]
    holder[steps[-1]] = damage
    return json.dumps(whole[""])


def read_whatever(result):
    """Return what is made of a document, by any of our formats that knows it."""
    made: list[Item] = []
    for name in set(OURS.values()):
        if FORMATS[name].recognises(result):
            try:
                made += FORMATS[name].read(result, NOTHING)
            except DocumentError as why:
                made.append(BadLine(0, str(why)))
    return made


every_sample = pytest.mark.parametrize("path", sample_paths(OURS), ids=sample_id)


@every_sample
def test_whatever_stands_in_a_file_it_is_taken_or_refused(path):
    sample = shortened(json.loads(path.read_text(encoding="utf-8")))
    everywhere = list(places(sample))

    for number, place in enumerate(everywhere[:: len(everywhere) // 6 + 1]):
        for damage in DAMAGE[number % 8 :: 8]:
            for line in read_whatever(written(damaged(sample, place, damage))):
                assert not isinstance(line, BadLine) or line.reason
                assert not isinstance(line, Record) or line.digest


@every_sample
def test_a_file_cut_off_in_the_middle_belongs_to_no_format(path):
    content = path.read_bytes()

    assert read_whatever(written(content[: len(content) // 2])) == []


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", "null", "7", "\0", "[" * 10_000, '{"a": 1, "a": 2}'),
        *("<a>", "SELECT 1;", b"\0\xff", b"\xff\xfe"),
    ],
)
def test_nothing_is_recognised_in_what_says_nothing(text):
    assert not [
        name for name, result in FORMATS.items() if result.recognises(written(text))
    ]


def test_a_name_that_hides_text_is_refused_and_the_others_land():
    sample = json.loads((SAMPLES / "hyperfine_two.json").read_text(encoding="utf-8"))
    sample["results"][0]["command"] = "sleep \u202e1.0"

    bad, good = read_whatever(written(json.dumps(sample)))

    assert "U+202E" in bad.reason
    assert bad.locator == "/results/0"
    assert bad.raw.startswith('{"command": "sleep \\u202e')
    assert good.run.workload == "hyperfine/sort -u words.txt"


def test_half_a_character_is_no_name():
    sleeps = [{"command": name, "times": [2]} for name in ("b\ud800", "c")]
    bad, good = read_whatever(written(json.dumps({"results": sleeps})))

    assert bad.reason == "half a surrogate pair, which is no text"
    assert good.end.values[0].value == 2


PRIVATE = {
    SAMPLES: ["tester"],
    SHARED_SAMPLES: ["Corgi", "minibox"],
}


@pytest.mark.parametrize("folder", sample_folders(), ids=lambda folder: folder.name)
def test_nothing_private_is_kept_of_a_sample(folder):
    names = (*OURS, "pytest_benchmark_2015.json")
    text = "".join((folder / name).read_text("utf-8") for name in names)
    kept = "".join(
        str(item) for name in names for item in read_whatever(document(folder / name))
    )

    assert kept
    for word in PRIVATE[folder]:
        assert word in text
        assert word not in kept
