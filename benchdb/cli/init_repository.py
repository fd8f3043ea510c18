"""``benchdb init-repo``: begin a collection as a git repository, or join one."""

from pathlib import Path

import typer

from benchdb.cli.console import argument, counted, option, plain
from benchdb.errors import UsageError

app = typer.Typer(add_completion=False)


@app.command()
def init_repo(
    folder: Path = argument(
        "A new or empty folder; with --contributor a clone of a collection.",
        "DIR",
        show_default=False,
    ),
    name: str | None = option("What the collection is called.", show_default="DIR"),
    contributor: str | None = option(
        "Add you to a collection: this name, bound to your SSH key.", "NAME"
    ),
    key: Path | None = option(
        "Your private key, or its .pub where an agent has it.",
        "FILE",
        show_default="the one git signs with, or ~/.ssh/id_ed25519",
    ),
    old_key: Path | None = option(
        "Your key so far, which has to sign another one.", "FILE"
    ),
) -> None:
    """Begin a collection of results as a git repository, or join one.

    It makes folders, rules and workflows for pull requests of signed bundles, and a
    page for contributors. Nothing is committed or sent anywhere.
    """
    # git and ssh-keygen, and what reads bundles: no other command needs them.
    from benchdb.repository import collection, contributors  # noqa: PLC0415  heavy

    if contributor is not None:
        if name is not None:
            raise UsageError("--name is of a new collection; leave it out")
        for path in contributors.join(folder, contributor, key, old_key):
            typer.echo(plain(str(path)))
        return
    if key is not None or old_key is not None:
        raise UsageError("a key is a contributor's; say who: --contributor NAME")
    written = collection.make(folder, name or folder.resolve().name)
    typer.echo(plain(f"{folder}: {counted(len(written), 'file')}; commit them"))
