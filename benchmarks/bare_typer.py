"""The least that a command line costs: typer, and two commands that do nothing."""

import typer

app = typer.Typer()


@app.command()
def one() -> None:
    """Do the one."""


@app.command()
def two() -> None:
    """Do the other."""


if __name__ == "__main__":
    app()
