"""``benchdb workloads``: what is measured."""

import json
from dataclasses import asdict

import typer

from benchdb import catalogue
from benchdb.cli.options import AsJson

app = typer.Typer(add_completion=False)


@app.command()
def workloads(as_json: AsJson = False) -> None:
    """Explain the workloads: model, shapes, what is timed, where it comes from."""
    known = catalogue.workloads()
    if as_json:
        plain = {name: asdict(workload) for name, workload in known.items()}
        typer.echo(json.dumps(plain, indent=2))
        return
    for workload in known.values():
        typer.echo("\n".join(_lines(workload)))
    for name, members in catalogue.SUITES.items():
        typer.echo(f"suite {name}: {', '.join(members)}")


def _lines(workload: catalogue.Workload) -> list[str]:
    mark = "" if workload.collected else " (published results only)"
    lines = [
        f"{workload.name}{mark}",
        f"  model       {workload.model}",
        f"  timed       {workload.timed}",
        f"  sources     {', '.join(workload.sources)}",
    ]
    facts = {k: v for k, v in workload.parameters.items() if v is not None}
    lines.append("  parameters  " + ", ".join(f"{k} {v}" for k, v in facts.items()))
    if workload.parameter_count:
        counts = (f"{n:,} ({fw})" for fw, n in workload.parameter_count.items())
        lines.append("  weights     " + ", ".join(counts))
    for framework, flops in workload.train_flops_per_sample.items():
        lines.append(f"  FLOPs       {flops:,} per sample in training ({framework})")
    if workload.sizes:
        lines.append("  sizes       " + ", ".join(map(str, workload.sizes)))
    return [*lines, ""]
