"""A column of JSON, kept as text on every database."""

import json
from typing import Any

from sqlalchemy import Text, TypeDecorator
from sqlalchemy.engine import Dialect

from benchdb.errors import DatabaseError

_EMPTY: dict[str, type[Any]] = {"{}": dict, "[]": list}


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
        if value in _EMPTY:  # most are
            return _EMPTY[value]()
        try:
            return None if value is None else json.loads(value)
        except ValueError as error:
            raise DatabaseError(f"a column has no JSON: {error}") from error
