"""The options that ``plan`` has beside those of ``collect``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How the items are written."""

    JSONL = "jsonl"
    COMMANDS = "commands"
    SLURM = "slurm"


Campaign = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Its name (default: made from the time)",
        show_default=False,
    ),
]
Elsewhere = Annotated[
    bool,
    typer.Option("--elsewhere", help="For machines that have what this one may lack."),
]
Python = Annotated[
    str, typer.Option(metavar="PROGRAM", help="What runs a collector there.")
]
Left = Annotated[
    Path | None,
    typer.Option(
        metavar="PLAN.jsonl",
        help="Of this plan, the items that the database has no run of.",
        show_default=False,
    ),
]
Form = Annotated[
    Format,
    typer.Option(
        "--format", help="JSON Lines, lines for a shell, or a job array of Slurm."
    ),
]
Exclusive = Annotated[
    bool, typer.Option(help="Whole nodes of Slurm: neighbours spoil a measurement.")
]
Output = Annotated[
    Path, typer.Option("-o", "--output", help="File to write; - is standard output.")
]
