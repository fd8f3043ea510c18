"""A small report built by hand: published figures and one invented machine."""

from msgspec.structs import replace

from benchdb.report.sections import ONLY_WITH_DATA, SECTIONS
from benchdb.report.view.listed import ClaimRow
from benchdb.report.view.page import Report
from tests.view_listings import answers, machines, notes, sources, values
from tests.view_sections import (
    LSTM,
    RESNET,
    THROUGHPUT,
    digest,
    distance,
    metal,
    ranking,
    rate,
    seconds,
    system,
)

__all__ = [
    "HOSTILE",
    "LSTM",
    "RESNET",
    "THROUGHPUT",
    "digest",
    "distance",
    "empty",
    "hostile",
    "metal",
    "ranking",
    "rate",
    "report",
    "seconds",
    "system",
    "values",
    "with_sections",
]


NONE = dict.fromkeys(name for name in SECTIONS if name not in ONLY_WITH_DATA)


def with_sections(report: Report, **sections: object) -> Report:
    """Return *report* with other *sections*."""
    return replace(report, sections={**report.sections, **sections})


def report() -> Report:
    """Return the whole example."""
    rows = values()
    compared = {"metal": metal(), "ranking": ranking(), "distance": distance()}
    return Report(
        values_count=len(rows),
        systems_count=len({row.system.key for row in rows}),
        sources_count=3,
        newest="2026-11-20",
        database_digest="5d" * 32,
        answers=answers(),
        values=rows,
        machines=machines(),
        notes=notes(),
        sources=sources(),
        sections={**NONE, **compared},
    )


def empty() -> Report:
    """Return what a fresh database gives."""
    return Report(0, 0, 0, None, "00" * 32, (), (), (), (), (), sections=NONE)


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "| a | b |\n| - | - |",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/p.png)",
    "`code` **bold** _em_ ~~gone~~",
    "$\\frac{$",
    "$$x^2$$",
    "=cmd|' /C calc'!A0",
    "\u202egnp.exe",
    "\u2066hidden\u2069",
    "&lt;b&gt; &amp;",
    "# heading",
    "1. list",
    "- list",
    "> quote",
    "https://evil.example www.evil.example me@evil.example",
    "@someone :smile: #1",
    "<https://evil.example>",
    "\x00\x1b[31mred\x7f",
    "ends with a backslash\\",
    "",
    "x" * 10_000,
)


def hostile(text: str) -> Report:
    """Return the example with *text* wherever a machine or a stranger can put it."""
    plain = report()
    odd = replace(plain.values[0].system, chip=text, model=text, framework=text)
    row = replace(
        plain.values[1],
        system=odd,
        quantity=None,
        reason=text,
        precision=text,
        compiler=text,
        locator=text,
        status="failed",
    )
    group = plain.sections["metal"].groups[0]
    rows = (replace(group.rows[0], chip=text, model=text), *group.rows[1:])
    groups = (replace(group, rows=rows), *plain.sections["metal"].groups[1:])
    note = replace(plain.notes[0], subject={"chip": text}, detail={"printed": text})
    machine = replace(plain.machines[0], chip=text, model=text, os=text)
    claim = ClaimRow("claimed", text, text, text, None, (text,))
    place = replace(plain.sources[0], title=text, authors=(text,), claims=(claim,))
    plain = with_sections(
        plain,
        metal=replace(plain.sections["metal"], groups=groups),
        ranking=replace(plain.sections["ranking"], baseline=odd),
        distance=replace(plain.sections["distance"], reference=odd),
    )
    return replace(
        plain,
        values=(row, *plain.values),
        machines=(machine, *plain.machines[1:]),
        notes=(note, *plain.notes[1:]),
        sources=(replace(place, licence=text, url=text), *plain.sources[1:]),
    )
