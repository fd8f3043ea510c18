"""The options of ``report``, apart from what they lead to."""

from pathlib import Path
from typing import Annotated

import typer

Lang = Annotated[
    list[str] | None,
    typer.Option(help="Languages: de, fr, ko …, several or all [default: yours]"),
]
Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        help="html, markdown, csv, json, sqlite, several or all [default: all]",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        help="Folder to write into; - writes one file to standard output. "
        "[default: report]",
        show_default=False,
    ),
]
Site = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Write all languages for a static host into DIR, with an index.html.",
    ),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check", help="Write nothing; fail if a file is not as it would be written."
    ),
]
Baseline = Annotated[
    str | None, typer.Option(help="System that the ranking compares with.")
]
Highlight = Annotated[
    str | None,
    typer.Option(
        help="Machine to mark in place of yours: its anonymous id, or a run of it; "
        "6 letters do."
    ),
]
Chip = Annotated[
    list[str] | None, typer.Option(help="Only what ran on this chip; repeatable.")
]
Workload = Annotated[
    list[str] | None, typer.Option(help="Only this workload; repeatable.")
]
Framework = Annotated[
    list[str] | None, typer.Option(help="Only this framework; repeatable.")
]
Device = Annotated[
    list[str] | None, typer.Option(help="Only cpu, metal, cuda …; repeatable.")
]
Precision = Annotated[
    list[str] | None, typer.Option(help="Only fp32, bf16 …; repeatable.")
]
Source = Annotated[list[str] | None, typer.Option(help="Only this source; repeatable.")]
Grade = Annotated[
    list[str] | None,
    typer.Option(help="Only runs graded A, B, C, I or X; repeatable, or A,B."),
]
Everything = Annotated[
    bool,
    typer.Option(
        "--all",
        help="All runs of a large database, not only the newest that have room.",
    ),
]
