"""Results of conbench: what is posted to its server, and what the server answers."""

from collections.abc import Iterator
from typing import Any

from benchdb.exchange.reader import Item
from benchdb.importing.about import About
from benchdb.importing.document import Document
from benchdb.importing.tools.conbench_results import records, results
from benchdb.importing.tools.json_numbers import glimpse, told

TOOL = "conbench"
# Its server asks for these; others who took over the shape of a result do not.
_OF_THE_RESULT = ("batch_id", "info", "optional_benchmark_info", "history_fingerprint")
_OF_THE_STATISTICS = ("times", "time_unit", "iterations")


def recognises(document: Document) -> bool:
    """Tell whether this is a result of conbench, or a page of them."""
    found, _ = results(glimpse(document))
    return any(its_own(one) for _, one in found)


def its_own(result: Any) -> bool:
    """Tell whether a result has what only conbench writes."""
    if not isinstance(result, dict):
        return False
    stats = result.get("stats")
    return any(name in result for name in _OF_THE_RESULT) or (
        isinstance(stats, dict) and any(name in stats for name in _OF_THE_STATISTICS)
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each result."""
    yield from records(document, about, TOOL, told(document))
