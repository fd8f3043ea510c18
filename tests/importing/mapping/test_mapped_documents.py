"""Documents and their maps: what was transcribed by hand is what the maps read."""

from collections.abc import Iterable, Mapping

from benchdb.exchange.messages import Flag, Scalar, Source
from benchdb.exchange.reader import Item, LoneSource
from benchdb.importing.document import Document
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING, About
from tests.documents import Mapped, by_hand, each, published
from tests.importing.mapping.mapped import claims, records, refused, unexplained

Row = tuple[object, ...]


def figures(items: list[Item]) -> set[Row]:
    """Return every figure with what its run says."""
    return {
        (
            record.run.workload,
            record.run.setting,
            record.run.framework,
            record.run.device,
            record.machine.chip.name,
            listed(record.run.parameters),
            record.run.precision or "",
            record.run.compiler or "",
            value.metric,
            value.value,
            value.printed,
            value.locator,
            codes(record.end.flags),
        )
        for record in records(items)
        for value in record.end.values
    }


def claimed(items: list[Item]) -> set[Row]:
    return {
        (
            claim.kind,
            claim.printed,
            claim.value,
            claim.unit,
            claim.recomputed,
            claim.locator,
            listed(claim.about),
            codes(claim.flags),
            claim.statement,
        )
        for claim in claims(items)
    }


def listed(facts: Mapping[str, Scalar]) -> str:
    return " ".join(f"{name}={facts[name]}" for name in sorted(facts))


def codes(flags: Iterable[Flag]) -> str:
    return " ".join(flag.code for flag in flags)


def written(shape: str, kind: str) -> set[Row]:
    """Return what somebody wrote down of our document, numbers as numbers."""
    numbers = {"value", "recomputed"}
    return {
        tuple(
            (float(text) if text else None) if name in numbers else text
            for name, text in row.items()
        )
        for row in by_hand(shape, kind)
    }


def only_source(items: list[Item]) -> Source:
    (item,) = [item for item in items if isinstance(item, LoneSource)]
    return item.source


@each()
def test_nothing_of_a_document_is_refused(mapped: Mapped):
    assert refused(mapped.items) == []


@each()
def test_no_table_of_a_document_is_left_unexplained(mapped: Mapped):
    assert unexplained(mapped.document, mapped.map_) == []


@each()
def test_the_map_finds_the_figures_that_were_transcribed_by_hand(mapped: Mapped):
    transcribed = (
        written(mapped.name, "runs")
        if mapped.is_ours
        else figures(published(mapped.name))
    )

    assert figures(mapped.items) == transcribed


@each()
def test_the_map_finds_the_claims_that_were_transcribed_by_hand(mapped: Mapped):
    transcribed = (
        written(mapped.name, "claims")
        if mapped.is_ours
        else claimed(published(mapped.name))
    )

    assert claimed(mapped.items) == transcribed


@each()
def test_a_source_is_what_its_map_says_and_the_document_it_was_read_from(
    mapped: Mapped,
):
    source = only_source(mapped.items)

    given = mapped.map_.source
    assert (source.slug, source.title, source.authors) == (
        given.slug,
        given.title,
        given.authors,
    )
    assert (source.language, source.licence) == (given.language, given.licence)
    assert (source.protocol, source.missing) == (given.protocol, given.missing)
    assert source.document == mapped.path.name
    assert (source.document_sha256,) == mapped.map_.documents


@each("assertions")
def test_a_document_without_a_figure_says_so_and_keeps_its_claims(mapped: Mapped):
    assert mapped.map_.nothing
    assert records(mapped.items) == []
    assert len(claims(mapped.items)) == 2


@each("prose")
def test_what_the_importing_person_says_wins_over_the_map(mapped: Mapped):
    about = About(title="Needle", retrieved="2024-05-01", url="https://example.org/n")
    source = only_source(list(read(mapped.document, mapped.map_, about)))

    authors = {
        "prose": ("someone", "someone else"),
        "needle-metal": ("Mihir Dhamankar", "Siddhant Sapra", "Carson Stuart"),
    }
    assert (source.title, source.retrieved) == ("Needle", "2024-05-01")
    assert source.authors == authors[mapped.name]
    assert set(source.missing) == {"licence", "published"}


@each("prose")
def test_a_figure_that_no_longer_stands_on_its_line_is_refused(mapped: Mapped):
    printed, line = {"prose": ("0.24s", 48), "needle-metal": ("0.15s", 103)}[
        mapped.name
    ]
    text = mapped.document.text.replace(printed, "0.16s")
    changed = Document(mapped.path.name, text.encode())
    items = list(read(changed, mapped.map_, NOTHING))

    reason = f"'{printed}' does not stand on this line"
    assert refused(items) == [(f"line {line}", reason)]
    assert len(records(items)) == 9
