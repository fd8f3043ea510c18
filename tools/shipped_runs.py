"""Write ``schema/shipped.json``: the digests of the runs that benchdb ships.

    python -m tools.shipped_runs          # make results

To read them from ``published/`` takes longer than a whole report does.
"""

import json
import sys

from benchdb.exchange.reader import read
from benchdb.exchange.record import Record
from benchdb.resources import folder


def shipped() -> dict[str, list[str]]:
    """Return the runs of each document by its digest; "" is that of the others."""
    digests: dict[str, set[str]] = {}
    for path in sorted(folder("published").rglob("*.jsonl")):
        with path.open("rb") as stream:
            for item in read(stream):
                if isinstance(item, Record):
                    digests.setdefault(item.source_digest or "", set()).add(item.digest)
    return {name: sorted(digests[name]) for name in sorted(digests)}


def encoded() -> str:
    """Return them as the file has them, a run in a line."""
    return json.dumps(shipped(), indent=0) + "\n"


if __name__ == "__main__":
    sys.stdout.write(encoded())
