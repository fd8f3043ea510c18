"""PostgreSQL: readers see one moment, writers take turns."""

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    NullPool,
    create_engine,
    event,
    make_url,
)

from benchdb.store.writers import WRITES

_TURN = 0x62656E6368  # the lock's name: any number that nothing else here takes
_SECRETS = ("pass", "secret")  # password, sslpassword, passfile, oauth_client_secret


def connect(url: str) -> Engine:
    """Return an engine for a database on a server."""
    # A command needs one or two connections and ends: none is kept open for later.
    engine = create_engine(
        make_url(url), isolation_level="REPEATABLE READ", poolclass=NullPool
    )
    event.listen(engine, "begin", _begin)
    return engine


def without_secrets(url: URL) -> URL:
    """Return *url* less its password, and less what its query has of the kind."""
    query = {
        name: value
        for name, value in url.query.items()
        if not any(word in name.lower() for word in _SECRETS)
    }
    place = (url.username, None, url.host, url.port, url.database)
    return URL.create(url.drivername, *place, query=query)


def _begin(connection: Connection) -> None:
    if connection.get_execution_options().get(WRITES):
        # Two imports that insert the same rows in different orders would deadlock.
        # The lock is of the database alone, and ends with the transaction.
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_TURN})")
