"""From a locator to the characters that stand there in the document."""

import re
from functools import lru_cache
from typing import Any

from benchdb.importing.document import Document, DocumentError, parsed_json

SHOWN = 400  # characters of a place that are shown

_LINE = re.compile(r"(?:^|\b)line (\d{1,9})\b")


def excerpt(document: Document, locator: str) -> str | None:
    """Return what stands at *locator*, on one line and cut off where it is long.

    That is a line (``line 39, column Throughput``) or, in JSON, what a pointer leads to
    (``/benchmarks/0/stats``). ``None`` where there is no such place.
    """
    try:
        if locator.startswith("/"):
            found = _pointed(_parsed(document.text), locator)
        elif match := _LINE.search(locator):
            found = document.lines[int(match[1]) - 1]
        else:
            return None
    except (DocumentError, LookupError, ValueError, TypeError):
        return None
    text = found if isinstance(found, str) else _compact(found)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


@lru_cache(maxsize=1)  # a run has many places in one document
def _parsed(text: str) -> Any:
    return parsed_json(text, nan=True)


def _pointed(holder: Any, pointer: str) -> Any:
    """Follow a JSON pointer (RFC 6901)."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        holder = holder[int(key)] if isinstance(holder, list) else holder[key]
    return holder


def _compact(found: Any) -> str:
    # repr-like text of a huge holder would be made whole only to be cut.
    if isinstance(found, list) and len(found) > SHOWN:
        found = found[:SHOWN]
    return re.sub(r"\s+", " ", str(found))
