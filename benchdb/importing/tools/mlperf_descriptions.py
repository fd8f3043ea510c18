"""Files around results that hold none: descriptions of systems, schemas."""

from collections.abc import Iterator
from typing import Any

from benchdb.exchange.reader import Item
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools.json_numbers import glimpse

_SYSTEM = {"accelerator_model_name", "host_processor_model_name", "submitter"}


def recognises(document: Document) -> bool:
    """Tell whether this is a description of a system, or a JSON schema."""
    return _why(glimpse(document)) is not None


def read(document: Document, about: About) -> Iterator[Item]:
    """Raise ``DocumentError``: nothing was measured here."""
    raise DocumentError(_why(glimpse(document)) or "no results")


def _why(found: Any) -> str | None:
    if not isinstance(found, dict):
        return None
    if found.keys() >= _SYSTEM:
        return (
            "the description of an MLPerf system, without results; import the logs of "
            "its runs"
        )
    schema = found.get("$schema")
    if isinstance(schema, str) and "json-schema.org" in schema:
        return "a JSON schema: it says what results look like, and holds none"
    return None
