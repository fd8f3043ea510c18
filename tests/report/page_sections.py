"""What the English page says in figures, and what the database holds, read apart.

Nothing here comes from the report's own code: the page is read as text, the database
with SQL of our own. Each figure of the page is found again by the run it leads to.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import exp, log
from pathlib import Path

from tests.page import Element

LETTERS = 12  # of a run's digest; the page names a run by so many
BESIDE = 8  # and the other processes of its cell
# Only its author knows what was timed in it: it is like that of no other source.
REPORTED = "reported_samples_per_second"
RATES = ("samples_per_second", "fit_samples_per_second", REPORTED)
TIMES = ("script_wall_seconds", "epoch_seconds")
# Remarks on the system and the batch, which say nothing of the figure.
HARMLESS = ("impossible-os", "slower-in-larger-batches")
# With one of these no figure can be true.
IMPOSSIBLE = ("above-peak", "cpu-percent-mismatch", "order-inverted")
# Parameters that say how long or by what means, or that are told elsewhere: the others
# say what a step computes.
_NOT_THE_WORK = {
    *("batch_size", "epochs", "images", "samples_total", "steps_per_epoch", "trials"),
    *("warmup_epochs", "attention", "data", "loader_processes", "memory_format"),
    *("optimizer_implementation", "grad_scaler", "learning_rate", "pretrained"),
    "threads",
}
_FAMILIES = ("macOS", "Windows")  # every other system is a Linux
_HALF = ("fp16", "bf16", "fp16-mixed", "bf16-mixed")
_PAUSE = timedelta(minutes=30)


@dataclass(frozen=True)
class Stored:
    """A run as the database holds it; *doubted* are metrics, ``None`` for all."""

    digest: str
    machine: str
    chip: str
    work: tuple[str, int, str, int | None]  # name, version, setting, batch size
    framework: str
    device: str
    precision: str | None
    compiler: str | None
    source: str | None
    system: tuple[str, str] | None  # name and major version
    limit: float | None  # watts of its card, where they are told
    parameters: dict[str, object]
    values: dict[str, float]
    doubted: frozenset[str | None]
    impossible: bool
    session: str

    @property
    def samples(self) -> float | None:
        """Return how many samples a time of all is of."""
        found = self.parameters.get("samples_total")
        return found if isinstance(found, int | float) else None

    def is_doubted(self, metric: str) -> bool:
        return bool(self.doubted & {None, metric})

    def conditions(self, metric: str) -> dict[str, object]:
        """Name what must agree for two figures to compare, in the page's words."""
        name, version, setting, batch = self.work
        samples = self.samples if metric in TIMES else None
        author = self.source if metric == REPORTED else None
        every = self.parameters.items()
        return {
            "work": {name: it for name, it in every if name not in _NOT_THE_WORK},
            "precision": "half" if self.precision in _HALF else self.precision,
            "compiler": self.compiler,
            "batch size": batch or 0,
            "framework": self.framework,
            "protocol": (name, version, setting, metric, samples, author),
        }


_RUNS = """
SELECT run.digest, run.machine, chip.name, run.workload, run.workload_version,
       run.setting, run.batch_size, run.framework, run.device, run.precision,
       run.compiler, run.source, environment.os_name, environment.os_version,
       environment.devices, run.parameters, run.campaign, run.started, run.ended
FROM run
JOIN environment ON environment.digest = run.environment
JOIN machine ON machine.digest = run.machine
JOIN chip ON chip.digest = machine.chip
"""
_VALUES = "SELECT run, metric, value FROM value WHERE value IS NOT NULL"
_DOUBTS = """
SELECT run, metric, code FROM flag
UNION ALL
SELECT run, nullif(metric, ''), code FROM finding
"""


def stored(database: Path) -> dict[str, Stored]:
    """Return all runs of *database* by the letters that a page names them with."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        rows = connection.execute(_RUNS).fetchall()
        values: dict[str, dict[str, float]] = {row[0]: {} for row in rows}
        for run, metric, value in connection.execute(_VALUES):
            values[run][metric] = value
        doubts: dict[str, set[str | None]] = {row[0]: set() for row in rows}
        impossible = set()
        for run, metric, code in connection.execute(_DOUBTS):
            if code not in HARMLESS:
                doubts[run].add(metric)
            if code in IMPOSSIBLE:
                impossible.add(run)
    connection.close()
    sessions = _sessions([(row[0], row[1], *row[-3:]) for row in rows])
    found = []
    for digest, machine, chip, name, version, setting, batch, *others in rows:
        framework, device, precision, compiler, source, *system = others[:7]
        devices, parameters = map(json.loads, others[7:9])
        run = Stored(
            *(digest, machine, chip, (name, version, setting, batch)),
            *(framework, device, precision, compiler),
            source=source,
            system=_system(*system),
            limit=devices[0].get("power_limit_watts") if devices else None,
            parameters=parameters,
            values=values[digest],
            doubted=frozenset(doubts[digest]),
            impossible=digest in impossible,
            session=sessions[digest],
        )
        found.append(run)
    by_letters = {run.digest[:LETTERS]: run for run in found}
    assert len(by_letters) == len(found)
    return by_letters


def _system(name: str | None, version: str | None) -> tuple[str, str] | None:
    major = re.match(r"\d+", version or "")
    return (name, major[0]) if name and major else None


def _sessions(rows: Iterable[tuple[str, str, str, str, str]]) -> dict[str, str]:
    """Return the first run of the session of each run: one campaign without a pause."""
    found, last, until, first = {}, None, None, ""
    for digest, machine, campaign, started, ended in sorted(
        rows, key=lambda row: (row[1], row[2] or "", row[3] or "", row[0])
    ):
        if campaign is None:
            found[digest] = digest
            continue
        start, end = map(datetime.fromisoformat, (started, ended or started))
        if last != (machine, campaign) or until is None or start - until > _PAUSE:
            last, until, first = (machine, campaign), end, digest
        until = max(until, end)
        found[digest] = first
    return found


@dataclass(frozen=True)
class Told:
    """A figure as the page writes it, and the runs that it leads to."""

    text: str
    runs: tuple[Stored, ...]

    def mean(self, metric: str) -> float:
        """Return the geometric mean of its sessions, each that of its runs."""
        sessions: dict[str, list[float]] = {}
        for run in self.runs:
            sessions.setdefault(run.session, []).append(run.values[metric])
        return geometric_mean([*map(geometric_mean, sessions.values())])

    def has(self, metric: str) -> bool:
        return all(metric in run.values for run in self.runs)

    def is_doubted(self, metric: str) -> bool:
        return any(run.is_doubted(metric) for run in self.runs)

    def metric(self, among: Iterable[str]) -> str:
        """Return which of the metrics *among* its runs the figure tells."""
        shared = [name for name in among if self.has(name)]
        fit = [name for name in shared if same(self.text, self.mean(name))]
        assert fit, (self.text, [(name, self.mean(name)) for name in shared])
        return fit[0]

    def throughput(self, metric: str) -> float:
        """Return samples per second, out of a time through the samples it covers."""
        if metric in RATES:
            return self.mean(metric)
        samples = self.runs[0].samples
        assert samples
        return samples / self.mean(metric)


def differences(one: Told, metric: str, other: Told, others: str) -> set[str]:
    """Name the conditions in which two figures are not alike.

    What one of two sources leaves out is no difference that anybody can name; within
    one source it is.
    """
    mine, beside = one.runs[0], other.runs[0]
    left, right = mine.conditions(metric), beside.conditions(others)
    unlike = {
        name
        for name, value in left.items()
        if value != right[name]
        and (None not in (value, right[name]) or mine.source == beside.source)
    }
    if mine.system and beside.system and _family(mine) == _family(beside):
        unlike |= {"operating system"} if mine.system != beside.system else set()
    return unlike


def _family(run: Stored) -> str:
    name = run.system[0] if run.system else ""
    return name if name in _FAMILIES else "Linux"


def geometric_mean(values: Sequence[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def numbers(text: str) -> list[str]:
    """Return the numbers of English *text* without the marks between thousands."""
    return [it.replace(",", "") for it in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def same(text: str, value: float) -> bool:
    """Tell whether the first number of *text* is *value*, rounded as it is there."""
    told = numbers(text)[0]
    decimals = len(told.partition(".")[2])
    half: float = 0.5 * 10**-decimals
    return abs(float(told) - value) <= half * (1 + 1e-9)


class Page:
    """The English page: its figures by section, each with the runs behind it."""

    def __init__(self, tree: Element, runs: dict[str, Stored]) -> None:
        self.tree = tree
        self._runs = runs
        self._by_id = {e.attributes["id"]: e for e in tree.having("id")}

    def by_id(self, name: str) -> Element:
        return self._by_id[name]

    def told(self, link: Element, text: str | None = None) -> Told:
        """Return the figure that *link* is; its address leads to a row with runs."""
        target = link.attributes["href"].removeprefix("#")
        last = self.by_id(target).all("td")[-1]
        beside = re.findall(rf"\b[0-9a-f]{{{BESIDE}}}\b", last.text)
        runs = (self._runs[target.removeprefix("run-")], *map(self._beside, beside))
        said = link.text if text is None else text
        return Told(re.sub(r" [A-CIX]$", "", said), runs)  # without its grade

    def _beside(self, name: str) -> Stored:
        (found,) = (run for key, run in self._runs.items() if key.startswith(name))
        return found

    def rows(self, table: Element) -> list[Element]:
        """Return the rows of *table* that have figures of runs."""
        return [row for row in table.all("tr") if figures(row)]


def figures(part: Element) -> list[Element]:
    """Return the links inside *part* that lead to runs."""
    links = part.all("a")
    return [a for a in links if a.attributes["href"].startswith("#run-")]


def one(part: Element, name: str, kind: str = "") -> Element:
    """Return the first element *name* inside *part*, of the class *kind* if given."""
    return next(e for e in part.all(name) if not kind or kind in e.classes)


def unlike(page: Page, part: Element) -> set[str]:
    """Return the conditions that the sign ≠ inside *part* names as different."""
    signs = [a for a in part.all("a") if "unlike-sign" in a.classes]
    said = [page.by_id(a.attributes["href"][1:]).text for a in signs]
    listed = [re.search(r"Differences: (.*)\.", text) for text in said]
    return {name for found in listed if found for name in enumerated(found[1])}


def enumerated(text: str) -> list[str]:
    """Return what an English enumeration lists."""
    return [part for part in re.split(r", and |, | and ", text) if part]


METRICS = {
    "whole script": ("script_wall_seconds",),
    "one epoch": ("epoch_seconds",),
    "one step": ("step_seconds", "reported_step_seconds"),
}
POWERS = {
    "mean power": "mean_power_watts",
    "peak power of the chip": "peak_soc_power_watts",
    "peak power of the GPU": "peak_gpu_power_watts",
    "peak power of unknown scope": "peak_power_watts",
}
# Two machines of a kind differ by so much, so single runs tell no less.
CHANCE = log(1.05)


@dataclass(frozen=True)
class Pair:
    """A row of the table with and without Metal: seconds, and how many times."""

    work: str
    chip: str
    cpu: Told
    metal: Told
    metric: str
    verdict: Element

    @property
    def gain(self) -> float:
        return self.cpu.mean(self.metric) / self.metal.mean(self.metric)

    @property
    def is_clear(self) -> bool:
        said = self.verdict.text
        return not re.search("unclear|even|insufficient|≠", said)

    @property
    def is_doubted(self) -> bool:
        return self.cpu.is_doubted(self.metric) or self.metal.is_doubted(self.metric)


def pairs(page: Page) -> list[Pair]:
    found = []
    for body in page.by_id("table-metal").all("tbody"):
        group = next(row for row in body.all("tr") if "group" in row.classes).text
        names = next(names for said, names in METRICS.items() if said in group)
        for row in body.all("tr"):
            cells = [td for td in row.all("td") if td.classes == ["number"]]
            if len(figures(row)) == 2:
                cpu, metal = (page.told(figures(cell)[0]) for cell in cells)
                metric, verdict = cpu.metric(names), one(row, "td", "verdict")
                work, chip = cpu.runs[0].work[0], cpu.runs[0].chip
                found.append(Pair(work, chip, cpu, metal, metric, verdict))
    return found


@dataclass(frozen=True)
class Rank:
    """A row of the ranking: its figures and ratios by column."""

    row: Element
    system: str
    told: dict[int, Told]
    ratios: dict[int, float]


def ranks(page: Page) -> list[Rank]:
    found = []
    for row in page.by_id("table-ranking").all("tbody")[0].all("tr"):
        cells = [td for td in row.all("td") if "mean" not in td.classes]
        told = {
            column: page.told(link, one(link, "small").text)
            for column, cell in enumerate(cells)
            for link in figures(cell)
        }
        ratios = {
            column: float(cell.attributes["data-ratio"])
            for column, cell in enumerate(cells)
            if "data-ratio" in cell.attributes
        }
        found.append(Rank(row, one(row, "th").text, told, ratios))
    return found


def baseline(page: Page) -> Rank:
    return next(it for it in ranks(page) if "baseline" in it.row.classes)


def common(page: Page) -> list[int]:
    heads = page.by_id("table-ranking").all("th", scope="col")[2:]
    return [i for i, th in enumerate(heads) if "data-common" in th.attributes]


def joules(page: Page) -> list[tuple[Element, str, Element]]:
    """Return the cells of the table of joules with the metric of their power."""
    table = one(page.by_id("efficiency"), "table", "joules")
    return [
        (one(row, "th"), next(POWERS[it] for it in POWERS if it in row.text), cell)
        for row in page.rows(table)
        for cell in row.all("td")
        if figures(cell)
    ]


def card(page: Page, question: str) -> tuple[str, str]:
    """Return the number of a headline and the sentences with it."""
    found = next(it for it in page.tree.all("article") if question in it.text)
    number, text = found.all("p")
    return number.text, text.text
