"""JSON with sorted keys, so that equal content is equal text in every database."""

import json
from typing import Any

import msgspec

from benchdb.identity import undisputed

_encoder = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))
_quick = msgspec.json.Encoder(order="sorted")


def sorted_json(value: Any) -> str | None:
    """Return *value* as JSON with sorted keys; ``None`` stays ``None``."""
    if value == {}:  # most are
        return "{}"
    if value is None:
        return None
    if undisputed(value):
        try:
            return _quick.encode(value).decode()
        except UnicodeEncodeError:  # half a character, which no database takes
            pass
    return _encoder.encode(value)
