"""PostgreSQL: readers see one moment, writers take turns."""

import re

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    NullPool,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.exc import ArgumentError

from benchdb.errors import UsageError
from benchdb.store.writers import WRITES

_TURN = 0x62656E6368  # the lock's name: any number that nothing else here takes
# password, sslpassword, passfile, oauth_client_secret, scram_client_key
_SECRETS = ("pass", "secret", "scram")
# Beside a secret, what has no such name is taken for the rest of it.
_NAMES = re.compile(
    r"user|dbname|host(addr)?|port|service|options|application_name|connect_timeout"
    r"|client_encoding|channel_binding|target_session_attrs|pass(word|file)"
    r"|(keepalives|gss|ssl|oauth_|scram_)\w*"
)
# How a connection string of libpq starts, or what none may show of it.
_LIBPQ = re.compile(
    r"\s*(user|dbname|host|hostaddr|port|service|sslmode)\s*=|.*\bpassword\s*=",
    re.IGNORECASE | re.DOTALL,
)


def is_address(location: str) -> bool:
    """Tell whether *location* is the address of a server, not the path of a file.

    Raise ``UsageError`` for a connection string of libpq, which has a password.
    """
    before, divided, _ = location.partition("://")
    if _LIBPQ.match(before):
        raise UsageError(
            "that is neither a path nor a URL; give the database as "
            "postgresql+psycopg://user@host/name"
        )
    return bool(divided)


def parsed(address: str) -> URL:
    """Return what *address* means.

    Raise ``ArgumentError`` or ``ValueError`` if that is not clear: part of a password
    would then count as something that messages show.
    """
    url = make_url(address)
    names = (url.username, url.host, url.database)
    unclear = address.count("@") > 1 or any(
        set("?=&") & set(name or "") for name in names
    )
    open_query = _open_query(url)
    if len(open_query) < len(url.query):
        unclear |= not all(map(_NAMES.fullmatch, url.query))
    if unclear or any(_LIBPQ.match(str(text)) for text in open_query.values()):
        raise ArgumentError("unclear")
    return url


def connect(address: str) -> Engine:
    """Return an engine for a database on a server."""
    # A command needs one or two connections and ends: none is kept open for later.
    engine = create_engine(
        parsed(address), isolation_level="REPEATABLE READ", poolclass=NullPool
    )
    event.listen(engine, "begin", _begin)
    return engine


def without_secrets(url: URL) -> URL:
    """Return *url* less its password, and less what its query has of the kind."""
    place = (url.username, None, url.host, url.port, url.database)
    return URL.create(url.drivername, *place, query=_open_query(url))


def _open_query(url: URL) -> dict[str, str | tuple[str, ...]]:
    """Return what the query of *url* has besides secrets."""
    return {
        name: value
        for name, value in url.query.items()
        if not any(word in name.lower() for word in _SECRETS)
    }


def _begin(connection: Connection) -> None:
    if connection.get_execution_options().get(WRITES):
        # Two imports that insert the same rows in different orders would deadlock.
        # The lock is of the database alone, and ends with the transaction.
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_TURN})")
