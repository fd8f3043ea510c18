"""A column of JSON, kept as text on every database."""

import json
from functools import lru_cache
from typing import Any

from sqlalchemy import Text, TypeDecorator
from sqlalchemy.engine import Dialect

_SHORT = 256  # characters


class Json(TypeDecorator[Any]):
    """JSON as text with sorted keys, so equal content is equal bytes everywhere."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Return *value* as JSON text; ``None`` stays NULL."""
        from benchdb.sorted_json import sorted_json  # noqa: PLC0415  who reads needs none

        return sorted_json(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Return the object that the text stands for."""
        if value == "{}":
            return {}
        if value is None or len(value) > _SHORT:
            return None if value is None else json.loads(value)
        found = _parsed(value)
        return found.copy() if isinstance(found, dict | list) else found


@lru_cache(maxsize=4096)  # parameters and cards, which thousands of runs share
def _parsed(text: str) -> Any:
    return json.loads(text)
