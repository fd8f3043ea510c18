"""A column of JSON, kept as text on every database."""

import json
from typing import Any

from sqlalchemy import Text, TypeDecorator
from sqlalchemy.engine import Dialect

from benchdb.sorted_json import sorted_json


class Json(TypeDecorator[Any]):
    """JSON as text with sorted keys, so equal content is equal bytes everywhere."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Return *value* as JSON text; ``None`` stays NULL."""
        return sorted_json(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Return the object that the text stands for."""
        if value == "{}":
            return {}
        return None if value is None else json.loads(value)
