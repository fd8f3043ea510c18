"""The same figures told by two sources."""

from collections.abc import Iterable
from itertools import permutations
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace
from sqlalchemy import Connection, insert

from benchdb.exchange.messages import Accelerator, End, Source, Value
from benchdb.exchange.reader import read
from benchdb.exchange.record import Record
from benchdb.plausibility.fingerprint import fingerprint
from benchdb.resources import folder
from benchdb.store import editions, rows, tables
from benchdb.store.duplicates import Linked, duplicates, of_run
from benchdb.store.write import Writer
from tests.observed_runs import database
from tests.store_factory import Run, add

BLOG = {
    "slug": "blog",
    "title": "A blog",
    "document_sha256": "a" * 64,
    "url": None,
    "published": "2023-01-01",
}


def records(name: str) -> list[Record]:
    with (folder("published") / f"{name}.jsonl").open("rb") as stream:
        return [item for item in read(stream) if isinstance(item, Record)]


BENCH = [record for record in records("m1tensorbench") if record.end.status == "ok"][
    :12
]
NEEDLE = records("needle-metal")


def told_by(record: Record, **facts: Any) -> Record:
    """Return the same run as another source would tell it."""
    usual = {"key": "source", "slug": "other", "title": "Another document"}
    return replace(record, source=Source(**{**usual, **facts}))


def with_values(record: Record, *values: Value) -> Record:
    return replace(record, end=End(run=record.end.run, status="ok", values=values))


def write(connection: Connection, stored: Iterable[Record]) -> None:
    writer = Writer(connection)
    for record in stored:
        writer.add(rows.of_record(record) | rows.of_likeness(record))
    writer.flush()


@pytest.fixture
def connection(fleeting: Connection) -> Connection:
    return fleeting


def pairs(connection: Connection) -> list[tuple[str, str, bool, int]]:
    slugs = {row.digest: row.slug for row in connection.execute(tables.source.select())}
    return [
        (
            slugs[duplicate.original],
            slugs[duplicate.copy],
            duplicate.document,
            len(duplicate.runs),
        )
        for duplicate in duplicates(connection)
    ]


def echoes(connection: Connection) -> set[str]:
    return {copy for twin in duplicates(connection) for _, copy in twin.runs}


def test_a_source_that_repeats_the_figures_of_another_is_its_copy(connection):
    copies = [told_by(record, **BLOG) for record in BENCH[:10]]
    write(connection, [*BENCH, *copies])

    assert pairs(connection) == [("m1tensorbench", "blog", False, 10)]
    assert echoes(connection) == {copy.digest for copy in copies}


def test_published_sources_are_nobodys_copies(connection):
    for name in ("m1tensorbench", "needle-metal", "tf-metal-experiments"):
        write(connection, records(name))

    assert duplicates(connection) == []


def test_which_is_the_copy_does_not_depend_on_the_order_of_import():
    copies = [told_by(record, **BLOG) for record in BENCH[:3]]
    forum = {**BLOG, "slug": "forum", "published": None}
    third = [told_by(record, **forum) for record in BENCH[:3]]
    outcomes = []
    for order in permutations((BENCH, copies, third)):
        with database() as connection:
            write(connection, [record for part in order for record in part])
            outcomes.append((pairs(connection), echoes(connection)))

    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert {(first, second) for first, second, *_ in outcomes[0][0]} == {
        ("m1tensorbench", "blog"),
        ("m1tensorbench", "forum"),
        ("blog", "forum"),
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"published": "2022-01-01"}, {"published": "2022-02-01"}),
        ({"published": "2022-01-01", "retrieved": "2024"}, {"retrieved": "2023"}),
        ({"retrieved": "2022-01-01"}, {"retrieved": "2022-02-01"}),
        ({"licence": "MIT"}, {}),
        ({"authors": ("Somebody",)}, {}),
    ],
)
def test_the_original_told_first_or_says_whose_it_is(connection, first, second):
    for slug, facts in (("zz", first), ("aa", second)):
        sha256 = slug * 32
        about = {"slug": slug, "document_sha256": sha256, **facts}
        write(connection, [told_by(record, **about) for record in BENCH[:3]])

    assert pairs(connection) == [("zz", "aa", False, 3)]


def test_one_long_figure_is_enough_where_it_is_half_of_a_source(connection):
    others = [told_by(record, **BLOG) for record in (BENCH[0], NEEDLE[0])]
    write(connection, [*BENCH, *others])

    assert pairs(connection) == [("m1tensorbench", "blog", False, 1)]


def test_short_figures_may_be_equal_by_chance(connection):
    write(connection, [*NEEDLE, *(told_by(record, **BLOG) for record in NEEDLE[:2])])

    assert duplicates(connection) == []


def test_two_figures_of_many_may_be_equal_by_chance(connection):
    shared = [told_by(record, **BLOG) for record in BENCH[:2]]
    others = [told_by(record, **BLOG) for record in records("tf-metal-experiments")]
    write(connection, [*BENCH, *shared, *others])

    assert duplicates(connection) == []


def test_two_readings_of_one_document_are_twins_even_if_they_differ(connection):
    sha256 = BENCH[0].source.document_sha256 if BENCH[0].source else None
    again = [told_by(record, slug="again", document_sha256=sha256) for record in NEEDLE]
    write(connection, [*BENCH, *again])

    assert [duplicate.document for duplicate in duplicates(connection)] == [True]
    assert echoes(connection) == set()


def test_an_older_version_of_a_document_is_no_twin_of_the_newer(connection):
    sha256 = BENCH[0].source.document_sha256 if BENCH[0].source else None
    newer = [told_by(record, **BLOG, supersedes=(sha256,)) for record in BENCH]
    write(connection, [*BENCH, *newer])
    for proposal in editions.proposals(connection):
        editions.decide(connection, proposal, accepted=True)

    assert duplicates(connection) == []


def test_a_run_knows_its_original_and_its_copies(connection):
    copies = [told_by(record, **BLOG) for record in BENCH[:3]]
    write(connection, [*BENCH, *copies])
    original, copy = BENCH[0], copies[0]

    assert of_run(connection, original.digest) == [
        Linked(copy.digest, copy.source_digest or "", original=False)
    ]
    assert of_run(connection, copy.digest) == [
        Linked(original.digest, original.source_digest or "", original=True)
    ]
    assert of_run(connection, BENCH[9].digest) == []


def test_a_figure_told_twice_in_a_source_is_no_copy(connection):
    doubled = replace(BENCH[0], run=structs.replace(BENCH[0].run, locator="line 1"))
    write(connection, [*BENCH, doubled])

    assert duplicates(connection) == []


def test_a_figure_that_many_sources_tell_is_compared_with_the_first(connection):
    for number in range(40):
        run = Run(source=f"s{number}", values={"epoch_seconds": 1.0})
        name = add(connection, run)
        connection.execute(
            insert(tables.fingerprint).values(run=name, figures="f" * 64, digits=9)
        )

    result = duplicates(connection)

    assert len(result) == 39
    assert len({duplicate.original for duplicate in result}) == 1
    assert len(echoes(connection)) == 39


def test_equal_work_with_equal_figures_has_one_fingerprint():
    machine = NEEDLE[0].machine
    chip = structs.replace(machine.chip, name="Apple M1 Pro", ram_bytes=None)
    other = replace(
        NEEDLE[0],
        machine=structs.replace(machine, chip=chip, label="another label"),
        run=structs.replace(NEEDLE[0].run, locator="elsewhere"),
    )
    value = NEEDLE[0].end.values[0]
    printed = with_values(
        other, structs.replace(value, printed="0,15 s", value=0.15 * (1 + 1e-15))
    )

    assert fingerprint(printed) == fingerprint(NEEDLE[0])


def test_the_card_counts_where_there_is_one():
    t4 = next(record for record in NEEDLE if record.run.device_name == "Tesla T4")
    chip = structs.replace(
        t4.machine.chip,
        vendor="Intel",
        name="Xeon",
        accelerators=(Accelerator(vendor="NVIDIA", name="T4"),),
    )
    host = replace(
        t4,
        machine=structs.replace(t4.machine, chip=chip),
        run=structs.replace(t4.run, device_name=None),
    )

    assert fingerprint(host) == fingerprint(t4)


@pytest.mark.parametrize(
    "facts",
    [
        {"device": "metal"},
        {"workload": "resnet50"},
        {"parameters": {"batch_size": 1, "size": 600}},
    ],
)
def test_other_work_has_another_fingerprint(facts):
    other = replace(NEEDLE[0], run=structs.replace(NEEDLE[0].run, **facts))

    assert fingerprint(other) != fingerprint(NEEDLE[0])


def test_the_digits_of_all_figures_count_together():
    figures = [
        Value(metric="epoch_seconds", value=54.17, printed="54,17s"),
        Value(metric="peak_power_watts", value=40.0),
        Value(metric="samples_per_second", value=188.27877402305603),
        Value(metric="mfu_percent", reason="not printed"),
    ]
    record = with_values(NEEDLE[0], *figures)

    assert (fingerprint(record) or ("", 0))[1] == 4 + 1 + 12


def test_measured_runs_and_those_without_figures_have_no_fingerprint():
    measured = replace(BENCH[0], run=structs.replace(BENCH[0].run, label="measured"))
    empty = with_values(BENCH[0], Value(metric="epoch_seconds", reason="not printed"))

    assert fingerprint(measured) is None
    assert rows.of_likeness(measured) == {}
    assert fingerprint(empty) is None
