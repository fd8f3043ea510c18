"""What a stranger's source line says of others, and what a database makes of it."""

import json
from typing import Any

from tests.exchange_lines import HEADER
from tests.in_process import benchdb

TENSORBENCH = "1dab221bb0f7848cbca4beacade021ef90714beda402dbafa31eedfd1253c27c"
NEEDLE = "053130c2c4ac54f3722a9ce141ce9d3b7c6f1d45985f6fe617e433abfa0a16e7"


def lone_source(slug: str, **facts: Any) -> str:
    """Return an exchange file of a source line and nothing else."""
    line = {"type": "source", "key": "s", "slug": slug, "title": "Better", **facts}
    return HEADER.decode() + json.dumps(line) + "\n"


def proposals(location: object) -> list[dict[str, Any]]:
    """Return the proposals that ``benchdb sources`` lists."""
    listed = benchdb("sources", "--json", "--db", location)
    assert listed.status == 0, listed.err
    return [item for source in json.loads(listed.out) for item in source["proposals"]]
