"""Which sources are out of date because there is a newer version of the document."""

from itertools import permutations
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

from benchdb.exchange.messages import Source
from benchdb.report.exclusions import left_out
from benchdb.report.runs import stored
from benchdb.store import rows, tables
from benchdb.store.editions import decide, editions, proposals, proposed, superseded
from tests.observed_runs import database
from tests.store_factory import Run, add

OLD, NEW, NEWER = ("1" * 64, "2" * 64, "3" * 64)
URL = "https://example.org/results"


def out_of_date(*sources: Source) -> dict[str, str]:
    """Return which title is out of date by which other when all that is accepted.

    What is proposed is the same, whatever the order.
    """
    with database() as connection:
        stored = [row for item in sources for row in rows.of_source(item)["source"]]
        connection.execute(insert(tables.source), stored)
        titles = {row["digest"]: row["title"] for row in stored}
        first = proposed(editions(connection))
        for order in permutations(editions(connection)):
            assert proposed(order) == first
        assert superseded(connection) == {}  # before anybody accepted it
        accept_all(connection)
        values = superseded(connection)
    return {titles[old]: titles[new] for old, new in values.items()}


def accept_all(connection: Connection) -> None:
    while still := [
        proposal for proposal in proposals(connection) if proposal.accepted is None
    ]:
        for proposal in still:
            decide(connection, proposal, accepted=True)


def source(title: str, **facts: Any) -> Source:
    return Source(**{"key": "s", "slug": "bench", "title": title, **facts})


def test_a_source_is_out_of_date_where_another_names_its_document():
    old = source("old", slug="other", document_sha256=OLD)
    new = source("new", document_sha256=NEW, supersedes=(OLD,))

    assert out_of_date(old, new) == {"old": "new"}


def test_a_document_that_names_itself_stays():
    assert out_of_date(source("a", document_sha256=OLD, supersedes=(OLD,))) == {}


def test_of_a_chain_only_the_last_stays():
    chain = (
        source("a", document_sha256=OLD),
        source("b", document_sha256=NEW, supersedes=(OLD,)),
        source("c", document_sha256=NEWER, supersedes=(NEW,)),
    )

    assert out_of_date(*chain) == {"a": "c", "b": "c"}


def test_of_a_circle_the_latest_stays():
    circle = (
        source("a", document_sha256=OLD, supersedes=(NEWER,), published="2024-05"),
        source("b", document_sha256=NEW, supersedes=(OLD,), published="2024"),
        source("c", document_sha256=NEWER, supersedes=(NEW,), published="2023-01-01"),
    )

    assert out_of_date(*circle) == {"b": "a", "c": "a"}


def test_a_branch_into_a_circle_leads_to_its_latest():
    branch = (
        source("a", document_sha256=OLD),
        source("b", document_sha256=NEW, supersedes=(OLD, NEWER), published="2024"),
        source("c", document_sha256=NEWER, supersedes=(NEW,), published="2023"),
    )

    assert out_of_date(*branch) == {"a": "b", "c": "b"}


@pytest.mark.parametrize("date", ["published", "retrieved"])
@pytest.mark.parametrize(
    ("early", "late"),
    [
        ("2024-01-31", "2024-02-01"),
        ("2024", "2025-01-01"),
        ("2024-02", "2024-02-03"),
        ("2024-01-01T23:00:00-05:00", "2024-01-02T05:00:00Z"),
    ],
)
def test_of_one_address_the_later_document_stays(date, early, late):
    old = source("old", url=URL, document_sha256=OLD, **{date: early})
    new = source("new", url=URL, document_sha256=NEW, **{date: late})

    assert out_of_date(old, new) == {"old": "new"}


def test_of_one_file_name_the_later_document_stays():
    ours = {"document": "r.md", "authors": ("Somebody",)}
    old = source("old", document_sha256=OLD, retrieved="2024-01-01", **ours)
    new = source("new", document_sha256=NEW, retrieved="2024-01-02", **ours)

    assert out_of_date(old, new) == {"old": "new"}


def test_where_both_were_published_together_the_later_retrieval_stays():
    both = {"url": URL, "published": "2024-01-01"}
    old = source("old", document_sha256=OLD, retrieved="2024-03-01", **both)
    new = source("new", document_sha256=NEW, retrieved="2024-04-01", **both)

    assert out_of_date(old, new) == {"old": "new"}


@pytest.mark.parametrize(
    "facts",
    [
        {"url": "https://example.org/other"},
        {"url": None},
        {"slug": "other"},
        {"retrieved": None},
        {"retrieved": "2023-01-01"},  # the same day
        {"retrieved": "last Friday"},
        {"document_sha256": OLD},
        {"document_sha256": None},
        {"published": "2024-01-01", "retrieved": None},  # of another kind
    ],
)
def test_documents_that_may_be_different_ones_both_stay(facts):
    old = source("old", url=URL, document_sha256=OLD, retrieved="2023-01-01")
    usual = {"url": URL, "document_sha256": NEW, "retrieved": "2024-01-01"}

    assert out_of_date(old, source("new", **{**usual, **facts})) == {}


@pytest.mark.parametrize("facts", [{}, {"authors": ("Another",)}, {"url": URL}])
def test_files_of_one_name_from_different_or_unknown_people_both_stay(facts):
    old = source("old", document="r.md", document_sha256=OLD, retrieved="2024-01-01")
    new = source(
        "new", document="r.md", document_sha256=NEW, retrieved="2024-01-02", **facts
    )

    assert out_of_date(old, new) == {}


def test_a_document_retrieved_again_unchanged_stays_above_what_lay_between():
    first = source("first", url=URL, document_sha256=OLD, retrieved="2024-01-01")
    changed = source("changed", url=URL, document_sha256=NEW, retrieved="2024-01-02")
    back = source("back", url=URL, document_sha256=OLD, retrieved="2024-01-03")

    assert out_of_date(first, changed, back) == {"first": "back", "changed": "back"}


def test_a_document_read_by_a_newer_importer_takes_the_place_of_the_reading():
    facts = {"document_sha256": OLD, "importer": "csv"}
    old = source("old", importer_version="0.9.1", **facts)
    new = source("new", importer_version="0.10.0", **facts)

    assert out_of_date(old, new) == {"old": "new"}


@pytest.mark.parametrize(
    "facts",
    [
        {"importer": "markdown"},
        {"slug": "other"},
        {"importer_version": "0.9.1"},
        {"importer_version": None},
        {"document_sha256": NEW},
    ],
)
def test_readings_that_are_not_the_same_both_stay(facts):
    usual = {"document_sha256": OLD, "importer": "csv", "importer_version": "0.10"}
    old = source("old", **{**usual, "importer_version": "0.9.1"})

    assert out_of_date(old, source("new", **{**usual, **facts})) == {}


def test_where_the_newest_was_rejected_the_next_one_is_proposed():
    old = source("old", url=URL, document_sha256=OLD, published="2024-01-01")
    honest = source("honest", url=URL, document_sha256=NEW, published="2024-02-01")
    # It claims the document of the honest one, so that it stands before it.
    forged = source("forged", url=URL, document_sha256=NEW, published="9999-01-01")
    with database() as connection:
        stored = [
            row
            for item in (old, honest, forged)
            for row in rows.of_source(item)["source"]
        ]
        connection.execute(insert(tables.source), stored)
        titles = {row["digest"]: row["title"] for row in stored}
        (first,) = proposals(connection)
        decide(connection, first, accepted=False)
        pairs = [
            (titles[proposal.newer], proposal.state)
            for proposal in proposals(connection)
        ]
        newer = superseded(connection)

    assert titles[first.newer] == "forged"
    assert pairs == [("honest", "open"), ("forged", "rejected")]
    assert newer == {}


def test_a_long_chain_is_followed_to_its_end():
    names = [f"{number:064}" for number in range(500)]
    chain = [
        source(name, document_sha256=name, supersedes=tuple(names[:number][-1:]))
        for number, name in enumerate(names)
    ]
    with database() as connection:
        stored = [row for item in chain for row in rows.of_source(item)["source"]]
        connection.execute(insert(tables.source), stored)
        accept_all(connection)
        values = superseded(connection)

    assert len(values) == 499
    assert set(values.values()) == {stored[-1]["digest"]}


def test_a_report_leaves_out_the_runs_of_a_source_that_was_accepted_as_outdated(
    fleeting,
):
    old = add(fleeting, Run(source="old"))
    new = add(fleeting, Run(source="new"))
    add(fleeting, Run(source=None))
    _change(fleeting, old, document_sha256=OLD)
    _change(fleeting, new, document_sha256=NEW, supersedes=[OLD])

    before = stored(fleeting, left_out(fleeting))
    accept_all(fleeting)
    runs = stored(fleeting, left_out(fleeting))
    assert [run.facts.digest for run in before if run.left_out] == []
    assert [run.facts.digest for run in runs if run.left_out] == [old]


def _change(connection: Connection, run: str, **facts: object) -> None:
    owner = select(tables.run.c.source).where(tables.run.c.digest == run)
    digest = connection.scalar(owner)
    connection.execute(
        tables.source.update().where(tables.source.c.digest == digest).values(facts)
    )
