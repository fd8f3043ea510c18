"""What the user asked for, and how a collector is asked for it."""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import suites, workloads
from benchdb.collecting.programs import Capability, Description, survey
from benchdb.errors import UsageError

DEVICES = ("cpu", "metal", "cuda")


class Request(msgspec.Struct, frozen=True):
    """What the user asked for; an empty tuple or ``None`` leaves the choice to us.

    *devices* maps ``metal`` and ``cuda`` to True (only that), False (not that) or
    None (where it is there, besides the CPU). *options* are choices that not every
    framework has, such as ``memory_format``; *points* are NAME=VALUE of sweeps.
    """

    workloads: tuple[str, ...] = ()
    suite: str = "standard"
    frameworks: tuple[str, ...] = ()
    devices: Mapping[str, bool | None] = {}
    tier: str = "quick"
    precisions: tuple[str, ...] = ()
    batch_sizes: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()
    setting: str | None = None
    points: tuple[str, ...] = ()
    compiler: str | None = None
    options: Mapping[str, str] = {}
    blocks_only: bool = False
    steps_per_epoch: int | None = None
    data: str | None = None
    replicates: int | None = None


def names(request: Request) -> tuple[str, ...]:
    """Return the workloads asked for by name, once each; none means the suite."""
    known = workloads()
    for name in request.workloads:
        if name not in known:
            raise UsageError(f"no workload {name!r}; there are: {', '.join(known)}")
    if not request.workloads and request.suite not in suites():
        raise UsageError(
            f"no suite {request.suite!r}; there are: {', '.join(suites())}"
        )
    return tuple(dict.fromkeys(request.workloads))


def members(request: Request) -> tuple[str, ...]:
    """Return the workloads asked for, by name or by suite, once each."""
    if named := names(request):
        return named
    entries = suites()[request.suite].entries
    return tuple(dict.fromkeys(entry.workload for entry in entries))


def obstacle(request: Request, framework: Description) -> str | None:
    """Return why *framework* cannot do what was chosen; None if it can try."""
    if request.tier not in framework.tiers:
        return f"no tier {request.tier!r}; there are: {', '.join(framework.tiers)}"
    offered = {"compiler": framework.compilers, **framework.options}
    for option, value in {"compiler": request.compiler, **request.options}.items():
        values = offered.get(option, ())
        words = option.replace("_", " ")
        if value is not None and not values:
            return f"no choice of {words}; there is one of {', '.join(offered)}"
        if value is not None and value not in values:
            return f"no {words} {value!r}; there are: {', '.join(values)}"
    return None


def arguments(request: Request, known: tuple[str, ...], device: str) -> list[str]:
    """Return the command line that asks a collector, which knows these workloads."""
    what = [*known] if request.workloads else ["--suite", request.suite]
    pairs = [("--device", device), ("--tier", request.tier), *_pairs(request)]
    pairs += [("--" + n.replace("_", "-"), v) for n, v in request.options.items()]
    given = [part for name, value in pairs for part in (name, value)]
    return [*what, *given, *(["--blocks-only"] if request.blocks_only else [])]


def _pairs(request: Request) -> Iterator[tuple[str, str]]:
    """Yield the options that were given, those that may be repeated once for each."""
    chosen = {
        "--precision": request.precisions,
        "--batch-size": request.batch_sizes,
        "--size": request.sizes,
        "--set": request.points,
        "--setting": (request.setting,),
        "--compiler": (request.compiler,),
        "--steps-per-epoch": (request.steps_per_epoch,),
        "--data": (request.data,),
        "--replicates": (request.replicates,),
    }
    for name, values in chosen.items():
        yield from ((name, str(value)) for value in values if value is not None)


def assumed(request: Request, *, isolated: bool = False) -> list[Description]:
    """Return the frameworks asked for as if all of them and their devices were there.

    A GPU is there if it is asked for. An item that finds it is not leaves a failed run.
    """
    if not request.frameworks:
        raise UsageError(
            "--elsewhere cannot ask what the other machines have; "
            "name it with --framework"
        )
    asked = tuple(dict.fromkeys(request.frameworks))
    return [_whole(one, request) for one in survey(asked, isolated=isolated)]


def _whole(one: Description, request: Request) -> Description:
    if not one.tiers:  # it could not even say what it knows
        raise UsageError(one.why or f"with_{one.framework} says nothing of itself")
    there = [name for name in DEVICES if name == "cpu" or request.devices.get(name)]
    return replace(
        one,
        devices={name: Capability(available=True) for name in there},
        workloads=(*one.workloads, *one.missing),
        missing={},
    )
