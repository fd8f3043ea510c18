"""The database of a collection: made anew from its bundles, in a folder that goes."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, func, select, update

from benchdb.bundles.allowed_signers import Signer
from benchdb.merge import import_or_raise
from benchdb.repository.contributors import Contributors
from benchdb.repository.tombstones import Tombstone
from benchdb.store.database import open_database, writing
from benchdb.store.forgetting import RUN, Target, forget
from benchdb.store.signers import trust
from benchdb.store.tables import run, signature, signer

_NEVER = "1970-01-01T00:00:00Z"


@contextmanager
def assembled(
    room: Path,
    paths: Sequence[str],
    known: Contributors,
    tombstones: Mapping[str, Tombstone],
) -> Iterator[Engine]:
    """Give a database of the bundles at *paths* below *room*, less what is forgotten.

    Nothing in it is mine, and the signers are the contributors. Raise ``BenchdbError``
    for a bundle that cannot be taken whole.
    """
    with tempfile.TemporaryDirectory(prefix="benchdb-") as folder:
        engine = open_database(str(Path(folder) / "results.sqlite"), create=True)
        _introduce(engine, known)
        import_or_raise(engine, [room / path for path in sorted(paths)])
        with writing(engine) as connection:
            _remove(connection, tombstones)
            _date(connection)
        yield engine
        engine.dispose()


def _introduce(engine: Engine, known: Contributors) -> None:
    """Let the database know the contributors' keys before it meets what they sign."""
    with writing(engine) as connection:
        for name, keys in known.keys.items():
            for key in keys:
                gone = key.fingerprint in known.revoked
                trust(connection, Signer(key, name, revoked=gone))


def _date(connection: Connection) -> None:
    """Let what says when it came say when the newest run began: clocks are no data."""
    last = connection.scalar(select(func.max(run.c.started))) or _NEVER
    connection.execute(update(signature).values(imported=last))
    connection.execute(update(signer).values(added=last))


def _remove(connection: Connection, tombstones: Mapping[str, Tombstone]) -> None:
    for digest in sorted(tombstones):
        if connection.scalar(select(run.c.digest).where(run.c.digest == digest)):
            forget(connection, Target(RUN, digest, f"run {digest[:12]}"))
