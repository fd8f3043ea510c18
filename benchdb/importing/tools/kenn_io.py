"""Results of the database of kenn.io, which took over the shape of conbench's.

It is called benchdb as well; its results are named after its maker here.
"""

from collections.abc import Iterator

from benchdb.exchange.reader import Item
from benchdb.importing.about import About
from benchdb.importing.document import Document
from benchdb.importing.tools import conbench
from benchdb.importing.tools.conbench_results import records, results, shaped
from benchdb.importing.tools.json_numbers import glimpse, told

TOOL = "kenn-io-benchdb"


def recognises(document: Document) -> bool:
    """Tell whether this is a minimal result, with nothing that conbench asks for."""
    found, _ = results(glimpse(document))
    return any(shaped(one) and "run_id" in one for _, one in found) and not any(
        conbench.its_own(one) for _, one in found
    )


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a record for each result."""
    yield from records(document, about, TOOL, told(document))
