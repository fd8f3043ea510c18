"""What it takes to reproduce a run: the processes beside it, and its software."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from typing import TypeGuard

import msgspec
from sqlalchemy import Connection, select

from benchdb.catalogue import collected
from benchdb.collecting.again import Why, command, command_of_others
from benchdb.collecting.programs import (
    Program,
    collectors,
    describe,
    own_frameworks,
    program,
)
from benchdb.exchange.messages import Environment, Run
from benchdb.exchange.record import Record
from benchdb.grading import Grade
from benchdb.store.newest import CELL
from benchdb.store.tables import run

_LONGEST_TERM = 600  # seconds
_MOST = 1000  # processes; a record of more is a mistake, or a joke
# Of collectors, by PEP 723; and the name that a requirement begins with.
_SCRIPT = re.compile(r"^# /// script\n(.*?)^# ///$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# A version as releases have it, and the build that an index of its own would have.
_VERSION = re.compile(r"(\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?)(?:\+(\w+))?")
_PYTHON = re.compile(r"3\.\d+(?:\.\d+)?")


class Software(msgspec.Struct, frozen=True):
    """The software of a run as far as it can be installed again.

    *requirements* are packages with their versions, *python* its version. *left* names
    what no installer brings back.
    """

    requirements: tuple[str, ...]
    python: str | None
    left: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options by which uv makes an environment of it."""
        asked = ("--python", self.python) if self.python else ()
        return (*asked, *(w for it in self.requirements for w in ("--with", it)))


def words(record: Record) -> list[str] | Why:
    """Return the words of the command that measures *record* again, or why none does.

    A run tells by its checks whether it left out what the source of its workload did,
    and how long the epochs were.
    """
    run = record.run
    its = None if run.framework in own_frameworks() else _collector_of(run)
    if its is not None:
        offers = {
            offer.name: offer.parameters for offer in describe([str(its.path)]).offers
        }
        axes = offers.get(run.workload, {})
        return command_of_others(run, record.environment, axes)
    again = command(run, record.environment)
    known = collected().get(run.workload)
    if isinstance(again, Why) or known is None:
        return again
    own = known.settings.get(run.setting, {})
    plan = own.get("seed_protocol") if own else known.seed_protocol
    if not plan:
        return again
    done = record.end.checks.get("seed_protocol")
    if done is None:
        return [*again, "--blocks-only"]
    steps = done.get("steps_per_epoch") if isinstance(done, dict) else None
    usual = plan.get("steps_per_epoch")
    # Where they were scaled to the tier, the tier does so again.
    if not (usual and _is_count(steps)) or done.get("scaled") or steps == usual:
        return again
    return [*again, "--steps-per-epoch", str(steps)]


def term(record: Record) -> int | None:
    """Return the seconds after which the blocks of a process of *record* ended.

    That is for those of a budget. A record may be anybody's: not longer than the tiers.
    """
    number = record.end.checks.get("term_seconds")
    return min(number, _LONGEST_TERM) if _is_count(number) else None


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 < value < 2**31


def _collector_of(run: Run) -> Program | None:
    """Return somebody's collector that is here and measured *run*, by its name."""
    if run.label != "measured" or run.collector is None:
        return None
    its = collectors()[0].get(run.framework)
    if its is None or run.workload not in its.workloads:
        return None
    return its if run.collector.name == its.name else None


def software(environment: Environment) -> Software:
    """Return what of *environment* can be installed again.

    A record may be anybody's: only packages that the collector asks for itself are
    installed, and only by a plain version.
    """
    framework = environment.framework or ""
    known = _asked_for(framework)
    there = {framework: environment.framework_version, **environment.packages}
    requirements, left = [], []
    for name, version in there.items():
        parts = _VERSION.fullmatch(version or "")
        if name not in known or parts is None:
            left.append(f"{name} {version or '(version not stated)'}")
            continue
        requirements.append(f"{name}=={parts[1]}")
        if parts[2]:
            left.append(f"build {parts[2]} of {name}")
    own = environment.python or ""
    python = own if _PYTHON.fullmatch(own) else None
    if python is None:
        left.append(f"Python {own or '(version not stated)'}")
    left += (
        f"{what} {value}"
        for what, value in (
            ("system", _words(environment.os_name, environment.os_version)),
            ("kernel", environment.kernel),
            ("driver", _driver(environment)),
        )
        if value
    )
    return Software(tuple(sorted(requirements)), python, tuple(left))


def with_python(asked: Software) -> Software:
    """Return *asked* without its Python where uv has it not and cannot bring it."""
    if asked.python is None:
        return asked
    command = ("uv", "python", "find", "--no-python-downloads", asked.python)
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode == 0:
        return asked
    left = (*asked.left, f"Python {asked.python} (not on this machine)")
    return Software(asked.requirements, None, left)


def _asked_for(framework: str) -> set[str]:
    """Return the packages that the collector of *framework* asks for."""
    its = program(framework)
    text = its.path.read_text(encoding="utf-8") if its.ours else ""
    script = _SCRIPT.search(text)
    lines = script[1].splitlines() if script else ()
    block = tomllib.loads("\n".join(line[2:] for line in lines))
    names = (_NAME.match(item) for item in block.get("dependencies", ()))
    return {name[0] for name in names if name}


def _words(*parts: str | None) -> str:
    return " ".join(filter(None, parts))


def _driver(environment: Environment) -> str:
    drivers = {
        str(device["driver"]) for device in environment.devices if device.get("driver")
    }
    return ", ".join(sorted(drivers))


def obstacle(record: Record, grade: Grade | None) -> Why | None:
    """Return why there is nothing to reproduce in a run that has a command."""
    end, count = record.end, record.run.replicates or 1
    if end.status != "ok":
        why = f" ({end.reason})" if end.reason else ""
        text = "it has no figure: it is %(status)s%(why)s"
        return Why(text, {"status": end.status, "why": why})
    if grade is not None and grade.letter == "X":
        return Why("its figure does not count: it has grade X")
    if record.run.tier == "smoke":
        return Why("it is a smoke run, which shows that something works, not how fast")
    if count > _MOST:
        return Why("it says that it is one of %(n)s processes", {"n": f"{count:,}"})
    return None


def originals(
    connection: Connection, record: Record, replicates: int
) -> tuple[str, ...]:
    """Return the run that each process of a rerun of *record* reproduces.

    That is the process of the same number in its campaign, else the run itself; by the
    names that the database has for them, whatever was done to it since.
    """
    values = dict(_fellows(connection, record))
    return tuple(values.get(turn, record.run.key) for turn in range(replicates))


def _fellows(connection: Connection, record: Record) -> Iterator[tuple[int, str]]:
    """Yield the processes of the cell and campaign of *record*, itself at the end."""
    own = connection.execute(select(run).where(run.c.digest == record.run.key)).one()
    if own.campaign is not None:
        query = select(run.c.digest, run.c.replicate).where(
            run.c.campaign == own.campaign,
            run.c.tier == own.tier,
            run.c.status == "ok",
            run.c.replicate.is_not(None),
            *(column.is_not_distinct_from(own._mapping[column]) for column in CELL),
        )
        for digest, turn in connection.execute(query.order_by(run.c.digest)):
            yield turn, digest
    if own.replicate is not None:
        yield own.replicate, record.run.key
