"""Files that somebody forged from runs that benchdb ships."""

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from statistics import fmean, median
from typing import Any

from benchdb.resources import folder
from tests.in_process import benchdb

PUBLISHED = folder("published")
TO_COME = "2099-01-01T00:00:00.000+00:00"
Line = dict[str, Any]
Change = Callable[[Line], None]
PROCESSES = 2
DECIDE = "; decide with: benchdb sources"
# Some processes of one cell: ResNet-50 in fp32 on one H200.
_CELL = {
    "campaign": "20261121-h200-a",
    "workload": "resnet50",
    "precision": "fp32",
    "setting": "standard",
}
_BATCH = 128
_RATES = {
    "samples_per_second",
    "fit_samples_per_second",
    "mfu_percent",
    "samples_per_joule",
    "mean_power_watts",
}


@cache
def _lines() -> list[bytes]:
    """Return the lines of one shipped cell, with all that they refer to."""
    kept, runs = [], set()
    for raw in (PUBLISHED / "benchdb-h200.jsonl").read_bytes().splitlines():
        line = json.loads(raw)
        if line["type"] == "run":
            if not _wanted(line):
                continue
            runs.add(line["key"])
        if line.get("run") is None or line["run"] in runs:
            kept.append(raw)
    return kept


def _wanted(run: Line) -> bool:
    few = run["replicate"] < PROCESSES
    usual = run["parameters"].get("memory_format") == "contiguous"
    alike = all(run.get(name) == fact for name, fact in _CELL.items())
    return alike and few and usual and run["parameters"]["batch_size"] == _BATCH


def changed(source: Path | Iterable[bytes], path: Path, *changes: Change) -> Path:
    """Write the lines of *source* to *path*, each as *changes* leave it."""
    if isinstance(source, Path):
        source = source.read_bytes().splitlines()
    lines = [json.loads(raw) for raw in source]
    for line in lines:
        for change in changes:
            change(line)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def forged(path: Path, *changes: Change) -> Path:
    """Write the shipped cell to *path*, each line as *changes* leave it."""
    return changed(_lines(), path, *changes)


def document(path: Path, *changes: Change) -> Path:
    """Write the shipped m1tensorbench to *path*, each line as *changes* leave it."""
    return changed(PUBLISHED / "m1tensorbench.jsonl", path, *changes)


def edition(room: Path, published: str) -> Path:
    """Write a published document once more, faster, as an edition of that date."""

    def faster_(line: Line) -> None:
        for value in line.get("values", ()):
            if value.get("value") is not None:
                value["value"] *= 3

    dated = on("source", published=published, document_sha256="5" * 64)
    needle = PUBLISHED / "needle-metal.jsonl"
    return changed(needle, room / "edition.jsonl", dated, faster_)


def on(kind: str, **facts: Any) -> Change:
    """Return what sets *facts* of the lines of this *kind*."""

    def change(line: Line) -> None:
        if line["type"] == kind:
            line.update(facts)

    return change


def figure(metric: str, factor: float) -> Change:
    """Return what multiplies the figure of *metric*."""

    def change(line: Line) -> None:
        for value in line.get("values", ()) if line["type"] == "end" else ():
            if value["metric"] == metric:
                value["value"] *= factor

    return change


def chip(**facts: Any) -> Change:
    """Return what sets *facts* of the chip of each machine."""

    def change(line: Line) -> None:
        if line["type"] == "machine":
            line["chip"] = {"vendor": "Apple", **facts}
            line["missing"] = {}

    return change


def faster(factor: float) -> Change:
    """Return what divides the times of the figures, and raises the rates."""

    def change(line: Line) -> None:
        for value in line.get("values", ()) if line["type"] == "end" else ():
            metric, figure_ = value["metric"], value.get("value")
            if figure_ and metric.endswith("_seconds"):
                value["value"] = figure_ / factor
            elif figure_ and metric in _RATES:
                value["value"] = figure_ * factor

    return change


def scaled(factor: float) -> Change:
    """Return what makes a run faster with all of its samples."""
    figures = faster(factor)

    def change(line: Line) -> None:
        if line["type"] == "samples":
            line["values"] = [item / factor for item in line["values"]]
        figures(line)

    return change


def consistent(path: Path, factor: float, changes: Sequence[Change]) -> Path:
    """Write the shipped cell faster, so that nothing in it gives the forger away.

    All times are new, and each figure is computed from them.
    """
    noise = random.Random(1)  # noqa: S311 - no secret
    times: dict[tuple[str, str], list[float]] = {}

    def recomputed(line: Line) -> None:
        if line["type"] == "samples":
            line["values"] = [
                item / factor * noise.gauss(1, 0.0003) for item in line["values"]
            ]
            each = [item / line.get("per", 1) for item in line["values"]]
            times.setdefault((line["run"], line["phase"]), []).extend(each)
        elif line["type"] == "end":
            of_run = {name: times[line["run"], name] for name in _PHASES}
            _computed(line, factor, of_run)

    return changed(_lines(), path, *changes, recomputed)


_PHASES = ("measure", "seed")


def _computed(end: Line, factor: float, times: dict[str, list[float]]) -> None:
    """Write the figures that follow from the *times* of steps, and times of the whole.

    Over the epochs of a fit no more is done than in their samples.
    """
    step, fit = median(times["measure"]), fmean(times["seed"])
    figures = {
        "step_seconds": step,
        "samples_per_second": _BATCH / step,
        "fit_samples_per_second": _BATCH / fit / 1.0001,
    }
    for value in end["values"]:
        metric, was = value["metric"], value.get("value")
        if was is None:
            continue
        if metric == "mfu_percent":
            peak = end["checks"]["gates"]["peak_rate"]["peak_flops"]
            was = 100 * end["checks"]["operations_per_step"] / step / peak
        elif metric.endswith("_seconds") or metric == "energy_joules":
            was /= factor
        elif metric == "samples_per_joule":
            was *= factor
        value["value"] = figures.get(metric, was)
    end["checks"]["energy"]["window_seconds"] /= factor


def as_mac(name: str) -> Change:
    """Return what relabels a machine, its system and its device as a Mac."""
    of_kind: dict[str, Line] = {
        "environment": {"os_name": "macOS", "os_version": "26.0", "devices": []},
        "run": {"device": "metal", "device_name": f"Apple {name}", "conditions": {}},
        "machine": {"virtual": False},
    }
    of_chip = chip(name=name, gpu_cores=40)

    def change(line: Line) -> None:
        line.update(of_kind.get(line["type"], {}))
        of_chip(line)

    return change


def renumbered(line: Line) -> None:
    """Make a process another replicate of its campaign, an hour later."""
    if line["type"] == "run":
        line["replicate"] += 7
        line["started"] = line["started"].replace("T21", "T22")


def backdated(line: Line) -> None:
    renumbered(line)
    if line["type"] == "run":
        line["started"] = "1999-01-01T00:00:00+00:00"


def noisy(line: Line) -> None:
    """Give all samples of a block other times: a forger who knows of copies.

    The middle of them stays, so that the figures follow from them.
    """
    if line["type"] == "samples" and line["phase"] == "measure":
        line["values"] = [*reversed(line["values"])]


def without_samples(line: Line) -> None:
    if line["type"] == "samples":
        line["values"] = []


def truncated(count: int) -> Change:
    def change(line: Line) -> None:
        if line["type"] == "samples":
            line["values"] = line["values"][:count]

    return change


def checked(peak_flops: float | None = None, **facts: Any) -> Change:
    """Return what sets *facts* of the checks of each run, or the peak of its gate."""

    def change(line: Line) -> None:
        if line["type"] == "end":
            line["checks"].update(facts)
            if peak_flops is not None:
                line["checks"]["gates"]["peak_rate"]["peak_flops"] = peak_flops

    return change


def lasting(seconds: float) -> Change:
    """Return what makes a meter's window last so long."""

    def change(line: Line) -> None:
        if line["type"] == "end":
            line["checks"]["energy"]["window_seconds"] = seconds

    return change


def parameters(**facts: Any) -> Change:
    def change(line: Line) -> None:
        if line["type"] == "run":
            line["parameters"].update(facts)

    return change


def renamed_chip(old: str, new: str) -> Change:
    """Return what makes the machines with one chip those with another."""

    def change(line: Line) -> None:
        if line["type"] == "machine" and line["chip"]["name"] == old:
            line["chip"]["name"], line["label"] = new, new
        elif line["type"] == "run" and old in (line.get("device_name") or ""):
            line["device_name"] = line["device_name"].replace(old, new)

    return change


def import_(database: Path | str, *paths: Path) -> None:
    """Import *paths*; nothing is refused, and only proposals are left to decide on."""
    done = benchdb("import", *paths, "--db", database)
    assert done.status == 0, done.err
    assert all(line.endswith(DECIDE) for line in done.err.splitlines()), done.err


def shown(database: Path | str) -> list[Line]:
    """Return what ``show`` says of each run, in the order of ``list``.

    The database must be sound.
    """
    check = benchdb("db", "check", "--db", database)
    assert check.status == 0, check.out
    listed = benchdb("list", "--runs", "--json", "--db", database)
    assert listed.status == 0, listed.err
    return shown_of(database, [run["digest"] for run in json.loads(listed.out)])


def shown_of(database: Path | str, digests: Iterable[str]) -> list[Line]:
    """Return what ``show`` says of each of the runs *digests*."""
    runs = []
    for digest in digests:
        done = benchdb("show", digest, "--json", "--db", database)
        assert done.status == 0, done.err
        runs.append(json.loads(done.out))
    return runs


def doubts(runs: list[Line]) -> Counter[tuple[str, str | None]]:
    """Return how often each code was found about each metric."""
    return Counter(
        (item["code"], item["metric"]) for run in runs for item in run["findings"]
    )


def grades(runs: list[Line]) -> set[str]:
    return {run["grade"]["letter"] for run in runs}


def newest(database: Path) -> set[str]:
    return _digests(database, "SELECT run FROM newest")


def stored(database: Path) -> set[str]:
    return _digests(database, "SELECT digest FROM run")


def _digests(database: Path, query: str) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {name for (name,) in connection.execute(query)}
