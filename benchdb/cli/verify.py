"""``benchdb verify``: whether a file is as it was made, and who signed it."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import typer
from sqlalchemy import inspect

from benchdb.bundles.allowed_signers import Signers, read_signers
from benchdb.bundles.verifying import Verdict, verify
from benchdb.cli.application import refuse_others
from benchdb.cli.console import NAME_LIMIT, argument, counted, flag, option, plain
from benchdb.cli.user_database import Db
from benchdb.errors import UsageError
from benchdb.store.database import connected, reading
from benchdb.store.postgresql.server import is_address
from benchdb.store.signers import known_signers
from benchdb.store.tables import signer
from benchdb.user_data import location_of

app = typer.Typer(add_completion=False)

_of_corpus = partial(option, panel="Published figures")
_OF_CORPUS = ("corpus", "source", "published")
_ALTERED, _NOT_REQUIRED = 1, 3  # exit statuses


@app.command()
def verify_command(
    context: typer.Context,
    file: Path | None = argument(
        "A bundle, or an exchange file.", "FILE", show_default=False, default=None
    ),
    signers: Path | None = option(
        "Known keys, as allowed_signers of ssh-keygen, in place of yours.", "FILE"
    ),
    revoked: Path | None = option("Keys that were revoked, one a line.", "FILE"),
    require_signature: bool = flag(
        "Fail unless a known key signed it.", "--require-signature"
    ),
    corpus: Path | None = _of_corpus(
        "Compare them with documents fetched again, a folder for each source.", "DIR"
    ),
    source: list[str] | None = _of_corpus("Only this source; repeatable.", "NAME"),
    published: Path | None = _of_corpus(
        "Files and maps in place of those that are shipped.", "DIR"
    ),
    db: Db = None,
) -> None:
    """Tell whether a file is as it was made, and who signed it.

    Nothing is imported. Exit status: 0 it is intact; 1 it was altered, or is no bundle
    and no exchange file; 3 it is intact, but --require-signature is not met.
    """
    if corpus is not None:
        refuse_others(context, _OF_CORPUS, "--corpus", "no file is signed there")
        from benchdb.cli.verify_corpus import verify_corpus  # noqa: PLC0415

        verify_corpus(corpus, source or (), published)
        return
    if source or published:
        raise UsageError("--source and --published go with --corpus")
    if file is None:
        raise UsageError("name a FILE, or a folder of documents with --corpus")
    if revoked is not None and signers is None:
        raise UsageError(
            "--revoked goes with --signers; 'benchdb trust --revoke KEY' tells the "
            "database"
        )
    known = _of_database(db) if signers is None else read_signers(signers, revoked)
    verdict = verify(file, known=known, at=datetime.now(UTC).date())
    if verdict.state == "altered":
        typer.echo(plain(f"{file}: altered at {verdict.where}: {verdict.why}"))
        raise typer.Exit(_ALTERED)
    typer.echo(plain(f"{file}: {_verdict_text(verdict)}"))
    if require_signature and verdict.trust != "known":
        typer.echo("benchdb: it is not signed by a known key, as required", err=True)
        raise typer.Exit(_NOT_REQUIRED)


def _of_database(db: str | None) -> Signers:
    """Return the signers of a database as it is: one that is older has none."""
    location = location_of(db)
    if not is_address(location) and not Path(location).exists():
        return Signers()
    with reading(connected(location, read_only=True)) as connection:
        older = not inspect(connection).has_table(signer.name)
        return Signers() if older else known_signers(connection)


def _verdict_text(verdict: Verdict) -> str:
    runs = counted(verdict.runs, "run")
    if verdict.manifest is None:
        return (
            f"unsigned, intact as far as it can be told: its lines are valid ({runs})"
        )
    made = f"intact, {runs}, made by {verdict.manifest.producer[:NAME_LIMIT]}"
    key = None if verdict.key is None else verdict.key.fingerprint
    by = signer_text(key, verdict.name, verdict.trust)
    note = f"; {verdict.note}" if verdict.note else ""
    return f"{made} {verdict.manifest.producer_version[:NAME_LIMIT]}; {by}{note}"


def signer_text(fingerprint: str | None, name: str | None, trust: str) -> str:
    """Say who signed, and what that is worth."""
    if fingerprint is None:
        return "not signed"
    who = f"{(name or '')[:NAME_LIMIT]} ({fingerprint})"
    match trust:
        case "known":
            return f"signed by {who}"
        case "unknown":
            return (
                f"signed with the unknown key {fingerprint}; if you know whose it is: "
                f"benchdb trust {fingerprint} NAME"
            )
        case "expired":
            return f"signed by {who}, whose key has expired"
    return f"signed by {who}, whose key was revoked"
