"""The formats that tools write themselves: a Protocol and a dict literal.

A format is a plain module with the two functions of ``Format``. It is recognised by
what a document holds, never by its name.
"""

from collections.abc import Iterator
from typing import Protocol

from benchdb.exchange.reader import Item
from benchdb.importing.document import Document
from benchdb.importing.provenance import About
from benchdb.importing.tools import (
    apple_llm_bench,
    hyperfine,
    llama_bench,
    llama_bench_tables,
    localscore,
    pytest_benchmark,
)

EXCHANGE = "benchdb"  # what reads exchange files, beside the formats


class Format(Protocol):
    """What a module of ``importing.tools`` offers, or one of another package."""

    def recognises(self, document: Document) -> bool:
        """Tell whether the document is of this format; never raise for any text.

        Asked for every document that comes in: what it looks at must be cheap.
        """

    def read(self, document: Document, about: About) -> Iterator[Item]:
        """Yield its records, and ``BadLine`` for each that cannot be taken.

        Raise ``DocumentError`` where the document as a whole cannot be read.
        """


FORMATS: dict[str, Format] = {
    "llama-bench-table": llama_bench_tables,  # may have the other formats beside it
    "llama-bench": llama_bench,
    "localscore": localscore,
    "apple-silicon-llm-bench": apple_llm_bench,
    "pytest-benchmark": pytest_benchmark,
    "hyperfine": hyperfine,
}
