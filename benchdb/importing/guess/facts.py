"""What one text says by itself: a header of a pivot, a heading, a file's name."""

import re

import msgspec

from benchdb.exchange.lines import Scalar
from benchdb.importing.guess.machines import Machines
from benchdb.importing.recognising import recognise

_BATCH = re.compile(
    r"(?<![a-z])(?:bs|b|batch(?:[ _-]?size)?|batchgröße|배치(?: ?크기| ?사이즈)?"
    r"|批大小|批次大小|batch de)\s*[:=×x]?\s*(\d{1,6})(?![\d.,])"
    r"|(?<![\d.,])(\d{1,6})[ -](?:batch|배치)(?![a-z])",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n|(?<=[\u3002\uff01\uff1f])")
_CORES = re.compile(r"(?<![\w.])\d{1,3}GPU(?!s)", re.IGNORECASE)  # 8P+16GPU
PROSE = 120  # characters; longer texts are sentences, not names


class Facts(msgspec.Struct, frozen=True):
    """Fields that a text sets. *assumed* says what rests on a guess."""

    fields: dict[str, Scalar] = {}
    assumed: tuple[str, ...] = ()
    words: str = ""


def facts(
    text: str, machines: Machines, *, numbers: bool = False, whole: bool = True
) -> Facts:
    """Return what *text* says of a run; machines are entered into *machines*."""
    if len(text) > PROSE:
        return Facts()
    fields: dict[str, Scalar] = {}
    assumed: list[str] = []
    chip = recognise.chip(text, numbers=numbers)
    if chip is not None:
        fields["machine"] = machines.key(text, chip, whole=whole)
    rest = _CORES.sub(" ", chip.rest if chip else text)
    if (device := recognise.device(rest, chip)) is not None:
        fields["device"] = device
        if recognise.device(rest) is None:
            assumed.append(f"the GPU of {chip.name if chip else text} ran by {device}")
    if (framework := recognise.framework(text)) is not None:
        fields["framework"] = framework
        if version := recognise.framework_version(text):
            fields["framework_version"] = version
    if (precision := recognise.precision(text)) is not None:
        fields["precision"] = precision
    if match := _BATCH.search(rest):
        fields["parameters.batch_size"] = int(match[1] or match[2])
    fields |= system(text)
    if (workload := _workload(text)) is not None:
        fields["workload"] = workload
    return Facts(fields, tuple(assumed), rest)


def system(text: str) -> dict[str, Scalar]:
    """Return the operating system that *text* names as fields."""
    found = recognise.os(text)
    if found is None:
        return {}
    names = ("os_name", "os_version", "os_build")
    return {name: one for name, one in zip(names, found, strict=True) if one}


def sentences(text: str) -> list[str]:
    """Return the sentences of *text*."""
    return [one.strip() for one in _SENTENCE.split(text[:2000]) if one.strip()]


_PIECES = re.compile(
    r"\s(?:on|with|using|in|mit|auf|unter|avec|sur|con|by)\s|[:–—|,(\[]", re.IGNORECASE
)
_ENDS = re.compile(
    r"\s+(?:results?|performance|throughput|speed|time|times|ergebnisse|résultats|결과"
    r"|结果)$",
    re.IGNORECASE,
)


def _workload(text: str) -> str | None:
    """Return the words that *text* begins with if they are a workload of ours.

    ``GEMM on H100`` is a ``GEMM``: nobody says that it is our product.
    """
    begin = _PIECES.split(text, maxsplit=1)[0].strip()
    words = (text, begin, _ENDS.sub("", begin))
    return next((one for one in words if recognise.workload(one)), None)
