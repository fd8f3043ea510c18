"""Reports of what must never be pooled, as they are committed: ``make goldens``.

Two databases of our own making: a sweep over two axes, and one cell in two
environments. All figures are made up.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden_report import squeezed, text, write
from tests.golden_runs import GIB, Line
from tests.in_process import benchdb
from tests.page import parse

FOLDER = Path(__file__).parent / "golden_cells"
PROCESSES = 3
BATCH = 32
_PASSED = {"status": "passed"}
_CHECKS = {
    "gates": dict.fromkeys(("device", "parameter_count", "loss"), _PASSED),
    "steady": {"drift_pct": 0.1, "steady": True},
}
_QUIET = {"load_1m": 0.1, "cpu_count_usable": 8}


def contents(room: Path) -> dict[str, str]:
    """Write the reports to *room*; return the golden files by name."""
    values: dict[str, str] = {}
    for name, lines in (("two_axes", two_axes()), ("environments", environments())):
        document, database = room / f"{name}.jsonl", room / f"{name}.sqlite"
        document.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        imported = benchdb("import", document, "--db", database)
        assert (imported.status, imported.err) == (0, ""), imported.err
        report = room / name
        written = benchdb("report", "--lang", "en", "--db", database, "-o", report)
        assert written.status == 0, written.err
        page = (report / "report.en.html").read_text("utf-8")
        markdown = (report / "report.en.md").read_text("utf-8")
        csv = (report / "report.csv").read_bytes().decode()
        values |= {
            f"{name}.txt": text(parse(page)),
            f"{name}.md": squeezed(markdown),
            f"{name}.csv": csv.replace("\r\n", "\n"),
        }
    return values


def two_axes() -> Iterator[Line]:
    """Yield image size against layers that are trained, without and with Metal."""
    yield from _head({"now": ("2.13.0", "26.1")})
    seconds = {(96, "all"): 0.08, (96, "last"): 0.03, (128, "all"): 0.14}
    seconds[128, "last"] = 0.05
    turn = 0
    for device, factor in (("cpu", 6.0), ("metal", 1.0)):
        for (size, layers), step in seconds.items():
            facts = {"image_size": size, "trainable": layers}
            for replicate in range(PROCESSES):
                time = factor * step * (1 + replicate / 100)
                yield from _process(turn, "now", device, replicate, time, facts)
                turn += 1


def environments() -> Iterator[Line]:
    """Yield one cell under an old and a new framework and system, three times each."""
    yield from _head({"old": ("2.0.1", "13.4"), "new": ("2.13.0", "26.1")})
    turn = 0
    for key, device, step in (
        ("old", "cpu", 0.9),
        ("new", "cpu", 0.5),
        ("old", "metal", 0.2),
        ("new", "metal", 0.1),
    ):
        for replicate in range(PROCESSES):
            time = step * (1 + replicate / 100)
            facts = {"image_size": 96, "trainable": "all"}
            yield from _process(turn, key, device, replicate, time, facts)
            turn += 1


def _head(software: dict[str, tuple[str, str]]) -> Iterator[Line]:
    yield {
        "type": "header",
        "format": 1,
        "producer": "benchdb",
        "producer_version": "1",
    }
    yield {
        "type": "machine",
        "key": "mac",
        "chip": {"vendor": "Apple", "name": "Apple M2", "ram_bytes": 16 * GIB},
        "model": "Mac14,2",
        "anonymous_id": "golden-cells",
    }
    for key, (framework, system) in software.items():
        yield {
            "type": "environment",
            "key": key,
            "os_name": "macOS",
            "os_version": system,
            "framework": "torch",
            "framework_version": framework,
        }


def _process(
    turn: int,
    software: str,
    device: str,
    replicate: int,
    seconds: float,
    facts: dict[str, Any],
) -> Iterator[Line]:
    key = f"process-{turn}"
    yield {
        "type": "run",
        "key": key,
        "machine": "mac",
        "environment": software,
        "workload": "mobilenetv2-cifar10",
        "setting": "standard",
        "framework": "torch",
        "device": device,
        "precision": "fp32",
        "compiler": "eager",
        "parameters": {"batch_size": BATCH, **facts},
        "tier": "standard",
        "campaign": software,
        "replicate": replicate,
        "replicates": PROCESSES,
        "seed": 0,
        "collector": {"name": "with_torch", "version": "1", "sha256": "0" * 64},
        "started": f"2026-03-04T05:{turn:02}:07+00:00",
        "label": "measured",
        "conditions": _QUIET,
    }
    blocks = [seconds * 10] * 5
    yield {
        "type": "samples",
        "run": key,
        "phase": "measure",
        "per": 10,
        "values": blocks,
    }
    figures = {"step_seconds": seconds, "samples_per_second": BATCH / seconds}
    values = [{"metric": name, "value": value} for name, value in figures.items()]
    end = {"type": "end", "run": key, "status": "ok", "values": values}
    yield end | {"ended": f"2026-03-04T05:{turn:02}:37+00:00", "checks": _CHECKS}


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, contents)
