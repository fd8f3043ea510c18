"""The JSON Schema of an exchange line, generated from the types that read it.

``python -m benchdb.exchange.schema`` prints ``schema/exchange.schema.json``.
"""

import json
import sys
from typing import Any

import msgspec

from benchdb.exchange.messages import FORMAT_VERSION, Line


def document() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) that every line of a file satisfies."""
    (schema,), components = msgspec.json.schema_components(
        [Line], ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a benchdb exchange file, format {FORMAT_VERSION}",
        **schema,
        "$defs": components,
    }


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
