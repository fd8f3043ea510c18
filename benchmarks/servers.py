"""A PostgreSQL server for as long as it is measured, and new databases on it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.costs import CannotMeasureError, NotHereError
from tools.machine_needs import server_programs

NAME, EMPTY = "benchdb_benchmark", "benchdb_benchmark_empty"
_KIND = "postgresql+psycopg://"


@contextmanager
def address(given: str | None) -> Iterator[str]:
    """Give the URL of the server: the one *given*, or one that is started for this."""
    if given is not None:
        yield _checked(given)
        return
    try:
        from tests.postgres import server  # noqa: PLC0415  needs the extra
    except ModuleNotFoundError as error:
        raise NotHereError(f"PostgreSQL needs the package {error.name}") from None
    if server_programs() is None:
        raise NotHereError("no PostgreSQL here; install it, or give --postgres")
    # The path of a socket may have 107 characters.
    with tempfile.TemporaryDirectory() as room, server(Path(room)) as result:
        yield result.address("postgres")


def _checked(given: str) -> str:
    from sqlalchemy import make_url  # noqa: PLC0415  only where it is measured
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    if not given.startswith(_KIND):
        raise CannotMeasureError(f"--postgres takes a URL that starts with {_KIND}")
    try:
        make_url(given)
    except (ArgumentError, ValueError) as error:
        raise CannotMeasureError("--postgres cannot be understood") from error
    return given


@contextmanager
def database(server: str, name: str, template: str = "template0") -> Iterator[str]:
    """Give the URL of a new database as *template* is; it is dropped afterwards."""
    import psycopg  # noqa: PLC0415  of the extra 'postgres'
    from sqlalchemy import make_url  # noqa: PLC0415  only where it is measured

    url = make_url(server)
    plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
    drop = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
    try:
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(drop)
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
            try:
                yield url.set(database=name).render_as_string(hide_password=False)
            finally:
                connection.execute(drop)
    except psycopg.Error as error:
        raise CannotMeasureError(f"PostgreSQL: {str(error).splitlines()[0]}") from error
