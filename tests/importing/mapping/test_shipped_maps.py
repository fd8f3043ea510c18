"""The shipped maps, and what is published of the documents that they read."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

from benchdb.catalogue import workloads
from benchdb.exchange import reader
from benchdb.exchange.messages import Claim, Environment, Flag, Machine, Source, Value
from benchdb.exchange.reader import LoneSource, SourceClaim
from benchdb.exchange.record import Record, claim_digest, digest_of
from benchdb.importing import corpus
from benchdb.importing.document import Document
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.language import (
    Map,
    MappedClaim,
    MappedFlag,
    MappedSource,
)
from benchdb.importing.mapping.maps import faults
from benchdb.resources import folder
from tests.documents import SHAPES, published, source_of
from tests.importing.mapping.mapped import records

SHIPPED = sorted(folder("published").glob("maps/*.toml"))
load = cache(maps.load)
every_map = pytest.mark.parametrize("slug", sorted(SHAPES.values()))


class KnownByDigest(Document, frozen=True):
    """A document of which nothing is here but its digest."""

    @property
    def sha256(self) -> str:
        return self.name


def map_of(slug: str) -> Map:
    return maps.find(slug).map_


def line_of(record: Record) -> int:
    match = re.match(r"line (\d+)", record.run.locator or "")
    assert match
    return int(match[1])


def values_of(slug: str) -> Iterator[Value]:
    for record in records(published(slug)):
        yield from record.end.values


def claim_of(claim: MappedClaim) -> Claim:
    """Return the line that a claim of a map becomes."""
    given = {name: getattr(claim, name) for name in claim.__struct_fields__}
    line = given.pop("line")
    return Claim(**{**given, "source": "source", "locator": f"line {line}"})


def flag_of(flag: MappedFlag) -> Flag:
    """Return the flag that one of a map becomes."""
    detail = {**flag.detail, **dict.fromkeys(flag.unknown)}
    return Flag(code=flag.code, metric=flag.metric, detail=detail)


def is_about(flag: MappedFlag, record: Record) -> bool:
    first, last = flag.lines
    column = flag.column or ""
    return (
        first <= line_of(record) <= last
        and (record.run.locator or "").endswith(column)
        and flag.metric in {None, *(value.metric for value in record.end.values)}
    )


def facts(source: MappedSource | Source) -> dict[str, object]:
    return {name: getattr(source, name) for name in MappedSource.__struct_fields__}


def test_there_is_a_map_for_each_published_source():
    shipped = folder("published") / "maps"
    sources = {path.stem for path in folder("published").glob("corpus/*.jsonl")}

    assert {path.stem for path in shipped.glob("*.toml")} == {
        *SHAPES.values(),
        *sources,
    }


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_map_is_without_fault_and_names_the_published_documents(path: Path):
    loaded = load(path)
    map_ = loaded.map_

    assert list(faults(map_)) == []
    assert map_.source.slug == loaded.name
    holds = bool(map_.source.url) or "url" in map_.source.missing
    assert holds or loaded.name in SHAPES.values()
    assert map_.documents or map_.paths
    with corpus.published_file(folder("published"), loaded.name).open("rb") as stream:
        sources = [
            item.source for item in reader.read(stream) if isinstance(item, LoneSource)
        ]

    digests = {source.document_sha256 for source in sources}
    assert digests == {*loaded.map_.documents, *loaded.map_.paths.values()}
    for document, sha256 in loaded.map_.paths.items():
        assert document in {s.document for s in sources if s.document_sha256 == sha256}


@every_map
def test_a_map_is_for_the_document_that_was_transcribed(slug: str):
    assert map_of(slug).documents == (source_of(slug).document_sha256,)


@every_map
def test_a_map_is_used_unasked_for_its_document_alone(slug: str):
    (digest,) = map_of(slug).documents
    shipped = maps.shipped_for(KnownByDigest(digest, b""))

    assert shipped is not None
    assert shipped.name == slug
    assert maps.shipped_for(KnownByDigest(digest[::-1], b"")) is None


@every_map
def test_a_map_says_of_its_source_what_is_published(slug: str):
    assert facts(map_of(slug).source) == facts(source_of(slug))


@every_map
def test_the_machines_of_a_map_are_the_published_ones(slug: str):
    mapped = {
        digest_of(
            Machine(
                key="",
                chip=machine.chip,
                model=machine.model,
                label=machine.label,
                missing=machine.missing,
            )
        )
        for machine in map_of(slug).machines.values()
    }

    assert mapped == {digest_of(record.machine) for record in records(published(slug))}


@every_map
def test_the_environments_of_a_map_are_the_published_ones(slug: str):
    mapped = set()
    for environment in map_of(slug).environments.values():
        given = msgspec.structs.asdict(environment)
        given.pop("match")
        mapped.add(digest_of(Environment(**given)))

    assert mapped == {
        digest_of(record.environment) for record in records(published(slug))
    }


@every_map
def test_every_metric_of_a_map_is_published(slug: str):
    map_ = map_of(slug)
    columns = [column for table in map_.table for column in table.columns.values()]
    metrics = {column.metric for column in columns}
    metrics |= {metric for column in columns for metric in column.parts.values()}
    metrics |= {figure.metric for figure in map_.figure}

    assert metrics - {None} == {value.metric for value in values_of(slug)}


@every_map
def test_every_workload_that_a_map_explains_is_published(slug: str):
    measured = {record.run.workload for record in records(published(slug))}

    assert set(map_of(slug).workloads) <= measured <= set(workloads())


@every_map
def test_every_run_has_the_framework_and_setting_of_its_map(slug: str):
    given = map_of(slug).set

    for record in records(published(slug)):
        assert record.run.framework == given["framework"]
        assert record.run.setting == given.get("setting", "standard")


@every_map
def test_every_figure_of_a_map_is_published_where_it_says(slug: str):
    mapped = [
        Value(
            metric=figure.metric,
            value=figure.value,
            printed=figure.printed,
            locator=f"line {figure.line}",
            derived=figure.derived,
        )
        for figure in map_of(slug).figure
    ]

    assert not mapped or mapped == list(values_of(slug))


@every_map
def test_every_claim_is_of_the_map_or_a_ratio_of_its_tables(slug: str):
    source = digest_of(source_of(slug))
    claims = [item.claim for item in published(slug) if isinstance(item, SourceClaim)]
    mapped = {claim_digest(claim_of(claim), source) for claim in map_of(slug).claim}
    ratios = [claim for claim in claims if claim_digest(claim, source) not in mapped]
    columns = [each for table in map_of(slug).table for each in table.columns.items()]
    ratio_columns = {name for name, column in columns if column.is_ == "ratio"}

    assert len(claims) - len(ratios) == len(mapped)
    assert bool(ratios) == bool(ratio_columns)
    for claim in ratios:
        assert (claim.locator or "").partition(", column ")[2] in ratio_columns


@every_map
def test_every_doubt_of_a_map_is_published_with_the_runs_it_is_about(slug: str):
    doubts = map_of(slug).flag

    assert all(
        any(is_about(flag, record) for record in records(published(slug)))
        for flag in doubts
    )
    for record in records(published(slug)):
        stated = [flag_of(flag) for flag in doubts if is_about(flag, record)]
        assert list(record.end.flags) == stated
