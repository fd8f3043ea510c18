"""All checks of a database, one after the other."""

from collections.abc import Iterator

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from benchdb.store import drift, integrity
from benchdb.store.checks import derived_check, digest_check
from benchdb.store.error_text import why

_TOLD = 100  # problems of a kind; more of them say nothing new


def problems(connection: Connection, sample: int | None) -> Iterator[str]:
    """Yield a line for each problem; *sample* runs are looked into, or all of them."""
    checks = {
        "damage": integrity.damage(connection),
        "schema": drift.differences(connection),
        "reference": integrity.dangling(connection),
        "digest": digest_check.wrong_digests(connection, sample),
        "derived": derived_check.differences(connection),
    }
    for kind, found in checks.items():
        for number, problem in enumerate(_each(connection, found)):
            if number == _TOLD:
                yield f"{kind}: and more than {_TOLD}"
                break
            yield f"{kind}: {problem}"


def _each(connection: Connection, found: Iterator[str]) -> Iterator[str]:
    """Yield what is found; where one check cannot go on, the next ones still can."""
    try:
        with connection.begin_nested():
            yield from found
    except (SQLAlchemyError, *digest_check.UNREADABLE) as error:
        yield f"cannot be checked: {why(error)}"
