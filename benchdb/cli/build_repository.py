"""``benchdb build-repo``: build the site, database and metadata of a collection."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchdb.cli.console import counted, option, plain

app = typer.Typer(add_completion=False)


@app.command()
def build_repo(
    output: Annotated[
        Path,
        option(
            "A new folder, or that of the last build.",
            None,
            "-o",
            "--output",
            show_default=False,
        ),
    ],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A clone of the collection.")
    ] = Path(),
    base_url: Annotated[str | None, option("Where all of it will be.", "URL")] = None,
    lang: Annotated[
        list[str] | None, option("Languages: de, fr, ko …, or all [default: all]")
    ] = None,
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
