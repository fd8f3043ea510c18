"""An older database: the upgrade is offered, and told with where the backup is."""

import sys

import typer
from sqlalchemy import Connection

from benchdb.cli.counts import counted
from benchdb.cli.plain import plain
from benchdb.store.migrate import SCHEMA_REVISION, Older

_DECISIONS = "0007"  # the schema that brought them


def offered(older: Older) -> bool:
    """Ask whether to upgrade; where nobody can answer, upgrade a file and say so.

    A server is of others as well: there nobody upgrades by the way.
    """
    what = f"{older.name} has the older schema {older.schema}"
    asking = sys.stdin.isatty() and sys.stderr.isatty()
    if older.backup is None:
        if asking:
            question = f"{what}. Back it up (pg_dump). Upgrade to {SCHEMA_REVISION}?"
            return typer.confirm(plain(question), default=False, err=True)
        return False
    kept = f"as it is now, it stays in {older.backup}"
    if asking:
        question = f"{what}. Upgrade to {SCHEMA_REVISION}; {kept}?"
        return typer.confirm(plain(question), default=True, err=True)
    told = f"benchdb: {what}; upgrading it to {SCHEMA_REVISION}, {kept}"
    typer.echo(plain(told), err=True)
    return True


def renewed(connection: Connection, since: str) -> None:
    """Derive anew what the older schema *since* had less of."""
    # All rules, and what reads and writes runs: most commands never need them.
    from benchdb.store.derived import renew  # noqa: PLC0415  heavy
    from benchdb.store.editions import proposals  # noqa: PLC0415  heavy

    renew(connection, since)
    if since < _DECISIONS and (found := proposals(connection)):
        some = counted(len({one.outdated for one in found}), "source")
        typer.echo(
            f"benchdb: outdated so far by what other sources say: {some}; that is a "
            "proposal now, and both count: decide with 'benchdb sources'",
            err=True,
        )
