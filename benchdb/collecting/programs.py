"""The collector programs: find them, start them, ask them what they can do.

Beside ours there are executables of anybody: in the user's folder, where a project or
a package names some. What such a program is, its answer to ``--describe`` says.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.collecting.processes import (
    Isolation,
    Question,
    asking,
)
from benchdb.errors import BenchdbError, UsageError, suggestion
from benchdb.extensions import installed
from benchdb.files import replacing
from benchdb.installation import fitting, to_add
from benchdb.resources import folder
from benchdb.settings import collector_folders
from benchdb.user_data import cache_folder, config_folder

PROTOCOL = 1  # the version that collectors/README.md describes
TIERS = {"smoke": 1, "quick": 3, "standard": 5, "reference": 10}  # and processes
DESCRIBE_SECONDS = 30.0  # for the first answer of a collector that is not ours
# How programs begin: so one is known that nobody made executable.
_PROGRAMS = (b"#!", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_Name = Annotated[
    str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._+-]*$", min_length=1, max_length=64)
]


class Capability(msgspec.Struct, frozen=True):
    """A device as a collector sees it: there, or why not and what to install."""

    available: bool
    name: str | None = None
    why: str | None = None
    install: str | None = None


class Offer(msgspec.Struct, frozen=True):
    """A workload as a collector offers it: the values that it has for each axis."""

    name: str
    parameters: Mapping[str, tuple[str | int | float, ...]] = {}
    metrics: tuple[str, ...] = ()


class Description(msgspec.Struct, frozen=True):
    """What one collector can measure here; *version* is None without its framework.

    *missing* are the modules that workloads lack, *options* what else can be chosen,
    *offers* the workloads with their axes where it does not list cells itself,
    *processes* how many each tier has; it can tell of its *progress*.
    """

    framework: _Name
    version: str | None = None
    why: str | None = None
    devices: Mapping[str, Capability] = {}
    workloads: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    install: str | None = None
    missing: Mapping[str, tuple[str, ...]] = {}
    precisions: Mapping[str, tuple[str, ...]] = {}
    compilers: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] = {}
    name: str = ""
    collector_version: str = ""
    origin: str = ""
    offers: tuple[Offer, ...] = ()
    processes: Mapping[str, int] = {}
    list_cells: bool = True
    progress: bool = False


class Program(msgspec.Struct, frozen=True):
    """A collector: for which framework, where it lies, and who put it there.

    Asked to, it tells of its *progress*.
    """

    framework: str
    path: Path
    origin: str = "benchdb"
    version: str = ""
    workloads: tuple[str, ...] = ()
    progress: bool = True

    @property
    def ours(self) -> bool:
        """Tell whether it is one of benchdb's own: Python, on our harness."""
        return self.origin == "benchdb"

    @property
    def name(self) -> str:
        """Return what messages call it."""
        return self.path.stem if self.path.suffix == ".py" else self.path.name

    @property
    def digest(self) -> str:
        """Return the SHA-256 of its file."""
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def own_frameworks() -> tuple[str, ...]:
    """Return the frameworks that benchdb itself has collectors for."""
    paths = folder("collectors").glob("with_*.py")
    return tuple(sorted(path.stem.removeprefix("with_") for path in paths))


def frameworks() -> tuple[str, ...]:
    """Return the frameworks that there are collectors for, ours first."""
    return tuple(collectors()[0])


def workload_names() -> set[str]:
    """Return the workloads that collectors of others offer."""
    return {name for item in collectors()[0].values() for name in item.workloads}


def program(framework: str) -> Program:
    """Return the collector of *framework*."""
    if framework in own_frameworks():  # without a look at any other
        return Program(framework, folder("collectors") / f"with_{framework}.py")
    known = collectors()[0]
    if framework not in known:
        hint = suggestion(framework, known)
        raise UsageError(f"no collector for {framework!r}{hint}")
    return known[framework]


def collectors() -> tuple[dict[str, Program], list[str]]:
    """Return all collectors by framework, and in a line each why one is left out.

    Ours come first, and what comes first has the name of its framework for itself.
    """
    programs = {name: program(name) for name in own_frameworks()}
    faults = [
        extension.fault for extension in installed("collector") if extension.fault
    ]
    for path, origin in _candidates():
        try:
            its = _identified(path, origin)
        except (BenchdbError, OSError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            faults.append(f"collector {path} is left out: {why}")
            continue
        first = programs.setdefault(its.framework, its)
        if not first.path.samefile(path):
            faults.append(
                f"collector {path} is left out: its framework is {its.framework!r}, "
                f"and so is that of {first.path}, which comes first; let it describe "
                "itself by another name"
            )
    return programs, faults


_OWN = "your collectors"


def _candidates() -> Iterator[tuple[Path, str]]:
    """Yield what may be a collector of somebody, and who named it.

    Of a folder, that is what can be executed, or looks like a program.
    """
    for place, origin in _places():
        try:
            inside = list(filter(_seems_a_program, sorted(place.iterdir())))
        except FileNotFoundError:
            # Most people have no folder of their own; whoever names one means it.
            inside = [] if origin == _OWN else [place]
        except OSError:  # it is a file, or cannot be read, which is told
            inside = [place]
        yield from ((path, origin) for path in inside)


def _places() -> Iterator[tuple[Path, str]]:
    yield config_folder() / "collectors", _OWN
    for path in collector_folders():
        yield path, "benchdb.toml"
    for extension in installed("collector"):
        if not extension.fault:
            file = getattr(extension.loaded, "__file__", None)
            yield (
                Path(file).parent if file else Path(str(extension.loaded)),
                extension.origin,
            )


def _seems_a_program(path: Path) -> bool:
    if path.name.startswith((".", "_")):
        return False
    try:
        if path.is_dir() or os.access(path, os.X_OK):
            return not path.is_dir()
        with path.open("rb") as stream:
            return stream.read(4).startswith(_PROGRAMS)
    except OSError:  # a link that leads nowhere, which is said of it
        return True


class _Identity(msgspec.Struct, frozen=True):
    """What does not change of a collector as long as its file does not."""

    framework: str
    version: str
    workloads: tuple[str, ...]
    progress: bool = False


_silent: dict[str, str] = {}  # who did not answer is asked once, by digest


def _identified(path: Path, origin: str) -> Program:
    """Return the collector at *path*; it is asked what it is unless that is known."""
    path.stat()  # raises where a link leads nowhere
    if not os.access(path, os.X_OK):
        raise BenchdbError(f"it is not executable; try: chmod +x {path}")
    digest = Program("", path).digest
    try:
        its = _identity(path, digest)
    except BenchdbError as error:
        _silent[digest] = str(error)
        raise
    for name in its.workloads:
        if name not in workloads():
            raise BenchdbError(
                f"it offers a workload {name!r} that no catalogue has; write it into "
                f"{config_folder() / 'catalogue.toml'} (docs/extending.md)"
            )
    return Program(path=path, origin=origin, **msgspec.structs.asdict(its))


def _identity(path: Path, digest: str) -> _Identity:
    if digest in _silent:
        raise BenchdbError(_silent[digest])
    kept = cache_folder() / "collectors" / f"{PROTOCOL}-{digest}.json"
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(kept.read_bytes(), type=_Identity)
    its = describe([str(path)])
    about = (its.framework, its.collector_version, its.workloads, its.progress)
    identity = _Identity(*about)
    with suppress(BenchdbError), replacing(kept) as stream:
        stream.write(msgspec.json.encode(identity))
    return identity


def describe(command: Sequence[str]) -> Description:
    """Return what the collector that *command* starts says that it is."""
    with asking([*command, "--describe"], patience=DESCRIBE_SECONDS) as question:
        facts = question.facts()
    if facts.get("type") != "collector" or facts.get("format") != PROTOCOL:
        number = facts.get("format")
        newer = isinstance(number, int) and number > PROTOCOL
        why = f"it speaks version {number} of the protocol" if newer else "it is none"
        raise BenchdbError(
            f'{why}: --describe is to say "type": "collector" and "format": '
            f"{PROTOCOL} (collectors/README.md)" + ("; upgrade benchdb" * newer)
        )
    return _understood(question.name, facts)


def _understood(name: str, facts: dict[str, Any]) -> Description:
    """Return *facts*, which the collector *name* described itself with, typed.

    A workload is its name, or an object with the values of its axes.
    """
    try:
        texts = msgspec.convert(facts.get("workloads", ()), tuple[str | Offer, ...])
        offers = [
            offer if isinstance(offer, Offer) else Offer(offer) for offer in texts
        ]
        tiers = facts.get("tiers") or {
            tier: {"processes": count} for tier, count in TIERS.items()
        }
        return msgspec.convert(
            facts
            | {
                "name": facts.get("name") or name,
                "version": facts.get("framework_version"),
                "collector_version": facts.get("version", ""),
                "list_cells": facts.get("list_cells", False),
                "offers": [msgspec.to_builtins(offer) for offer in offers],
                "workloads": [offer.name for offer in offers],
                "tiers": tuple(tiers),
                "processes": {tier: its["processes"] for tier, its in tiers.items()},
            },
            Description,
        )
    except (msgspec.ValidationError, TypeError, KeyError, AttributeError) as error:
        raise BenchdbError(f"{name} cannot be understood: {error}") from error


def launcher(*, isolated: Isolation) -> tuple[str, ...]:
    """Return what runs a collector: a Python, or uv with an environment for each."""
    if isolated is False:
        return (sys.executable,)
    if isinstance(isolated, str):
        if not Path(isolated).exists():
            raise UsageError(f"the Python {isolated} is not there any more")
        return (isolated,)
    if shutil.which("uv") is None:
        raise UsageError(
            "--isolated needs uv, which is not on the PATH; "
            f"install it with: {to_add('uv')}, or: brew install uv"
        )
    return ("uv", "run", *(() if isolated is True else isolated), "--script")


def start(framework: str, *, isolated: Isolation = False) -> tuple[str, ...]:
    """Return the command that starts the collector of *framework*, without options.

    One of others is a program of its own: neither our Python nor uv starts it.
    """
    its = program(framework)
    before = launcher(isolated=isolated) if its.ours else ()
    return (*before, str(its.path))


def source_digest() -> str:
    """Return the SHA-256 over the collectors: another one, another way to measure."""
    digest = hashlib.sha256()
    for other in collectors()[0].values():
        if not other.ours:
            digest.update(f"{other.path.name} {other.digest}\n".encode())
    ours = folder("collectors")
    for path in sorted(ours.rglob("*.py")):
        content, name = path.read_bytes(), path.relative_to(ours).as_posix()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def ask_machine(
    arguments: Sequence[str], *, isolated: Isolation = False, **variables: str
) -> dict[str, Any]:
    """Return what ``collectors/machine.py`` says, with these *variables* set."""
    command = [*launcher(isolated=isolated), machine_program(), *arguments]
    return _asked(command, isolated=isolated, variables=variables)


def fingerprint(*, isolated: Isolation = False) -> dict[str, Any]:
    """Return what ``collectors/machine.py`` finds out about this machine."""
    return ask_machine(["--json"], isolated=isolated)


def meters(*, isolated: Isolation = False) -> dict[str, list[dict[str, Any]]]:
    """Return the energy meters by device, best first: there, or why not."""
    meters_by_device = ask_machine(["--meters"], isolated=isolated)
    python = isolated if isinstance(isolated, str) else None
    return {
        device: [
            # What answers needs nothing to be installed.
            item | {"install": item["install"] and fitting(item["install"], python)}
            for item in some
        ]
        for device, some in meters_by_device.items()
    }


def publishable(text: str) -> str | None:
    """Return *text* without what it gives away; None where that cannot be done."""
    try:
        with asking([sys.executable, machine_program(), "--redact"], text) as question:
            reply = question.reply()
    except BenchdbError:
        return None
    return reply.out.strip() or None if reply.status == 0 else None


def survey(names: Sequence[str], *, isolated: Isolation = False) -> list[Description]:
    """Return the descriptions of these frameworks; one that cannot tell says why."""
    commands = [[*start(name, isolated=isolated), "--describe"] for name in names]
    # They import their frameworks, which is mostly waiting for the disk.
    with ExitStack() as together:
        questions = [
            together.enter_context(
                asking(command, isolated=isolated and program(name).ours)
            )
            for name, command in zip(names, commands, strict=True)
        ]
        python = isolated if isinstance(isolated, str) else None
        descriptions = map(_described, names, questions)
        return [_advised(description, python) for description in descriptions]


def _advised(its: Description, python: str | None) -> Description:
    """Return *its* with advice that fits how we, or another *python*, were installed.

    Collectors know nothing of it, and say ``pip install``.
    """

    def adapted(advice: str | None) -> str | None:
        return advice and fitting(advice, python)

    devices = {
        name: replace(it, why=adapted(it.why), install=adapted(it.install))
        for name, it in its.devices.items()
    }
    why, install = adapted(its.why), adapted(its.install)
    return replace(its, why=why, install=install, devices=devices)


def _described(framework: str, question: Question) -> Description:
    origin = program(framework).origin
    try:
        facts = {**question.facts(), "framework": framework, "origin": origin}
        return _understood(question.name, facts)
    except BenchdbError as error:
        return Description(framework, why=str(error), origin=origin)


def list_cells(
    framework: str, arguments: Sequence[str], *, isolated: Isolation = False
) -> dict[str, Any]:
    """Ask the collector of *framework* which cells *arguments* stand for.

    Raise ``UsageError`` with its own words where it has no such thing.
    """
    command = [*start(framework, isolated=isolated), *arguments, "--list-cells"]
    return _asked(command, isolated=isolated and program(framework).ours)


def machine_program() -> str:
    """Return where the program lies that says what machine this is."""
    return str(folder("collectors") / "machine.py")


def _asked(
    command: Sequence[str],
    *,
    isolated: Isolation = False,
    variables: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    with asking(command, isolated=isolated, variables=variables) as question:
        return question.facts()
