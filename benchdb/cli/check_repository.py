"""``benchdb check-repo``: check a collection, or what a pull request proposes to it."""

import json
from pathlib import Path

import msgspec
import typer

from benchdb.cli.console import AsJson, argument, option, plain
from benchdb.files import replacing

app = typer.Typer(add_completion=False)


@app.command()
def check_repo(
    folder: Path = argument("A clone of the collection.", "DIR", default=Path()),
    base: str | None = option(
        "Check only what the last commit changes against this.", "REF"
    ),
    comment: Path | None = option(
        "Write Markdown: the problems, and new figures beside their bin.", "FILE"
    ),
    as_json: AsJson = False,
) -> None:
    """Check a collection, or what a pull request proposes to it.

    Every problem is a line: where, what, what to try. What only looks implausible is a
    warning. Only commits count, not the work tree.
    """
    from benchdb.repository import holdings  # noqa: PLC0415  heavy
    from benchdb.repository.checking import check  # noqa: PLC0415  heavy

    checked = check(folder, base)
    notes = checked.standing.notes if checked.standing else ()
    if comment is not None:
        text = holdings.markdown(checked.headline, checked.problems, checked.standing)
        with replacing(comment) as stream:
            stream.write(text.encode())
    if as_json:
        typer.echo(
            json.dumps(msgspec.to_builtins(checked, order="deterministic"), indent=2)
        )
    else:
        for problem in checked.problems:
            typer.echo(plain(f"problem: {problem}"))
        for note in notes:
            typer.echo(plain(f"warning: {note}"))
        typer.echo(plain(checked.headline))
    if checked.problems:
        raise typer.Exit(1)
