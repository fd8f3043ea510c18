"""``benchdb build-repo``: build the site, database and metadata of a collection."""

import os
from pathlib import Path

import typer

from benchdb.cli.console import argument, counted, option, plain

app = typer.Typer(add_completion=False)


@app.command()
def build_repo(
    output: Path = typer.Option(
        ...,
        *("-o", "--output"),
        help="A new folder, or that of the last build.",
        show_default=False,
    ),
    folder: Path = argument("A clone of the collection.", "DIR", default=Path()),
    base_url: str | None = option("Where all of it will be.", "URL"),
    lang: list[str] | None = option("Languages: de, fr, ko …, or all [default: all]"),
) -> None:
    """Build the site and database of a collection from its bundles.

    The same commit gives the same bytes; the digest of all of them is printed. Beside
    the site there are tables as JSON Lines, results.sqlite, badges and croissant.json.
    """
    from benchdb.report.language import negotiate  # noqa: PLC0415  heavy
    from benchdb.repository.publication import build  # noqa: PLC0415  heavy
    from benchdb.site.pages import Frame, checked_base  # noqa: PLC0415  heavy

    codes = negotiate(lang or ["all"], os.environ)
    built = build(folder, output, Frame(tuple(codes), checked_base(base_url)))
    size = f"{counted(built.files, 'file')}, {built.size / 1e6:,.1f} MB"
    typer.echo(plain(f"{output}: {size}; SHA-256 of all: {built.digest}"))
