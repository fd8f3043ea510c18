"""The JSON Schema of an exchange line, generated from the types that read it.

``python -m benchdb.exchange.schema`` prints ``schema/exchange.schema.json``.
"""

import json
import sys
from typing import Any

import msgspec

from benchdb.exchange.messages import FORMAT_VERSION, Line

# A name, not an address: nobody has to be reachable for it.
IDENTITY = f"urn:benchdb:exchange:{FORMAT_VERSION}"


def document() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) that every line of a file satisfies."""
    (schema,), components = msgspec.json.schema_components(
        [Line], ref_template="#/$defs/{name}"
    )
    for each in components.values():
        kind = each["properties"].get("type")
        if kind is not None:
            kind["description"] = "Which line it is"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": IDENTITY,
        "title": f"A line of a benchdb exchange file, format {FORMAT_VERSION}",
        "description": "Strict JSON in UTF-8, one object a line; schema/README.md says "
        "in which order lines come.",
        **schema,
        "$defs": components,
    }


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
