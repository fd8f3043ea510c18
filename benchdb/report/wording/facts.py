"""What is told of machines, software, their state and checks, in words.

Only names of benchdb's own format and collectors have words; what a driver, a library
or a source calls its settings has that name in every language.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from benchdb.report import untrusted
from benchdb.report.language import Language
from benchdb.report.language.arguments import Name

UNITS = ("celsius", "percent", "pct", "fraction", "watts", "mhz", "seconds", "bytes")
_UNIT = re.compile(rf"_(?:bytes_per_second|{'|'.join(UNITS)})$")
_LETTERS = 200  # of a reason
_LOCATOR = re.compile(r"line (\d+)(?: to line (\d+))?(?:, column (.+))?")


def N_(message: str) -> str:  # noqa: N802  known to Babel
    """Return *message*, which is translated where it is shown."""
    return message


def bare(name: str) -> str:
    """Return the *name* of a fact without its unit."""
    return _UNIT.sub("", name)


def fact_text(language: Language, name: str) -> str | None:
    """Return the *name* of a fact in words, without its unit; None without words."""
    known, own = _names(language), bare(name)
    if own in known:
        return known[own]
    stem, _, which = own.rpartition("_")
    if bare(stem) not in known:
        return None
    several = {
        # TRANSLATORS: of readings: "GPU clock, median"
        "median": language.pgettext("fact", "%(name)s, median", name=known[bare(stem)]),
        "max": language.pgettext("fact", "%(name)s, maximum", name=known[bare(stem)]),
        "min": language.pgettext("fact", "%(name)s, minimum", name=known[bare(stem)]),
        # TRANSLATORS: the first and the last of many readings
        "start": language.pgettext("fact", "%(name)s, first", name=known[bare(stem)]),
        "end": language.pgettext("fact", "%(name)s, last", name=known[bare(stem)]),
    }
    return several.get(which)


@lru_cache(maxsize=32)
def _names(language: Language) -> Mapping[str, str]:
    pgettext = language.pgettext
    return {
        **_of_machines(language),
        **_of_states(language),
        **_of_checks(language),
    } | {
        "compiler": pgettext("condition", "compiler"),
        "driver": pgettext("condition", "driver"),
        "framework_version": pgettext("condition", "framework version"),
        "kernel": pgettext("condition", "kernel"),
        "variables": pgettext("condition", "environment variables"),
    }


def _of_machines(language: Language) -> Mapping[str, str]:
    pgettext = language.pgettext
    return {
        # TRANSLATORS: graphics cards and the like
        "accelerators": pgettext("fact", "accelerators"),
        "accelerator_memory_gb": pgettext("fact", "device memory in GB"),
        "anonymous_id": pgettext("fact", "anonymous id"),
        # TRANSLATORS: of a processor, such as arm64
        "architecture": pgettext("fact", "architecture"),
        "cores": pgettext("fact", "cores"),
        "count": pgettext("fact", "number"),
        "cpu": pgettext("fact", "processor"),
        "cpu_cores": pgettext("fact", "CPU cores"),
        # TRANSLATORS: fast and efficient cores of one processor
        "cpu_levels": pgettext("fact", "kinds of CPU cores"),
        "devices": pgettext("fact", "devices"),
        "gpu_cores": pgettext("fact", "GPU cores"),
        "kind": pgettext("fact", "kind"),
        # TRANSLATORS: what a source calls a machine
        "label": pgettext("fact", "name in the source"),
        # TRANSLATORS: modes of arithmetic, such as tf32
        "math": pgettext("fact", "math modes"),
        # TRANSLATORS: of a graphics card
        "memory": pgettext("fact", "device memory"),
        "memory_bandwidth": pgettext("fact", "memory bandwidth"),
        # TRANSLATORS: of a computer, such as MacBook Pro
        "model": pgettext("fact", "model"),
        "name": pgettext("fact", "name"),
        "os_build": pgettext("fact", "build of the operating system"),
        "os_name": pgettext("fact", "operating system"),
        "os_version": pgettext("fact", "version of the operating system"),
        # TRANSLATORS: of Python
        "packages": pgettext("fact", "packages"),
        "python": "Python",
        # TRANSLATORS: of a computer
        "ram": pgettext("fact", "memory"),
        "vendor": pgettext("fact", "maker"),
        "virtual": pgettext("fact", "virtual machine"),
    }


def _of_states(language: Language) -> Mapping[str, str]:
    pgettext = language.pgettext
    return {
        "averaged_runs": pgettext("fact", "runs in the mean"),
        "battery": pgettext("fact", "battery charge"),
        "cpu_count_usable": pgettext("fact", "usable CPU cores"),
        "gpu_count": pgettext("fact", "GPUs"),
        "gpu_other_processes": pgettext("fact", "other processes on the GPU"),
        "gpu_power": pgettext("fact", "GPU power"),
        "gpu_sm_clock": pgettext("fact", "GPU clock"),
        "gpu_temperature": pgettext("fact", "GPU temperature"),
        # TRANSLATORS: why a card lowers its clock
        "gpu_throttle_reasons": pgettext("fact", "reasons for throttling"),
        "gpu_utilisation": pgettext("fact", "GPU utilisation"),
        # TRANSLATORS: the load average of a system over the last minute
        "load_1m": pgettext("fact", "load over 1 minute"),
        "low_power_mode": pgettext("condition", "Low Power Mode"),
        "memory_available": pgettext("fact", "free memory"),
        # TRANSLATORS: how short of memory the system is
        "memory_pressure": pgettext("fact", "memory pressure"),
        "path": pgettext("condition", "path of execution"),
        # TRANSLATORS: the part of the time that a card was at its power limit
        "power_capped": pgettext("fact", "share of time at the power limit"),
        "power_mode": pgettext("condition", "power mode"),
        "power_source": pgettext("condition", "power source"),
        # TRANSLATORS: how often the state was read
        "samples": pgettext("fact", "readings"),
        "sm_clock": pgettext("fact", "GPU clock"),
        "swap_used": pgettext("fact", "swap in use"),
        "swapped_in": pgettext("fact", "swapped in"),
        "swapped_out": pgettext("fact", "swapped out"),
        "temperature": pgettext("fact", "temperature"),
        # TRANSLATORS: as macOS tells it
        "thermal_pressure": pgettext("fact", "thermal pressure"),
        "throttle_reasons": pgettext("fact", "reasons for throttling"),
        "throttled": pgettext("fact", "share of time throttled"),
        # TRANSLATORS: time since the computer was started
        "uptime": pgettext("fact", "uptime"),
    }


def _of_checks(language: Language) -> Mapping[str, str]:
    pgettext = language.pgettext
    return {
        # TRANSLATORS: the device that was asked for
        "asked": pgettext("fact", "asked for"),
        # TRANSLATORS: "allowed 1.9–2.1"
        "between": pgettext("fact", "allowed"),
        "counted": pgettext("fact", "counted"),
        "deviations": pgettext("fact", "deviations"),
        "expected": pgettext("fact", "expected"),
        # TRANSLATORS: of losses: neither infinite nor NaN
        "finite": pgettext("fact", "finite"),
        # TRANSLATORS: the first and the last loss that was read
        "first": pgettext("fact", "first"),
        "found": pgettext("fact", "found"),
        # TRANSLATORS: losses computed on this device, beside those of the reference
        "here": pgettext("fact", "here"),
        "last": pgettext("fact", "last"),
        # TRANSLATORS: of losses: they change from step to step
        "moving": pgettext("fact", "changing"),
        "pairs": pgettext("fact", "pairs"),
        # TRANSLATORS: the highest rate that the chip can reach
        "peak": pgettext("fact", "peak"),
        "peak_flops": pgettext("fact", "peak in FLOP/s"),
        "percent": pgettext("fact", "share of the peak"),
        # TRANSLATORS: attempts to see whether the clock waits for the device
        "probes": pgettext("fact", "probes"),
        "ratio": pgettext("fact", "ratio"),
        # TRANSLATORS: how many losses were read
        "read": pgettext("fact", "read"),
        "reference": pgettext("fact", "reference"),
        "tolerance": pgettext("fact", "tolerance"),
        "tolerances": pgettext("fact", "tolerances"),
        # TRANSLATORS: time until a call returns, without waiting for the device
        "unwaited": pgettext("fact", "without waiting"),
        "unwaited_over_waited": pgettext("fact", "without waiting / with waiting"),
        # TRANSLATORS: whether the weights of a network changed in training
        "updated": pgettext("fact", "weights changed"),
        "waited": pgettext("fact", "with waiting"),
    }


def value_text(language: Language, value: object) -> str | None:
    """Return the value of a fact in words; None where it is a name or a number."""
    if isinstance(value, bool):
        words = language.pgettext("fact", "yes"), language.pgettext("fact", "no")
        return words[not value]
    known = {
        "Efficiency": language.pgettext("cores", "efficiency"),
        "Performance": language.pgettext("cores", "performance"),
        "ac": language.pgettext("power source", "mains"),
        "battery": language.pgettext("power source", "battery"),
        "none": language.pgettext("fact", "none"),
    }
    return known.get(value) if isinstance(value, str) else None


# Reasons that our importers and collectors give, and maps of published sources.
_REASONS = frozenset(
    {
        N_("a mean over several"),
        N_("a network has no exact result"),
        N_("an operation has no loss"),
        N_("an operation has none"),
        N_("failed, says the file"),
        N_("it has no parameters"),
        N_("its bytes are not counted"),
        N_("its operations are not counted"),
        N_("looked at in the first process of the cell"),
        N_("neither firmware nor device tree names it"),
        N_("not available"),
        N_("not in the file"),
        N_("not measured: the source means that by 0"),
        N_("not printed"),
        N_("not recorded"),
        N_("not stated"),
        N_("nothing is trained"),
        N_("only a mean is printed"),
        N_("rounded in the table: the condition accelerator_memory_gb"),
        N_("the CPU is never behind"),
        N_("the GPU stands for the chip"),
        N_("the distribution has no build numbers"),
        N_("the operating system does not report it"),
        N_("the operating system gave this machine no id"),
        N_("the run ended before it"),
        N_("this cell is the reference: the CPU in float32"),
        N_("what a CPU can do at most follows from nothing that it reports"),
    }
)


def reason_text(language: Language, reason: str) -> str:
    """Say why something is not known; another's reason stays as it is."""
    if reason in _REASONS:
        return language.gettext(reason)
    if printed := re.fullmatch(r'printed as ("?)(.+)\1', reason):
        return language.pgettext(
            "missing value", "“%(text)s” in the source", text=Name(printed[2])
        )
    # A framework may fill paragraphs; CSV and JSON have more of it.
    return language.isolate(untrusted.plain(reason, _LETTERS))


def locator_text(language: Language, locator: str) -> str:
    """Say where in its document a figure stands; a path of its own stays as it is.

    What is printed again has several places.
    """
    places = locator.split("; ")
    if len(places) > 1 and all(map(_LOCATOR.fullmatch, places)):
        return "; ".join(locator_text(language, place) for place in places)
    match = _LOCATOR.fullmatch(locator)
    if match is None:
        return language.isolate(locator)
    first, last, column = match.groups()
    if last in (None, first):
        place = language.pgettext("place", "line %(n)s", n=Name(first))
    else:
        place = language.pgettext(
            "place", "lines %(first)s to %(last)s", first=Name(first), last=Name(last)
        )
    if column is None:
        return place
    return language.pgettext(
        "place", "%(line)s, column %(column)s", line=place, column=Name(column)
    )
