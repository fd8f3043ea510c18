"""The collector programs: find them, start them, ask them what they can do."""

import hashlib
import json
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.collecting.processes import Isolation, Question, asking
from benchdb.errors import BenchdbError, UsageError, suggestion
from benchdb.installation import fitting, to_add
from benchdb.resources import folder


class Capability(msgspec.Struct, frozen=True):
    """A device as a collector sees it: there, or why not and what to install."""

    available: bool
    name: str | None = None
    why: str | None = None
    install: str | None = None


class Description(msgspec.Struct, frozen=True):
    """What one collector can measure here; *version* is None without its framework.

    *missing* are the modules that workloads lack, *options* what else can be chosen.
    """

    framework: str
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


def frameworks() -> tuple[str, ...]:
    """Return the frameworks that there are collectors for."""
    found = folder("collectors").glob("with_*.py")
    return tuple(sorted(path.stem.removeprefix("with_") for path in found))


def program(framework: str) -> Path:
    """Return the collector of *framework*."""
    if framework not in frameworks():
        hint = suggestion(framework, frameworks())
        raise UsageError(f"no collector for {framework!r}{hint}")
    return folder("collectors") / f"with_{framework}.py"


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


def source_digest() -> str:
    """Return the SHA-256 over the collectors: another one, another way to measure."""
    digest = hashlib.sha256()
    collectors = folder("collectors")
    for path in sorted(collectors.rglob("*.py")):
        content, name = path.read_bytes(), path.relative_to(collectors).as_posix()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def ask_machine(
    arguments: Sequence[str], *, isolated: Isolation = False, **variables: str
) -> dict[str, Any]:
    """Return what ``collectors/machine.py`` says, with these *variables* set."""
    start = [*launcher(isolated=isolated), _machine(), *arguments]
    return _asked(start, isolated=isolated, variables=variables)


def fingerprint(*, isolated: Isolation = False) -> dict[str, Any]:
    """Return what ``collectors/machine.py`` finds out about this machine."""
    return ask_machine(["--json"], isolated=isolated)


def meters(*, isolated: Isolation = False) -> dict[str, list[dict[str, Any]]]:
    """Return the energy meters by device, best first: there, or why not."""
    found = ask_machine(["--meters"], isolated=isolated)
    python = isolated if isinstance(isolated, str) else None
    return {
        device: [one | {"install": fitting(one["install"], python)} for one in some]
        for device, some in found.items()
    }


def publishable(text: str) -> str | None:
    """Return *text* without what it gives away; None where that cannot be done."""
    try:
        with asking([sys.executable, _machine(), "--redact"], text) as question:
            reply = question.reply()
    except BenchdbError:
        return None
    return reply.out.strip() or None if reply.status == 0 else None


def survey(names: Sequence[str], *, isolated: Isolation = False) -> list[Description]:
    """Return the descriptions of these frameworks; one that cannot tell says why."""
    start = launcher(isolated=isolated) if names else ()
    commands = [[*start, str(program(name)), "--describe"] for name in names]
    # They import their frameworks, which is mostly waiting for the disk.
    with ExitStack() as together:
        questions = [
            together.enter_context(asking(command, isolated=isolated))
            for command in commands
        ]
        python = isolated if isinstance(isolated, str) else None
        found = map(_described, names, questions)
        return [_advised(one, python) for one in found]


def _advised(one: Description, python: str | None) -> Description:
    """Return *one* with advice that fits how we, or another *python*, were installed.

    Collectors know nothing of it, and say ``pip install``.
    """

    def adapted(advice: str | None) -> str | None:
        return advice and fitting(advice, python)

    devices = {
        name: replace(it, why=adapted(it.why), install=adapted(it.install))
        for name, it in one.devices.items()
    }
    why, install = adapted(one.why), adapted(one.install)
    return replace(one, why=why, install=install, devices=devices)


def _described(framework: str, question: Question) -> Description:
    try:
        facts = {"tiers": {}, **_answer(question), "framework": framework}
        facts["tiers"] = tuple(facts["tiers"])  # a mapping; the names are enough
        return msgspec.convert(facts, Description)
    except BenchdbError as error:
        return Description(framework, why=str(error))
    except msgspec.ValidationError as error:
        why = f"{question.name} cannot be understood: {error}"
        return Description(framework, why=why)


def list_cells(
    framework: str, arguments: Sequence[str], *, isolated: Isolation = False
) -> dict[str, Any]:
    """Ask the collector of *framework* which cells *arguments* stand for.

    Raise ``UsageError`` with its own words where it has no such thing.
    """
    start = [*launcher(isolated=isolated), str(program(framework))]
    return _asked([*start, *arguments, "--list-cells"], isolated=isolated)


def manner(status: int) -> str:
    """Return how a program ended that did: its status, or the signal behind it."""
    # -11 from a child, 139 through uv.
    number = -status if status < 0 else status - 128
    with suppress(ValueError):
        return f"was killed by {signal.Signals(number).name}"
    return f"ended with status {status}"


def refusal(errors: str, name: str) -> str:
    """Return the last line that the program *name* printed, without its name."""
    lines = errors.strip().splitlines()
    last = lines[-1] if lines else ""
    return last.removeprefix(f"{name}: ").removeprefix("error: ")


def _machine() -> str:
    return str(folder("collectors") / "machine.py")


def _asked(
    command: Sequence[str],
    *,
    isolated: Isolation = False,
    variables: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    with asking(command, isolated=isolated, variables=variables) as question:
        return _answer(question)


def _answer(question: Question) -> dict[str, Any]:
    reply, name = question.reply(), question.name
    why = refusal(reply.err, name) or f"it {manner(reply.status)}"
    if reply.status == UsageError.exit_status:
        raise UsageError(why)
    if reply.status != 0:
        raise BenchdbError(f"{name} failed: {why}")
    if not reply.out.strip():
        raise BenchdbError(
            f"{name} ended before it said anything; a module that it imports ends it"
        )
    try:
        facts = json.loads(reply.out)
    except ValueError as error:
        raise BenchdbError(f"{name} printed no JSON: {error}") from error
    if not isinstance(facts, dict):
        raise BenchdbError(f"{name} printed no JSON object")
    return facts
