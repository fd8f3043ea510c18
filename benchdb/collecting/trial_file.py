"""The file of ``doctor --try``: read again, by those who have no such machine."""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchdb.collecting.programs import ask_machine
from benchdb.collecting.trial import FORMAT, Check, Trial, fingerprint_checks
from benchdb.errors import BenchdbError, UsageError
from benchdb.grading import mapping

_MOST_BYTES = 2_000_000  # a file has some 30 kB
# Of whoever reads it, or of the moment.
_OF_THE_READER = frozenset({"load_1m", "uptime_seconds", "python", "variables"})
_WORD = re.compile(r"[A-Za-z][\w.-]*")
# The answer of a command becomes this file of a fake host.
_FILES = {
    "ioreg -r -c AGXAccelerator": "gpu.txt",
    "uname -rvm": "uname.txt",
    "pmset -g batt": "battery.txt",
    "pmset -g custom": "power_settings.txt",
    "pmset -g therm": "thermal.txt",
    "notifyutil -g": "thermal_pressure.txt",
    "vm_stat": "vm_stat.txt",
    "system_profiler": "system_profiler.json",
    "arch -arm64 system_profiler": "system_profiler.json",
    "sw_vers": "sw_vers.txt",
    "macmon": "macmon.json",
    "sudo -n powermetrics": "powermetrics.plist",
}


def encode(trial: Trial) -> bytes:
    """Return *trial* as the bytes of its file: JSON that people can look through."""
    return msgspec.json.format(msgspec.json.encode(trial), indent=1) + b"\n"


def decode(path: Path) -> Trial:
    """Return the trial in a file, which a stranger wrote; raise ``UsageError``."""
    try:
        with path.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise UsageError(f"{path} is no file of 'doctor --try': it is too large")
    try:
        trial = msgspec.json.decode(content, type=Trial)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no file of 'doctor --try': {error}") from error
    if trial.format != FORMAT:
        what = f"has format {trial.format}, and this benchdb reads {FORMAT}"
        raise UsageError(f"{path} {what}; take the benchdb that wrote it")
    return trial


def parsed_again(trial: Trial) -> dict[str, Any]:
    """Return what today's parsers make of the answers in *trial*."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as answers:
        json.dump(trial.answers, answers)
        answers.flush()
        return ask_machine(
            ["--sources"], BENCHDB_ANSWERS=answers.name, BENCHDB_PLATFORM="darwin"
        )


def disagreements(trial: Trial) -> Iterator[Check]:
    """Yield what did not hold there, and where today's parsers read something else.

    Without answers of macOS, as from Linux, only the former can be told.
    """
    yield from (check for check in trial.checks if check.holds is False)
    if not trial.answers:
        return
    try:
        now = parsed_again(trial)
    except BenchdbError as error:
        yield Check("parsers", holds=False, text=f"fail on its answers: {error}")
        return
    before = dict(_leaves(trial.fingerprint))
    after = dict(_leaves({name: now.get(name, {}) for name in trial.fingerprint}))
    for name in sorted(before.keys() | after.keys()):
        old, new = (facts.get(name, "nothing") for facts in (before, after))
        if old != new:
            yield Check(
                name,
                holds=False,
                text=f"read as {old} there, as {new} from its answers",
            )
    held = {check.name for check in trial.checks if check.holds is False}
    for check in fingerprint_checks(now, now["sources"]):
        if check.holds is False and check.name not in held:
            yield check


def _leaves(facts: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in facts.items():
        if name in _OF_THE_READER:
            continue
        if isinstance(value, dict):
            yield from _leaves(value, f"{place}{name}.")
        else:
            yield f"{place}{name}", value


def host_name(trial: Trial) -> str:
    """Return how a fake host of this Mac is called: ``m5_mac17_2_25e240``."""
    machine, system = (trial.fingerprint.get(n, {}) for n in ("machine", "system"))
    chip = mapping(machine.get("chip")).get("name")
    parts = (chip, machine.get("model"), system.get("os_build"))
    return re.sub(r"[^a-z0-9]+", "_", "_".join(map(str, filter(None, parts))).lower())


def fixture(trial: Trial) -> dict[str, str]:
    """Return the files of a fake host that says what this Mac said, by their names."""
    files: dict[str, str] = {}
    settings: dict[str, None] = {}
    for line, text in trial.answers.items():
        if line.startswith("sysctl "):
            settings |= dict.fromkeys(text.splitlines())
        for start, name in _FILES.items():
            if line.startswith(start):
                files[name] = text + "\n"
    if settings:
        files["sysctl.txt"] = "\n".join(settings) + "\n"
    return files


def new_words(files: Mapping[str, str], hosts: Path) -> dict[str, list[str]]:
    """Return by name the words of *files* that no file of that name in *hosts* has.

    A chip or a field that is new shows in them, another Mac of a known kind has none.
    """
    new = {}
    for name, text in files.items():
        known = {word for path in hosts.rglob(name) for word in _words(path)}
        if words := sorted(set(_WORD.findall(text)) - known):
            new[name] = words
    return new


def _words(path: Path) -> list[str]:
    return _WORD.findall(path.read_text(encoding="utf-8", errors="replace"))
