"""``benchdb machines here``: what would be shared of this machine; another id."""

import json
import sys
from typing import Any

import typer
from sqlalchemy import Engine

from benchdb.cli.console import AsJson, counted, flag, plain
from benchdb.cli.user_database import Db, existing
from benchdb.collecting.programs import ask_machine, fingerprint
from benchdb.errors import BenchdbError, UsageError

_MEANS = (
    "Another id: who has files of yours cannot tell that later ones are of the same "
    "machine. In this database alone what it measured so far stays linked with what it "
    "will measure, by a machine link, which no export has. What you shared before "
    "keeps the former id."
)


def here(
    as_json: AsJson = False,
    renew_id: bool = flag("Give this machine another anonymous id.", "--renew-id"),
    yes: bool = flag("Renew without asking.", "--yes"),
    db: Db = None,
) -> None:
    """Show what would be shared about this machine.

    Nothing more is: no host name, user name, serial number, hardware address or home
    path is read into a result; the machine's identity is a random number.
    """
    facts = fingerprint()
    if renew_id:
        _renew(facts["machine"].get("anonymous_id"), db, sure=yes)
        return
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    for title, section in facts.items():
        typer.echo(title)
        for line in _lines(section):
            typer.echo(f"  {line}")


def _lines(section: dict[str, Any], prefix: str = "") -> list[str]:
    lines: list[str] = []
    for name, fact in section.items():
        if isinstance(fact, dict):
            lines += _lines(fact, f"{prefix}{name}.")
        elif name not in ("type", "key"):
            shown = fact if isinstance(fact, str) else json.dumps(fact)
            lines.append(f"{prefix}{name}: {shown}")
    return lines


def _renew(former: str | None, db: str | None, *, sure: bool) -> None:
    engine = existing(db)  # may ask as well, or refuse
    if not sure:
        _agree(former)
    line = ask_machine(["--renew-id"])
    if "anonymous_id" not in line:
        reason = line.get("missing", {}).get("anonymous_id", "no reason given")
        raise BenchdbError(f"this machine has no id now: {reason}")
    typer.echo(plain(f"this machine is {line['anonymous_id']} from now on"))
    if former is not None and engine is not None:
        _link(engine, former, line)


def _link(engine: Engine, former: str, line: dict[str, Any]) -> None:
    """Let the machine of *line* be the same as those of mine with the *former* id.

    It is in the database from now on, before it has measured anything.
    """
    from benchdb.exchange.messages import Machine  # noqa: PLC0415  heavy
    from benchdb.exchange.record import digest_of  # noqa: PLC0415  heavy
    from benchdb.store import machines, results, rows  # noqa: PLC0415  heavy
    from benchdb.store.database import writing  # noqa: PLC0415  heavy
    from benchdb.store.write import Writer  # noqa: PLC0415  heavy

    now = rows.converted(Machine, line)
    with writing(engine) as connection, results.following(connection):
        if own := machines.mine_with(connection, former):
            writer = Writer(connection)
            writer.add(rows.of_machine(now))
            writer.flush()
            machines.unite(connection, [*own, digest_of(now)])
    if own:
        typer.echo(f"linked in this database: {counted(len(own), 'former machine')}")


def _agree(former: str | None) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("nobody can be asked here; add --yes to renew the id")
    typer.echo(f"{_MEANS}\nIt is {former or 'unknown'} now.", err=True)
    if not typer.confirm("Renew it?", default=False, err=True):
        raise typer.Exit(1)
