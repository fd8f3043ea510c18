"""Options that several commands have, apart from what they lead to."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

# No matrix and no batch is as large; what is could not be told in an exchange file.
_LARGEST = 2**31 - 1

Workloads = Annotated[
    list[str] | None, typer.Argument(metavar="[WORKLOAD…]", show_default=False)
]
Suite = Annotated[
    str, typer.Option(help="Workloads, when none is named; 'benchdb workloads' lists.")
]
Framework = Annotated[
    list[str] | None,
    typer.Option(help="torch, tensorflow, numpy; repeatable (default: all here)"),
]
Metal = Annotated[
    bool | None,
    typer.Option("--metal/--no-metal", help="The Metal GPU only, or not at all."),
]
Cuda = Annotated[
    bool | None,
    typer.Option("--cuda/--no-cuda", help="The CUDA GPU only, or not at all."),
]
Tier = Annotated[str, typer.Option(help="smoke, quick, standard or reference.")]
Precision = Annotated[
    list[str] | None,
    typer.Option(help="fp32, tf32, bf16, fp16 or fp64; repeatable (default: fp32)"),
]
BatchSize = Annotated[
    list[int] | None,
    typer.Option(
        min=1, max=_LARGEST, help="Instead of the workload's own; repeatable."
    ),
]
Size = Annotated[
    list[int] | None,
    typer.Option(
        min=1, max=_LARGEST, help="Of square matrices, for a sweep of them; repeatable."
    ),
]
Setting = Annotated[
    str | None, typer.Option(help="Of a workload that has several: how a source ran it")
]
Points = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Of another axis of a sweep, such as trainable=last; repeatable.",
    ),
]
Compiler = Annotated[
    str | None,
    typer.Option(help="eager, inductor, graph or xla (default: the framework's usual)"),
]
MemoryFormat = Annotated[
    str | None, typer.Option(help="Of images, with torch: contiguous or channels_last.")
]
OptimizerImplementation = Annotated[
    str | None, typer.Option(help="With torch: default, foreach or fused.")
]
BlocksOnly = Annotated[
    bool,
    typer.Option("--blocks-only", help="Leave out what the source of a workload did."),
]
StepsPerEpoch = Annotated[
    int | None,
    typer.Option(
        min=1, max=_LARGEST, help="Of the source's epochs, where it trained so."
    ),
]
Data = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Real MNIST and CIFAR-10 files, if you have them"),
]
Replicates = Annotated[
    int | None,
    typer.Option(
        min=1, max=_LARGEST, help="Processes per cell, instead of the tier's."
    ),
]
Seed = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, help="For data, weights and the order.")
]
CoolDown = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=_LARGEST,
        metavar="S",
        help="Wait at most so long for the GPU to cool before each process, in seconds "
        "(default: by the tier)",
    ),
]
PowerMetrics = Annotated[
    bool,
    typer.Option("--powermetrics", help="On a Mac, energy by sudo -n powermetrics."),
]
Isolated = Annotated[
    bool,
    typer.Option("--isolated", help="An environment for each framework, made by uv."),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Say what would run, and how long; run nothing."),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with the newest campaign that is not finished, or the one named.",
    ),
]


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
