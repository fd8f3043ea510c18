"""The text of ``mlperf_log_summary.txt``: its facts with the lines they stand on."""

from collections.abc import Iterator, Sequence

import msgspec

TITLE = "MLPerf Results Summary"
_SECTIONS = {TITLE: "result", "Additional Stats": "stats"}
_SETTINGS = "Test Parameters Used"


class Fact(msgspec.Struct, frozen=True):
    """What stands behind a name, and on which line."""

    printed: str
    line: int


class Summary(msgspec.Struct):
    """One summary. *doubled* names a fact that stands twice with two values.

    *notes* are the counts of warnings and errors at the end.
    """

    line: int
    result: dict[str, Fact] = {}
    stats: dict[str, Fact] = {}
    settings: dict[str, Fact] = {}
    notes: list[str] = []
    doubled: str | None = None


def summaries(lines: Sequence[str]) -> Iterator[Summary]:
    """Yield every summary of a document, in order."""
    current: Summary | None = None
    facts: dict[str, Fact] = {}
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text == TITLE:
            if current is not None:
                yield current
            current = Summary(number)
            facts = current.result
        elif current is None:
            continue
        elif text == "Additional Stats":
            facts = current.stats
        elif text == _SETTINGS:
            facts = current.settings
        elif text.endswith("encountered. See detailed log.") or text.startswith("No "):
            current.notes.append(text)
        else:
            _add(current, facts, text, number)
    if current is not None:
        yield current


def _add(summary: Summary, facts: dict[str, Fact], text: str, line: int) -> None:
    """Add ``name : value``; advice in bullets and empty lines are no facts."""
    name, colon, value = text.partition(":")
    name, value = " ".join(name.split()), value.strip()
    if not colon or not value or name.startswith("*"):
        return
    if name in facts and facts[name].printed != value:
        summary.doubled = name
    facts.setdefault(name, Fact(value, line))
