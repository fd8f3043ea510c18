import json
from functools import cache

import pytest

from benchdb.exchange import reader
from benchdb.exchange.reader import Item, LoneSource, SourceClaim
from benchdb.exchange.record import claim_digest, source_digest
from benchdb.importing.about import NOTHING, About
from benchdb.importing.document import Document
from benchdb.importing.mapped import maps
from benchdb.importing.mapped.meant import unexplained
from benchdb.importing.mapped.reading import read
from benchdb.resources import folder
from tests.mapped import claims, records, refused
from tests.shared_material import SHARED

# The documents, and the maps that are shipped for them.
NAMES = {
    "000_59cac401bb086440.txt": "tf-metal-experiments",
    "001_2cf9f7cd5ab22659.txt": "m1tensorbench",
    "002_2050d928f2ffcf8f.txt": "needle-metal",
    "003_e1c174d4e142c551.txt": "pytorch-in-m1",
    "004_a5aecbb90c570abe.txt": "m1-vs-v100",
}
every_document = pytest.mark.parametrize("name", NAMES)


@cache
def document(name: str) -> Document:
    return Document(name, (SHARED / "seeds" / name).read_bytes())


@cache
def imported(name: str) -> list[Item]:
    return list(read(document(name), maps.named(NAMES[name]).map_, NOTHING))


@cache
def published(name: str) -> list[Item]:
    path = folder("published") / f"{NAMES[name]}.jsonl"
    with path.open("rb") as stream:
        return list(reader.read(stream))


def figures(found: list[Item]) -> set[tuple[object, ...]]:
    return {
        (
            record.run.workload,
            record.run.setting,
            record.run.framework,
            record.run.device,
            record.machine.chip.name,
            json.dumps(record.run.parameters, sort_keys=True),
            record.run.precision,
            record.run.compiler,
            value.metric,
            value.value,
            value.printed,
            value.locator,
        )
        for record in records(found)
        for value in record.end.values
    }


def claimed(found: list[Item]) -> set[str]:
    return {
        claim_digest(one.claim, source_digest(one.source))
        for one in found
        if isinstance(one, SourceClaim)
    }


@every_document
def test_a_document_we_know_is_read_with_its_own_map(name):
    found = maps.shipped(document(name))

    assert found is not None
    assert found.name == NAMES[name]


@every_document
def test_nothing_of_it_is_refused(name):
    assert refused(imported(name)) == []


@every_document
def test_the_map_finds_the_figures_that_were_transcribed_by_hand(name):
    assert figures(imported(name)) == figures(published(name))


@every_document
def test_the_runs_are_the_published_ones_to_the_last_field(name):
    found = {record.digest: record for record in records(imported(name))}
    known = {record.digest: record for record in records(published(name))}

    assert found.keys() == known.keys()


@every_document
def test_the_claims_are_the_published_ones(name):
    assert claimed(imported(name)) == claimed(published(name))


@every_document
def test_the_source_is_the_published_one(name):
    found = [one.source for one in imported(name) if isinstance(one, LoneSource)]
    known = [one.source for one in published(name) if isinstance(one, LoneSource)]

    assert [*map(source_digest, found)] == [*map(source_digest, known)]


@every_document
def test_no_table_of_it_is_left_unexplained(name):
    assert unexplained(document(name), maps.named(NAMES[name]).map_) == ()


def test_another_version_of_a_document_is_not_read_with_the_map_unasked():
    name = next(iter(NAMES))
    changed = Document(name, document(name).content + b"\n")

    assert maps.shipped(changed) is None


def test_a_document_without_a_figure_says_so_and_keeps_its_claims():
    name = "004_a5aecbb90c570abe.txt"
    found = imported(name)

    assert maps.named(NAMES[name]).map_.nothing
    assert records(found) == []
    assert len(claims(found)) == 2


def test_what_the_importing_person_says_wins_over_the_map():
    name = "002_2050d928f2ffcf8f.txt"
    about = About(title="Needle", retrieved="2024-05-01", url="https://example.org/n")
    found = list(read(document(name), maps.named(NAMES[name]).map_, about))
    (source,) = [one.source for one in found if isinstance(one, LoneSource)]

    assert (source.title, source.retrieved) == ("Needle", "2024-05-01")
    assert source.authors == ("Mihir Dhamankar", "Siddhant Sapra", "Carson Stuart")
    assert set(source.missing) == {"licence", "published"}


def test_a_changed_line_is_told_for_each_figure_that_stood_there():
    name = "002_2050d928f2ffcf8f.txt"
    text = document(name).text.replace("0.15s", "0.16s")
    changed = Document(name, text.encode())
    found = list(read(changed, maps.named(NAMES[name]).map_, NOTHING))

    assert refused(found) == [("line 103", "'0.15s' does not stand on this line")]
    assert len(records(found)) == 9


def test_every_shipped_map_is_named_after_its_source_and_knows_one_document():
    shipped = sorted((folder("published") / "maps").glob("*.toml"))

    assert [path.stem for path in shipped] == sorted(NAMES.values())
    for path in shipped:
        map_ = maps.load(path).map_
        assert map_.source.slug == path.stem
        assert len(map_.documents) == 1
