"""Where figures stand in their source, who else tells them, what is doubtful."""

from typing import Any

from sqlalchemy import Connection, select

from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.provenance import excerpt
from benchdb.store import (
    files_read,
    findings,
    hearsay,
    ownership,
    supersession,
    twins,
)
from benchdb.store.tables import source


def provenance(connection: Connection, found: Record) -> dict[str, Any]:
    """Return what is known beside the record itself.

    *mine* tells it from what was contributed. *findings* are doubts of the plausibility
    rules, *places* the text at each locator of the run where the document was kept,
    *same_figures* the runs of other sources that tell the same, *superseded_by* the
    title of a newer version of the source. What is *hearsay* only a stranger's file
    tells.
    """
    newer = supersession.superseded(connection).get(found.source_digest or "")
    return {
        "mine": ownership.is_mine(connection, found.digest),
        "findings": [
            {"code": one.code, "metric": one.metric, "detail": dict(one.detail)}
            for one in findings.findings_of(connection, found.digest)
        ],
        "places": _places(connection, found),
        "same_figures": [
            {
                "run": one.run,
                "original": one.original,
                "source": _title(connection, one.source),
            }
            for one in twins.of_run(connection, found.digest)
        ],
        "hearsay": found.digest in hearsay.hearsay(connection),
        "superseded_by": newer and _title(connection, newer),
    }


def _places(connection: Connection, found: Record) -> dict[str, str]:
    known = found.source and found.source.document_sha256
    content = known and files_read.kept(connection, known)
    if not content or found.source is None:
        return {}
    document = Document(found.source.document or "", content)
    locators = [found.run.locator, *(value.locator for value in found.end.values)]
    places = {one: excerpt(document, one) for one in locators if one}
    return {one: text for one, text in places.items() if text is not None}


def _title(connection: Connection, digest: str) -> str:
    query = select(source.c.title, source.c.slug).where(source.c.digest == digest)
    row = connection.execute(query).one()
    return f"{row.title} ({row.slug})"
