"""The least that a command line costs: typer, and two commands that do nothing."""

import typer

app = typer.Typer()


@app.command()
def first() -> None:
    """Do the first."""


@app.command()
def second() -> None:
    """Do the other."""


if __name__ == "__main__":
    app()
