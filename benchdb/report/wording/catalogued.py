"""What catalogues say of work, and sources claim, which are written in English once.

Babel takes the messages from these files by the functions that ``babel.toml`` names: a
new entry is a new message. Of texts that are alike but for a name or number there is
one, with placeholders.
"""

import json
import re
from collections.abc import Iterator
from typing import IO

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name

_WORK, _CLAIM = "description of work", "claim"
_ALIKE = tuple(
    map(
        re.compile,
        (
            r"(?P<network>.+), the network of the workload (?P<workload>\S+)",
            r"(?P<network>[^,(]+) with (?P<n>\d+) classes, (?P<shape>\S+)",
            r"(?P<network>\S+) with (?P<n>\d+) classes on CIFAR-10 shapes, "
            r"(?P<shape>\S+): (?P<layers>.+)",
            r"(?P<layers>Conv.+) on (?P<shape>\S+) images",
            r"(?P<layers>Masking.+) over (?P<n>\d+) steps of one feature, "
            r"(?P<least>\d+) to (?P<most>\d+) of them real",
            r"(?P<formula>C = A B) for square matrices (?P<size>M x M), entries "
            r"(?P<entries>.+), a block of C checked against float64",
            r"(?P<formula>C = A \+ B) for matrices (?P<size>M x M), entries "
            r"(?P<entries>.+), a block of C checked against float64",
            r"(?P<network>\S+) without its head, global average pooling, "
            r"(?P<layer>\S+), (?P<shape>\S+)",
            r"(?P<network>\S+) from its configuration, (?P<n>\d+) labels, sequences of "
            r"(?P<tokens>\d+) tokens",
            r"training steps: forward, backward, (?P<optimizer>[A-Z]\w+)",
            r"Speed-up of (?P<network>\S+) by Metal at batch (?P<n>\d+), the CPU being "
            r"100 %",
            r"(?P<metric>\w+) over (?P<n>\d+) tests",
        ),
    )
)
_Message = tuple[int, str, tuple[str, str], list[str]]


def work_text(language: Language, text: str) -> str:
    """Return what a catalogue says of a workload; a user's own as it is written."""
    parts = (_translated(language, _WORK, part) for part in text.split("; "))
    return language.semicolon.join(parts)


def statement_text(language: Language, statement: str) -> str:
    """Return what a source states, without a full stop; of others as it is written."""
    return _translated(language, _CLAIM, statement.rstrip(". "))


def work_messages(file: IO[bytes], *_: object, **__: object) -> Iterator[_Message]:
    """Yield the messages of a catalogue of workloads, as Babel asks for them."""
    for entry in json.load(file).values():
        for part in f"{entry['model']}; {entry['timed']}".split("; "):
            yield 0, "pgettext", (_WORK, _message(part)[0]), []


def claim_messages(file: IO[bytes], *_: object, **__: object) -> Iterator[_Message]:
    """Yield the messages of what published sources claim, as Babel asks for them."""
    for line in file:
        if b'"statement"' in line:
            statement = json.loads(line)["statement"].rstrip(". ")
            yield 0, "pgettext", (_CLAIM, _message(statement)[0]), []


def _message(text: str) -> tuple[str, dict[str, str]]:
    """Return the message for a *text*, and what stands in its placeholders."""
    for form in _ALIKE:
        if match := form.fullmatch(text):
            message, end = "", 0
            for name in form.groupindex:  # in their order
                start, stop = match.span(name)
                message += f"{_literal(text[end:start])}%({name})s"
                end = stop
            return message + _literal(text[end:]), match.groupdict()
    return _literal(text), {}


def _literal(text: str) -> str:
    return text.replace("%", "%%")


def _translated(language: Language, context: str, text: str) -> str:
    message, facts = _message(text)
    names = {name: Name(fact) for name, fact in facts.items()}
    result = language.pgettext(context, message, **names)
    if not facts:
        result = result % ()
    return result if result != text else language.isolate(text)
