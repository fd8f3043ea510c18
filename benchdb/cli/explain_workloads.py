"""``benchdb workloads``: what is measured."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import typer

from benchdb import catalogue
from benchdb.cli.console import AsJson, counted
from benchdb.own_catalogue import own

app = typer.Typer(add_completion=False)

_WIDTH = 100
_INDENT = 14
Rows = Iterator[tuple[str, str]]


@app.command()
def workloads(as_json: AsJson = False) -> None:
    """Explain what can be measured: workloads and suites.

    Model, shapes, what is timed, which source it comes from; last come the names for
    work that only others have measured so far, with the parameters that make it.
    """
    known, suites = catalogue.workloads(), catalogue.suites()
    if as_json:
        plain = {
            "workloads": msgspec.to_builtins(known),
            "suites": msgspec.to_builtins(suites),
        }
        typer.echo(json.dumps(plain, indent=2))
        return
    for workload in known.values():
        typer.echo("\n".join(_explained(workload)) + "\n")
    for suite in suites.values():
        typer.echo(f"suite {suite.name}")
        typer.echo("\n".join(_wrapped(_entries(suite))) + "\n")


def _explained(workload: catalogue.Workload) -> Iterator[str]:
    yield f"{workload.name}: {workload.title}"
    yield from _wrapped(iter([("model", workload.model)]))
    yield from _wrapped(_facts(msgspec.to_builtins(workload)))
    for name, otherwise in workload.settings.items():
        yield f"  in setting {name}:"
        yield from _wrapped(_facts(otherwise), 2)


def _wrapped(rows: Rows, more: int = 0) -> Iterator[str]:
    for name, text in rows:
        yield textwrap.fill(
            text,
            width=_WIDTH,
            initial_indent=" " * more + f"  {name:<{_INDENT - 3}} ",
            subsequent_indent=" " * (_INDENT + more),
            break_on_hyphens=False,
        )


def _facts(facts: Mapping[str, Any]) -> Rows:
    """Yield what is known of a workload, or what a setting of it does otherwise."""
    for name in ("timed", "setting"):
        if name in facts:
            yield name, facts[name]
    if facts.get("sources"):
        yield "sources", ", ".join(facts["sources"])
    if facts.get("parameters"):
        yield "parameters", _pairs(facts["parameters"])
    yield from _sweep(facts.get("grid", {}), facts.get("smoke", {}))
    if facts.get("parameter_count"):
        yield "weights", _by_framework(facts["parameter_count"])
    for name, words in facts.get("choices", {}).items():
        yield "choice", f"{name}: {', '.join(words)}"
    if facts.get("cell") and facts["name"] not in catalogue.collected():
        mine = facts["name"] in own().workload
        by = "yours" if mine else "others only; no collector of benchdb runs it"
        yield "measured", f"by {by}"
        yield "cell", ", ".join(facts["cell"])
    yield from _flops(facts.get("train_flops_per_sample", ()))
    if facts.get("work"):
        yield "work", facts["work"]
    yield from _source_protocol(facts.get("seed_protocol", {}))
    if facts.get("data"):
        yield "data", f"synthetic, or your {facts['data']} files with --data"


def _sweep(grid: Mapping[str, Any], smoke: Mapping[str, Any]) -> Rows:
    for name, values in grid.items():
        yield "sweep", f"{name} {_listed(values)}"
    if smoke:
        yield "smoke", ", ".join(f"{k} {_listed(v)}" for k, v in smoke.items())


def _flops(given: Any) -> Rows:
    if isinstance(given, Mapping):
        given = ({"flops": given},) if given else ()
    for case in given:
        point = {name: value for name, value in case.items() if name != "flops"}
        where = f" at {_pairs(point)}" if point else ""
        counts = _by_framework(case["flops"])
        yield "FLOPs", f"{counts} per sample in training{where}"


def _source_protocol(plan: Mapping[str, Any]) -> Rows:
    match plan.get("kind"):
        case "fit":
            warmup = plan.get("warmup_epochs", 0)
            first = f"{_epochs(warmup)} of warm-up, then " if warmup else ""
            steps = f"{_epochs(plan['epochs'])} of {plan['steps_per_epoch']} steps"
            yield "source did", first + steps
        case "epoch":
            loaders = plan.get("loader_processes", 0)
            by = f", loaded by {counted(loaders, 'process')}" if loaders else ""
            yield "source did", f"one pass over {plan['samples']:,} samples{by}"
        case "trials":
            yield "source did", f"the mean of {plan['trials']} single operations"


def _entries(suite: catalogue.Suite) -> Rows:
    yield "what it is", suite.title
    if suite.source:
        yield "source", suite.source
    for entry in suite.entries:
        parts = [entry.workload]
        parts += [f"setting {entry.setting}"] if entry.setting else []
        parts += [f"{name} {_listed(values)}" for name, values in entry.grid.items()]
        parts += [f"{c} with {framework}" for framework, c in entry.compiler.items()]
        if entry.steps_per_epoch:
            parts.append(f"{entry.steps_per_epoch} steps per epoch")
        parts += [f"on {' and '.join(entry.devices)} only"] if entry.devices else []
        yield "runs", ", ".join(parts)


def _epochs(number: int) -> str:
    return "one epoch" if number == 1 else f"{number} epochs"


def _by_framework(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} ({name})" for name, count in counts.items())


def _pairs(facts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {v}" for name, v in facts.items() if v is not None)


def _listed(value: Any) -> str:
    some = value if isinstance(value, list | tuple) else (value,)
    return "/".join(map(str, some))
