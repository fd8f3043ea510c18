"""The published results with hostile text wherever a stranger can put any."""

import json
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.published_runs import FOLDER
from tests.view_fixture import HOSTILE

# Its owner chose these words, and they reach every kind of section.
_FILES = ("m1tensorbench", "tf-metal-experiments", "needle-metal", "pytorch-in-m1")
# By type of line, what holds text that nobody looks up anywhere.
_FREE = {
    "source": ("title", "licence", "language", "document"),
    "machine": ("model", "label"),
    "environment": ("os_name", "os_version", "kernel", "framework_version"),
    "run": ("locator", "compiler", "device_name", "reason"),
    "end": ("reason",),
    "claim": ("statement", "printed", "locator"),
}


def files(folder: Path) -> list[Path]:
    """Write the exchange files into *folder*; each text comes around often."""
    # NUL is refused at the door.
    evil = cycle([text.replace("\0", "\1") for text in HOSTILE if text])
    return [_poisoned(FOLDER / f"{name}.jsonl", folder, evil) for name in _FILES]


def _poisoned(path: Path, folder: Path, evil: Iterator[str]) -> Path:
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    found = [json.dumps(_changed(line, evil)) for line in lines]
    written = folder / path.name
    written.write_text("\n".join(found) + "\n", "utf-8")
    return written


def _changed(line: dict[str, Any], evil: Iterator[str]) -> dict[str, Any]:
    line |= {name: next(evil) for name in _FREE.get(line["type"], ()) if line.get(name)}
    match line["type"]:
        case "source":
            line["authors"] = [next(evil), next(evil)]
            line["url"] = "javascript:alert(1)"
            line["document_sha256"] = None
        case "machine":
            # A chip keeps its name, so that it is compared, and gains some.
            line["chip"]["name"] += f" {next(evil)}"
        case "end":
            for value in line.get("values", ()):
                value |= {
                    name: next(evil)
                    for name in ("locator", "derived")
                    if value.get(name)
                }
    return line
