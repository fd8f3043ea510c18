"""``benchdb machine``: what would be shared about this machine."""

import json
from typing import Any

import typer

from benchdb.cli.console import AsJson
from benchdb.collecting.programs import fingerprint

app = typer.Typer(add_completion=False)


@app.command()
def machine(as_json: AsJson = False) -> None:
    """Show what would be shared about this machine.

    Nothing more is: no host name, user name, serial number, hardware address or home
    path is read into a result; the machine's identity is a salted hash.
    """
    facts = fingerprint()
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    for title, section in facts.items():
        typer.echo(title)
        for line in _lines(section):
            typer.echo(f"  {line}")


def _lines(section: dict[str, Any], prefix: str = "") -> list[str]:
    lines: list[str] = []
    for name, fact in section.items():
        if isinstance(fact, dict):
            lines += _lines(fact, f"{prefix}{name}.")
        elif name not in ("type", "key"):
            shown = fact if isinstance(fact, str) else json.dumps(fact)
            lines.append(f"{prefix}{name}: {shown}")
    return lines
