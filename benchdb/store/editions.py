"""Which editions of a document are out of date: by our own reading, and by decisions.

What a source says of others is a proposal, for anybody can write a source. Without a
decision only a document that was read here is replaced, by what a newer version of the
same importer has read of it here, and one that a known key signed whole, by what that
key signed as well. Equal readings by several importers are one source.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    delete,
    insert,
    or_,
    select,
    true,
    update,
)

from benchdb.errors import UsageError
from benchdb.identity import digest
from benchdb.store.dates import sources_ahead
from benchdb.store.hearsay import sources_of_hearsay, strangers
from benchdb.store.signers import sources_of_one_key
from benchdb.store.tables import source, source_file, supersession

ImporterAge = tuple[tuple[int, ...], str, str]


def importer_age(importer: str | None, version: str | None) -> ImporterAge:
    """Order readers, the oldest first: 0.10.0 is newer than 0.9.1."""
    return version_numbers(version), version or "", importer or ""


def version_numbers(version: str | None) -> tuple[int, ...]:
    """Return the numbers in a version."""
    return tuple(int(digits[:18]) for digits in re.findall(r"\d+", version or ""))


def renew_importers(connection: Connection, some: Sequence[Mapping[str, Any]]) -> None:
    """Name the newest reader of each of these sources, in whichever order they came."""
    digests = [row["digest"] for row in some]
    query = select(source.c.digest, source.c.importer, source.c.importer_version)
    known = {
        row.digest: importer_age(row.importer, row.importer_version)
        for row in connection.execute(query.where(source.c.digest.in_(digests)))
    }
    for row in some:
        newer = importer_age(row["importer"], row["importer_version"])
        # What was forgotten here is not there.
        if row["digest"] in known and known[row["digest"]] < newer:
            known[row["digest"]] = newer
            named = {name: row[name] for name in ("importer", "importer_version")}
            there = source.c.digest == row["digest"]
            connection.execute(update(source).where(there).values(named))


_PARTIAL = re.compile(r"\d{4}(-\d{2})?")
NOBODY = "[]"
NAMED, DATED, READ_AGAIN = "named", "dated", "read-again"
Pair = tuple[str, str]  # digests of the older edition and of the newer
_MANY = 500  # sources; of more, all are looked at
_LATEST = "9999"  # where a date is not known, any other is earlier


class Edition(msgspec.Struct, frozen=True):
    """What decides which of two sources is the newer; dates are in UTC.

    A *stranger* is 0 where the document is known, 1 where the owner accepted it, which
    are more than what a source says of itself.
    """

    digest: str
    slug: str
    document: str | None
    document_sha256: str | None
    url: str | None
    authors: str
    licence: str | None
    published: str | None
    retrieved: str | None
    importer: str | None
    importer_version: tuple[int, ...]
    supersedes: tuple[str, ...]
    stranger: int = 2

    @property
    def age(self) -> tuple[str, str, tuple[int, ...], str]:
        """Order editions, the oldest first."""
        dates = self.published or "", self.retrieved or ""
        return (*dates, self.importer_version, self.digest)

    @property
    def seniority(self) -> tuple[int, str, str, bool, str]:
        """Order editions: known ones, who told first, then who says whose it is."""
        nameless = self.licence is None and self.authors == NOBODY
        dates = self.published or _LATEST, self.retrieved or _LATEST
        return (self.stranger, *dates, nameless, self.digest)


def otherwise(connection: Connection, digest: str) -> bool:
    """Tell whether the document of a source was read otherwise, by an equal version.

    Then nothing says which reading is the newer one, and both stay.
    """
    this = connection.execute(select(source).where(source.c.digest == digest)).first()
    if this is None or this.reading is None:
        return False
    alike = ("document_sha256", "slug", "importer", "importer_version")
    others = select(source.c.digest).where(
        *(source.c[name] == getattr(this, name) for name in alike),
        source.c.reading != this.reading,
    )
    return connection.scalar(others.limit(1)) is not None


def editions(connection: Connection) -> list[Edition]:
    """Return all sources; dates that were yet to come are as good as none."""
    return _editions(connection, true())


def related(connection: Connection, digests: Collection[str]) -> list[Edition]:
    """Return these sources, and all that they may claim to be newer than."""
    if len(digests) > _MANY:
        return editions(connection)
    themselves = source.c.digest.in_(sorted(digests))
    own = _editions(connection, themselves)
    named = {sha256 for edition in own for sha256 in edition.supersedes}
    if len(named) > _MANY:
        return editions(connection)
    wanted = or_(
        themselves,
        source.c.slug.in_(sorted({edition.slug for edition in own})),
        source.c.document_sha256.in_(sorted(named)),
    )
    return _editions(connection, wanted)


def _editions(connection: Connection, wanted: ColumnElement[bool]) -> list[Edition]:
    ahead = sources_ahead(connection)
    rows = connection.execute(select(source).where(wanted)).all()
    return [_edition(row, is_ahead=row.digest in ahead) for row in rows]


def proposed(
    all_editions: Sequence[Edition], refused: Collection[Pair] = ()
) -> dict[Pair, str]:
    """Return which edition would be outdated by which other, and why.

    Anybody can write what follows from: a proposal has no effect until it is accepted.
    Where the newest was refused, the next one is proposed.
    """
    proposals_: dict[Pair, str] = {}
    for why, pairs in (
        (NAMED, _named(all_editions)),
        (DATED, _dated(all_editions, refused)),
        (READ_AGAIN, _read_again(all_editions, refused)),
    ):
        for old, new in pairs:
            if (old.digest, new.digest) not in refused:
                proposals_.setdefault((old.digest, new.digest), why)
    return proposals_


def newest_editions(
    pairs: Iterable[Pair], ages: Mapping[str, tuple[Any, ...]]
) -> dict[str, str]:
    """Return where the steps from each older edition to a newer one end."""
    later: dict[str, set[str]] = defaultdict(set)
    for old, new in pairs:
        later[old].add(new)
    step = {old: max(new, key=ages.__getitem__) for old, new in later.items()}
    return {old: new for old, new in _ends(step, ages).items() if old != new}


def _ends(step: Mapping[str, str], ages: Mapping[str, Any]) -> dict[str, str]:
    """Return where the steps from each lead; in a circle, its newest member."""
    ends: dict[str, str] = {}
    for start in step:
        path: dict[str, None] = {}
        at = start
        while at in step and at not in path and at not in ends:
            path[at] = None
            at = step[at]
        if at in path:
            order = list(path)
            at = max(order[order.index(at) :], key=ages.__getitem__)
        ends |= dict.fromkeys(path, ends.get(at, at))
    return ends


_Pairs = Iterator[tuple[Edition, Edition]]


def _named(all_editions: Iterable[Edition]) -> _Pairs:
    """Yield what an edition names as superseded, with that edition."""
    by_document = _grouped(all_editions, lambda item: item.document_sha256)
    for new in all_editions:
        for sha256 in set(new.supersedes) - {new.document_sha256}:
            for old in by_document.get(sha256, ()):
                yield old, new


def _dated(all_editions: Iterable[Edition], refused: Collection[Pair]) -> _Pairs:
    """Yield editions of an address or a file with one of a later date.

    Two files of the same name are the same only if their authors are known, and all
    that is said of their origin is the same: everybody has a results.csv.
    """
    by_url = _grouped(all_editions, lambda item: item.url and (item.slug, item.url))
    by_name = _grouped(
        all_editions,
        lambda item: item.document and item.authors != NOBODY and _origin(item),
    )
    for group in (*by_url.values(), *by_name.values()):
        result = [edition for edition in group if edition.document_sha256]
        yield from _later(result, "published", refused)
        # Dates of retrieval decide where those of publication do not.
        for alike in _grouped(result, lambda item: (item.published,)).values():
            yield from _later(alike, "retrieved", refused)


def _origin(edition: Edition) -> tuple[str | None, ...]:
    return edition.slug, edition.document, edition.authors, edition.url


def _later(group: Iterable[Edition], date: str, refused: Collection[Pair]) -> _Pairs:
    def age(edition: Edition) -> tuple[str, str]:
        return getattr(edition, date), edition.digest

    dated = sorted((edition for edition in group if getattr(edition, date)), key=age)
    once = {new for _, new in refused}
    # What was refused once must not stand before another of the same document.
    latest = {
        edition.digest if edition.digest in once else edition.document_sha256: edition
        for edition in dated
    }
    best = sorted(latest.values(), key=age, reverse=True)
    for old in dated:
        for new in best:
            if getattr(new, date) <= getattr(old, date):
                break
            if new.document_sha256 != old.document_sha256 and _open(old, new, refused):
                yield old, new
                break


def _open(old: Edition, new: Edition, refused: Collection[Pair]) -> bool:
    return (old.digest, new.digest) not in refused


def _read_again(all_editions: Iterable[Edition], refused: Collection[Pair]) -> _Pairs:
    """Yield readings of a document with that by the newest version of the importer."""
    readings = _grouped(
        all_editions,
        lambda it: (
            it.document_sha256
            and it.importer_version
            and (it.document_sha256, it.slug, it.importer)
        ),
    )
    for group in readings.values():
        best = sorted(group, key=lambda it: (it.importer_version, it.digest))
        for old in group:
            for new in reversed(best):
                if new.importer_version <= old.importer_version:
                    break
                if _open(old, new, refused):
                    yield old, new
                    break


def _grouped(all_editions: Iterable[Edition], key: Any) -> dict[Any, list[Edition]]:
    groups: dict[Any, list[Edition]] = defaultdict(list)
    for edition in all_editions:
        if name := key(edition):
            groups[name].append(edition)
    return groups


def _edition(row: Any, *, is_ahead: bool) -> Edition:
    kept = ("digest", "slug", "document", "document_sha256", "url", "licence")
    return Edition(
        **{name: getattr(row, name) for name in (*kept, "importer")},
        authors=json.dumps(row.authors),
        published=None if is_ahead else _moment(row.published),
        retrieved=None if is_ahead else _moment(row.retrieved),
        importer_version=version_numbers(row.importer_version),
        supersedes=tuple(row.supersedes or ()),
    )


def _moment(text: str | None) -> str | None:
    """Return a date as one that sorts by time; None for what is no ISO 8601."""
    plain = (text or "").strip()
    if _PARTIAL.fullmatch(plain):
        return plain
    try:
        moment = datetime.fromisoformat(plain)
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return moment.isoformat() if len(plain) > len("2024-01-01") else plain


HEARD = "heard"  # a rule: only a file of others tells these figures


class Proposal(msgspec.Struct, frozen=True):
    """That *newer* takes the place of *outdated*, two sources, and by which rule.

    Where both are the same, that its figures count though nobody known tells them.
    *accepted* is what was decided, ``None`` as long as nothing was.
    """

    outdated: str
    newer: str
    why: str
    accepted: bool | None = None

    @property
    def id(self) -> str:
        """Identify the proposal, in every database."""
        return digest([self.outdated, self.newer])

    @property
    def state(self) -> str:
        """Return ``open``, ``accepted`` or ``rejected``."""
        if self.accepted is None:
            return "open"
        return "accepted" if self.accepted else "rejected"


def superseded(
    connection: Connection, every: list[Edition] | None = None
) -> dict[str, str]:
    """Return the newest version's digest, by those before it; *every* has them all."""
    return _in_force(connection, every or editions(connection))


def proposals(connection: Connection) -> list[Proposal]:
    """Return what was decided about sources, and what is still to be decided."""
    decided = _decided(connection)
    still = _undecided(connection, editions(connection), decided)
    every = (*decided, *still, *heard(connection))
    return sorted(every, key=lambda it: (it.accepted is not None, it.id))


def heard(
    connection: Connection, among: Collection[str] | None = None
) -> list[Proposal]:
    """Return the open proposals that figures count which only strangers tell.

    Those *among* these sources, ``None`` for all.
    """
    decided = {it.newer for it in _decided(connection) if it.why == HEARD}
    texts = sources_of_hearsay(connection, among) - decided
    return [Proposal(name, name, HEARD) for name in sorted(texts)]


def proposed_by(connection: Connection, sources: Collection[str]) -> list[Proposal]:
    """Return the open proposals in which one of *sources* is the newer one."""
    known = related(connection, sources)
    still = _undecided(connection, known, _decided(connection))
    return [proposal for proposal in still if proposal.newer in sources]


def find_proposal(connection: Connection, prefix: str) -> Proposal:
    """Return the one proposal whose id starts with *prefix*."""
    wanted = prefix.lower()
    matches = [
        it for it in proposals(connection) if wanted and it.id.startswith(wanted)
    ]
    if not matches:
        raise UsageError(f"no proposal {prefix!r}; 'benchdb sources' shows their ids")
    if len(matches) > 1:
        raise UsageError(f"several proposals start with {prefix!r}; give more digits")
    return matches[0]


def decide(connection: Connection, about: Proposal, *, accepted: bool) -> None:
    """Accept or reject a proposal, whatever was decided about it before."""
    if about.accepted is accepted:
        raise UsageError(f"proposal {about.id[:12]} is {about.state} already")
    _drop(connection, about)
    row = {
        "outdated": about.outdated,
        "newer": about.newer,
        "why": about.why,
        "accepted": accepted,
    }
    connection.execute(insert(supersession), [row])


def undo_decision(connection: Connection, about: Proposal) -> None:
    """Take a decision back: the proposal is open again."""
    if about.accepted is None:
        raise UsageError(f"nothing was decided about proposal {about.id[:12]}")
    _drop(connection, about)


def _drop(connection: Connection, about: Proposal) -> None:
    same = (
        supersession.c.outdated == about.outdated,
        supersession.c.newer == about.newer,
    )
    connection.execute(delete(supersession).where(*same))


def _decided(connection: Connection) -> list[Proposal]:
    query = select(
        supersession.c.outdated,
        supersession.c.newer,
        supersession.c.why,
        supersession.c.accepted,
    )
    return [Proposal(*row) for row in connection.execute(query)]


def _refused(decided: Iterable[Proposal]) -> set[tuple[str, str]]:
    """Return the outdated and the newer one of what somebody refused."""
    return {(it.outdated, it.newer) for it in decided if not it.accepted}


def _undecided(
    connection: Connection, known: list[Edition], decided: list[Proposal]
) -> list[Proposal]:
    pairs = {(proposal.outdated, proposal.newer) for proposal in decided}
    refused = _refused(decided)
    holds = _in_force(connection, known)
    return [
        Proposal(old, new, why)
        for (old, new), why in proposed(known, refused).items()
        if (old, new) not in pairs and holds.get(old) != new
    ]


def _in_force(connection: Connection, known: list[Edition]) -> dict[str, str]:
    ages = {edition.digest: edition.age for edition in known}
    decided = _decided(connection)
    taken = (it for it in decided if it.accepted and it.why != HEARD)
    accepted = [(it.outdated, it.newer) for it in taken]
    refused = _refused(decided)
    unasked = (*_read_here(connection), *_signed_alike(connection, known, refused))
    pairs = [pair for pair in (*accepted, *unasked) if ages.keys() >= set(pair)]
    return newest_editions(pairs, ages)


def _signed_alike(
    connection: Connection, known: list[Edition], refused: Collection[Pair]
) -> Iterator[Pair]:
    """Yield sources with those that name them, where one known key signed both whole.

    What benchdb ships, and what was read here, nobody's signature replaces.
    """
    if not (keys := sources_of_one_key(connection)):
        return
    strange = strangers(connection, keys)
    for old, new in _named([edition for edition in known if edition.digest in keys]):
        alike = keys[old.digest] == keys[new.digest] and strange[old.digest]
        if alike and _open(old, new, refused):
            yield old.digest, new.digest


def _read_here(connection: Connection) -> Iterator[Pair]:
    """Yield readings of a document with that by the newest version of its importer.

    All of them were made here, from the document itself: what an exchange file says of
    documents and importers is no reading, and what it comes with has another SHA-256
    than the document that it speaks of.
    """
    query = select(
        source.c.digest,
        source.c.slug,
        source_file.c.file,
        source_file.c.importer,
        source_file.c.importer_version,
    ).where(
        source_file.c.source == source.c.digest,
        source_file.c.file == source.c.document_sha256,
    )
    groups: dict[Any, dict[str, tuple[int, ...]]] = defaultdict(dict)
    for name, slug, file, importer, version in connection.execute(query):
        group = groups[file, slug, importer]
        group[name] = max(group.get(name, ()), version_numbers(version))
    for group in groups.values():
        latest = max(group, key=lambda name: (group[name], name))
        for old, version in group.items():
            if version and version < group[latest]:
                yield old, latest
