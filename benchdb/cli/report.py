"""``benchdb report``: write comparison reports."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchdb.cli.options import Db, opened
from benchdb.collecting.programs import fingerprint
from benchdb.errors import UsageError
from benchdb.report.language import negotiate
from benchdb.report.summary import summarise
from benchdb.report.write import Format, write
from benchdb.store.database import reading

app = typer.Typer(add_completion=False)

_FORMATS: dict[str, tuple[Format, ...]] = {
    "html": ("html",),
    "markdown": ("markdown",),
    "all": ("html", "markdown"),
}


@app.command()
def report(
    lang: Annotated[
        list[str] | None,
        typer.Option(help="Languages: de, fr, ko …, several or all [default: yours]"),
    ] = None,
    format_: Annotated[
        str, typer.Option("--format", help="html, markdown or all.")
    ] = "all",
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder to write into.")
    ] = Path("report"),
    baseline: Annotated[
        str | None, typer.Option(help="System that the ranking compares with.")
    ] = None,
    highlight: Annotated[
        str | None,
        typer.Option(help="Anonymous id of a machine to mark; 'here' for this one."),
    ] = None,
    db: Db = None,
) -> None:
    """Write comparison reports: one self-contained HTML page, and Markdown with charts.

    The same database and options give the same bytes.
    """
    if format_ not in _FORMATS:
        raise UsageError(f"no format {format_!r}; there are: {', '.join(_FORMATS)}")
    languages = negotiate(lang or (), os.environ)
    engine = opened(db)
    here = _machine(highlight)
    with reading(engine) as connection:
        computed = summarise(connection, baseline=baseline, here=here)
    if highlight not in (None, "here") and not any(m.here for m in computed.machines):
        raise UsageError(
            f"no machine {highlight!r} to highlight; 'benchdb show RUN' tells the "
            "anonymous id of a run's machine"
        )
    for file in write(computed, languages, _FORMATS[format_], output):
        typer.echo(f"{file.path} ({file.size:,} bytes)")


def _machine(highlight: str | None) -> str | None:
    if highlight != "here":
        return highlight
    identity: str | None = fingerprint()["machine"].get("anonymous_id")
    return identity
