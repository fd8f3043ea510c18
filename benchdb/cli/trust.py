"""``benchdb trust``: whose keys are known, until when, and which are mine."""

from datetime import date
from pathlib import Path

import typer
from sqlalchemy import Engine

from benchdb.bundles.allowed_signers import Signer
from benchdb.bundles.signatures import Key, public_key
from benchdb.cli.console import NAME_LIMIT, argument, counted, flag, option, plain
from benchdb.cli.user_database import Db, opened
from benchdb.errors import UsageError
from benchdb.store import machines, results, retractions, signers
from benchdb.store.database import reading, writing
from benchdb.store.signed_machines import flag_contradicting_signers

app = typer.Typer(add_completion=False)

_MET = ("SHA256:", "sigstore:")  # how keys are named that came with a bundle


@app.command()
def trust(
    key: str | None = argument(
        "A .pub file, the line in it, or the SHA256:… of a key that an "
        "imported bundle brought.",
        "KEY",
        default=None,
    ),
    name: str | None = argument(
        "Whose it is; several keys may have one name.", "NAME", default=None
    ),
    until: str | None = option("Let it count up to this day, as 2027-11-27.", "DATE"),
    mine: bool = flag("It is yours, and so are runs that it signed.", "--mine"),
    revoke: bool = flag("Let nothing count that KEY ever signed.", "--revoke"),
    db: Db = None,
) -> None:
    """Say whose key it is that signs bundles; list known keys.

    Without KEY, those are listed that are known, or came with an imported bundle.
    What is stored is public: the key, the name and your decision.
    """
    if key is None:
        if revoke or mine or until:
            raise UsageError("give KEY and NAME, or --revoke and KEY alone")
        _list(opened(db))
        return
    if revoke == (name is not None) or (revoke and (until or mine)):
        raise UsageError("give KEY and NAME, or --revoke and KEY alone")
    last = None if until is None else _day(until)
    engine = opened(db, create=True)
    with writing(engine) as connection:
        subject = _key(key) or signers.find_key(connection, key)
        before = signers.known_signers(connection).of(subject)
        if revoke:
            whose = subject.fingerprint if before is None else before.name
            own = before is not None and before.mine
            signer = Signer(subject, whose, revoked=True, mine=own)
        else:
            signer = Signer(subject, _name(name or ""), until=last, mine=mine)
        with results.following(connection) as changes:
            signers.trust(connection, signer)
            changes.touch(signers.signed_by(connection, subject.fingerprint))
            changes.touch(retractions.said_by(connection, subject.fingerprint))
            own_now = signers.take_as_mine(connection)
            machines.flag_foreign_ids(connection)
            changes.touch(flag_contradicting_signers(connection))
    typer.echo(plain(_line(signer, subject, None)))
    if own_now:
        typer.echo(f"{counted(len(own_now), 'run')} signed with it: yours from now on")


def _key(text: str) -> Key | None:
    """Return the key that *text* is or leads to; None where it names a known one."""
    if text.startswith(_MET):
        return None
    path = Path(text).expanduser()
    try:
        if " " not in text and path.is_file():
            text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: it is no text file") from error
    if "PRIVATE KEY" in text:
        raise UsageError(f"{path} is a private key, which nobody needs; name its .pub")
    return public_key(text)


def _name(name: str) -> str:
    text = " ".join(name.split())
    if not text or len(text) > NAME_LIMIT:
        raise UsageError(f"a name has 1 to {NAME_LIMIT} characters")
    return text


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no day; write it as 2027-11-27") from None


def _list(engine: Engine) -> None:
    with reading(engine) as connection:
        rows = signers.listed(connection)
    for signer, key, runs in rows:
        typer.echo(plain(_line(signer, key, runs)))
    if not rows:
        typer.echo("no key is known, and none came with a bundle")


def _line(signer: Signer | None, key: Key, runs: int | None) -> str:
    name = "unknown" if signer is None else signer.name[:NAME_LIMIT]
    marks = [] if runs is None else [counted(runs, "run")]
    if signer is not None:
        marks += [f"until {signer.until}"] if signer.until else []
        marks += ["revoked"] if signer.revoked else []
        marks += ["mine"] if signer.mine else []
    return f"{key.fingerprint}  {name}  {key.type}" + "".join(f"  {m}" for m in marks)
