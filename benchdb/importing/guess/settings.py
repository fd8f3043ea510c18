"""A workload that a map gives would count as ours: only its name is like ours."""

from typing import TypeVar

import msgspec

from benchdb.importing.mapping.language import Column, Heading, Table

_C = TypeVar("_C", Column, Heading)


def with_settings(table: Table, own: str) -> Table:
    """Return *table* with the setting *own* wherever it sets a workload."""
    return msgspec.structs.replace(
        table,
        columns={name: _unlike(one, own) for name, one in table.columns.items()},
        headings={text: _unlike(one, own) for text, one in table.headings.items()},
    )


def _unlike(one: _C, own: str) -> _C:
    if "workload" not in one.set or "setting" in one.set:
        return one
    return msgspec.structs.replace(one, set={**one.set, "setting": own})
