"""Sources: numbered in the order of their first use, each with its claims."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, func, select

from benchdb.report.scope import EVERYTHING, Scope
from benchdb.report.view.listed import ClaimRow, SourceRow
from benchdb.store.tables import claim, run, source


class Sources:
    """Gives numbers to sources as the page is built."""

    def __init__(self) -> None:
        """Start without sources."""
        self._numbers: dict[str, int] = {}

    def key(self, digest: str | None) -> str | None:
        """Return the number of a source; ``None`` for what has none."""
        if digest is None:
            return None
        return str(self._numbers.setdefault(digest, len(self._numbers) + 1))

    def keys(self, digests: Iterable[str | None]) -> tuple[str, ...]:
        """Return the numbers of several sources, each once, in order."""
        found = {key for digest in digests if (key := self.key(digest)) is not None}
        return tuple(sorted(found, key=int))

    def rows(
        self,
        connection: Connection,
        left_out: Mapping[str | None, int],
        scope: Scope = EVERYTHING,
    ) -> tuple[SourceRow, ...]:
        """Return all sources in *scope*, those that no section used at the end.

        *left_out* counts the runs of each that are in no comparison.
        """
        query = select(source).order_by(source.c.slug, source.c.digest)
        query = query.where(scope.tells(source.c.digest))
        stored = {row.digest: row for row in connection.execute(query)}
        for digest in stored:
            self.key(digest)
        runs, claims = _runs(connection, scope), _claims(connection)
        return tuple(
            replace(
                _row(stored[digest], runs[digest], tuple(claims[digest])),
                key=str(key),
                left_out=left_out.get(digest, 0),
            )
            for digest, key in self._numbers.items()
        )


def _row(stored: Any, runs: int, claims: tuple[ClaimRow, ...]) -> SourceRow:
    return SourceRow(
        key="",
        slug=stored.slug,
        title=stored.title,
        authors=tuple(stored.authors),
        url=stored.url,
        licence=stored.licence,
        language=stored.language,
        document=stored.document,
        document_sha256=stored.document_sha256,
        runs=runs,
        claims=claims,
        protocol_only=runs == 0,
    )


def _runs(connection: Connection, scope: Scope) -> Counter[str]:
    query = select(run.c.source, func.count()).group_by(run.c.source)
    query = query.where(scope.has(run.c.digest))
    return Counter({row[0]: row[1] for row in connection.execute(query)})


def _claims(connection: Connection) -> defaultdict[str, list[ClaimRow]]:
    found: defaultdict[str, list[ClaimRow]] = defaultdict(list)
    for row in connection.execute(select(claim)):
        found[row.source].append(
            ClaimRow(
                kind=row.kind,
                statement=row.statement,
                printed=row.printed,
                locator=row.locator,
                recomputed=row.recomputed,
                codes=tuple(flag["code"] for flag in row.flags),
                details=tuple(flag.get("detail", {}) for flag in row.flags),
            )
        )
    for claims in found.values():
        claims.sort(key=_where)
    return found


def _where(row: ClaimRow) -> tuple[int, str, str, str]:
    """Order claims as the document does: its lines are numbers, not words."""
    digits = "".join(c if c.isdigit() else " " for c in row.locator).split()
    first = int(digits[0]) if digits else 0
    return first, row.locator, row.statement, row.printed
