"""The options that ``collect`` and ``plan`` share, and what they lead to."""

import inspect
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial, wraps
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from sqlalchemy import Engine

from benchdb.catalogue import collected
from benchdb.cli.console import argument, flag, option, warn
from benchdb.cli.waiting_line import waiting
from benchdb.collecting.costs import devices_of, guesses, stored_rates
from benchdb.collecting.history import (
    Expected,
    Past,
    expected,
    on_like_machines,
    on_machine,
)
from benchdb.collecting.plan import Plan, Request
from benchdb.collecting.preflight import spoilers
from benchdb.collecting.processes import Isolation
from benchdb.collecting.programs import Description, collectors, survey
from benchdb.collecting.pythons import active_elsewhere, python_of
from benchdb.errors import UsageError
from benchdb.grading import load_per_cpu
from benchdb.store.database import reading

# No matrix and no batch is as large; what is could not be told in an exchange file.
_LARGEST = 2**31 - 1
_COUNT: Any = {"min": 1, "max": _LARGEST}
# Other work for each CPU that counts: more of it waits for the disk, mostly.
_BUSIEST = 8.0
_S = TypeVar("_S")

_WHAT = "What to measure"
_what, _how = partial(option, panel=_WHAT), partial(option, panel="How thoroughly")
_VARIANT, _WHERE = "Other than usual", "Where, and with what"
_variant = partial(option, panel=_VARIANT)
_where = partial(option, panel=_WHERE)

Isolated = Annotated[
    bool,
    flag(
        "Each framework in an environment that uv makes for it.",
        "--isolated",
        panel=_WHERE,
        default=...,
    ),
]
Python = Annotated[
    str | None,
    _where(
        "Use the frameworks of another venv or conda environment.",
        "PATH",
        "--python",
        show_default=False,
        default=...,
    ),
]


class _Options:
    """What can be asked of a campaign: the fields of ``Request`` and ``Settings``."""

    workloads: list[str] | None = argument(
        "Names, see 'benchdb workloads'; without one a suite.",
        "[WORKLOAD…]",
        show_default=False,
        panel=_WHAT,
        default=None,
    )
    suite: str = _what("A list of workloads", "NAME", default="standard")
    framework: list[str] | None = _what(
        "torch, mlx, tensorflow, numpy; repeatable (default: all)", "NAME"
    )
    metal: bool | None = _what(
        "Only the GPU of this Mac, or not at all.", None, "--metal/--no-metal"
    )
    cuda: bool | None = _what(
        "Only the NVIDIA GPU, or not at all.", None, "--cuda/--no-cuda"
    )
    precision: list[str] | None = _what(
        "fp32, tf32, bf16, fp16, fp64; repeatable (default: fp32)", "NAME"
    )
    tier: str = _how("smoke, quick, standard, reference", "NAME", default="quick")
    replicates: int | None = _how(
        "Processes of each cell, in place of the tier's.", **_COUNT
    )
    seed: int = _how(
        "Of random data, weights and order (default: 0)",
        min=0,
        max=2**32 - 1,
        show_default=False,
        default=0,
    )
    cool_down: int | None = _how(
        "Wait for the GPU to cool, so long at most.", "SECONDS", min=0, max=_LARGEST
    )
    batch_size: list[int] | None = _variant(
        "In place of the workload's; repeatable.", **_COUNT
    )
    size: list[int] | None = _variant(
        "Rows of square matrices, for matmul; repeatable.", **_COUNT
    )
    setting: str | None = _variant(
        "Run it as a source did, see 'benchdb workloads'.", "NAME"
    )
    points: list[str] | None = _variant(
        "Another parameter, as trainable=last; repeatable.", "KEY=VALUE", "--set"
    )
    compiler: str | None = _variant(
        "eager, inductor[-graphs], graph, xla, mx.compile", "NAME"
    )
    memory_format: str | None = _variant(
        "Of images in torch: contiguous, channels_last", "NAME"
    )
    optimizer_implementation: str | None = _variant(
        "Of torch: default, foreach, fused", "X"
    )
    steps_per_epoch: int | None = _variant(
        "Shorten the epochs that a source trained.", **_COUNT
    )
    blocks_only: bool = flag(
        "Leave out what the source of a workload did.", "--blocks-only", panel=_VARIANT
    )
    data: str | None = _variant(
        "Real MNIST and CIFAR-10 files, if you have them.", "DIR"
    )
    isolated: Isolated = False
    python: Python = None
    powermetrics: bool = flag(
        "Measure energy on a Mac, by sudo -n powermetrics.",
        "--powermetrics",
        panel=_WHERE,
    )


def campaign_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give *command* these options before its own; ``chosen`` reads what was given."""
    hints = get_type_hints(_Options, include_extras=True)
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(_Options, name),
            annotation=hint,
        )
        for name, hint in hints.items()
    ]
    own = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in inspect.signature(command).parameters.values()
    ]

    @wraps(command)
    def given(**values: Any) -> None:
        command(**{name: values[name] for name in values if name not in hints})

    given.__dict__["__signature__"] = inspect.Signature([*options, *own])
    return given


def chosen(context: typer.Context, kind: type[_S], **more: Any) -> _S:
    """Return a struct of *kind* from the options that have the names of its fields."""
    fields = kind.__struct_fields__  # type: ignore[attr-defined]
    options = {name: context.params[name] for name in fields if name in context.params}
    return kind(**options | more)


def usable(request: Request, *, isolated: Isolation) -> list[Description]:
    """Return the frameworks to plan with, of which one is there at least.

    Those asked for must be there.
    """
    programs, faults = collectors()
    for fault in faults:
        warn(fault)
    wanted = set(request.members())
    # Ours import their frameworks to answer, which nobody waits for in vain.
    able = [
        name
        for name, its in programs.items()
        if wanted & (collected().keys() if its.ours else {*its.workloads})
    ]
    asked = tuple(dict.fromkeys(request.framework or able))
    described = survey(asked, isolated=isolated)
    for description in described:
        if description.version is None and request.framework:
            raise UsageError(
                description.why or f"{description.framework} is not installed"
            )
    if all(item.version is None for item in described):
        reasons = "; ".join(item.why or item.framework for item in described)
        there = active_elsewhere()
        hint = (
            f"; the environment that is active here: --python {there}" if there else ""
        )
        raise UsageError(f"no framework to measure with: {reasons}{hint}")
    return described


def isolation(options: Mapping[str, Any]) -> Isolation:
    """Return which environment collectors run in, of --isolated and --python."""
    python = options["python"]
    if python is None:
        return bool(options["isolated"])
    if options["isolated"]:
        raise UsageError(
            "--isolated and --python contradict each other: uv makes an environment, "
            "or there is one"
        )
    with waiting("trying that Python"):
        return python_of(python)


def campaign_name() -> str:
    """Return a name for a campaign that begins now; names sort by time."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def warn_of_spoilers(fingerprint: dict[str, Any]) -> None:
    """Say what would spoil a measurement; it is recorded with every run anyway."""
    for spoiler in spoilers(fingerprint):
        warn(f"{spoiler.what}; {spoiler.advice}")


def estimated(
    planned: Plan, machine: Mapping[str, Any], engine: Engine | None, tier: str
) -> list[Expected]:
    """Return what a process of each cell takes on this *machine*, by its fingerprint.

    As it took here, else by stored figures, else by its operations.
    """
    its = machine["machine"]
    cards = [
        device["name"]
        for device in machine["system"].get("devices", ())
        if device["kind"] != "cpu"
    ]
    kinds = {cell.device for cell in planned.cells} - {"cpu"}
    own = devices_of(
        its.get("chip", {}), dict.fromkeys(kinds, cards[0] if cards else None)
    )
    seen, past, others = [], list[Past](), list[Past]()
    if engine is not None:
        with reading(engine) as connection:
            seen = stored_rates(connection, planned.cells)
            if identity := its.get("anonymous_id"):
                past = on_machine(connection, identity, tier)
            names = filter(None, cards)
            others = on_like_machines(connection, its.get("chip", {}), names, tier)
    load = min(load_per_cpu(machine.get("conditions", {})) or 0.0, _BUSIEST)
    return expected(planned, past, guesses(planned, tier, own, seen, load), others)
