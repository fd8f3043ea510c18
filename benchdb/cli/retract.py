"""``benchdb retract``: withdraw a run of one's own, without deleting it."""

from datetime import UTC, datetime
from pathlib import Path

import typer

from benchdb.bundles import retracting
from benchdb.cli.console import argument, flag, option, plain
from benchdb.cli.export_bundle import signing_key
from benchdb.cli.user_database import Db, opened
from benchdb.cli.waiting_line import quiet
from benchdb.errors import UsageError
from benchdb.exchange.messages import Retraction
from benchdb.exchange.validation import unsayable
from benchdb.store import machines, withdrawing
from benchdb.store.database import reading, writing
from benchdb.store.read import find

app = typer.Typer(add_completion=False)


@app.command()
def retract(
    run: str = argument("A run id, or how it starts."),
    reason: str | None = option("Why, in a line that everybody can read.", "TEXT"),
    key: Path | None = option("Sign with this SSH key, not the usual one.", "FILE"),
    unsigned: bool = flag("Do not sign; it then counts here alone.", "--unsigned"),
    undo: bool = flag("Let a run count again that you withdrew here.", "--undo"),
    db: Db = None,
) -> None:
    """Withdraw a run of yours, without deleting it.

    It stays, with the reason, and counts in no figure. 'benchdb export' tells others,
    who believe it if you signed the run with the same key.
    """
    if undo == (reason is not None) or (undo and (unsigned or key)):
        raise UsageError("give --reason TEXT, or --undo alone")
    if reason is not None and (why := unsayable(reason)):
        raise UsageError(f"nothing was withdrawn: {why}")
    engine = opened(db, create=True)
    with reading(engine) as connection:
        digest = find(connection, run)
        mine = machines.is_mine(connection, digest)
    if reason is None:
        with writing(engine) as connection:
            withdrawing.undo(connection, digest)
        typer.echo(
            f"run {digest[:12]} is not withdrawn by you any more; who imported that "
            "already keeps it"
        )
        return
    if not mine:
        raise UsageError(
            f"run {digest[:12]} was not measured with this database, and only who "
            "measured a run withdraws it; 'benchdb forget' deletes it here"
        )
    day = datetime.now(UTC).date().isoformat()
    line = Retraction(run=digest, reason=reason.strip(), retracted=day)
    signer = signing_key(key, unsigned=unsigned)
    fingerprint = None
    if signer is not None:
        quiet()  # ssh-keygen may ask for a passphrase
        line, fingerprint = retracting.signed(line, signer)
    with writing(engine) as connection:
        withdrawing.retract(connection, line, fingerprint)
    outcome = (
        "without a signature others take it as a proposal"
        if signer is None
        else f"signed by {fingerprint}"
    )
    typer.echo(plain(f"run {digest[:12]} is withdrawn: {line.reason} ({outcome})"))
