"""What stands beside the name of a chip: cores, memory, the Mac, how many of them."""

import re
from collections.abc import Callable
from typing import Any

from benchdb import chips as catalogue
from benchdb.importing.naming.names import names

GIB = 2**30
_LIMIT = 300  # characters in which a Mac is looked for
_CORES = (
    r"(?:(?:cores?|c|kerne?|c(?:œ|oe)urs?|n[uú]cleos?)(?![A-Za-z])"
    r"|ядер|ядра|코어|核心|核|コア)"
)
_SEPARATOR = r"[\s-]*"
_COUNT = rf"(?<![\dA-Za-z])(?<!\d[.,])(\d{{1,3}}){_SEPARATOR}"
_RAM_WORD = (
    r"(?:of\s+)?(?:unified\s+)?(?:RAM|memory|Speicher|m[ée]moire|메모리|内存|メモリ)"
)


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.IGNORECASE) for one in patterns)


def _cores_of(side: str) -> tuple[re.Pattern[str], ...]:
    return _compiled(
        rf"{_COUNT}{_CORES}{_SEPARATOR}{side}s?(?![A-Za-z])",
        rf"{_COUNT}{side}{_SEPARATOR}{_CORES}",
        rf"(?<![A-Za-z]){side}:?\s*{_COUNT}{_CORES}",
        rf"(?<![A-Za-z]){side}{_SEPARATOR}{_CORES}:?\s*(\d{{1,3}})(?![\d.,])",
    )


_CPU, _GPU = _cores_of("CPU"), _cores_of("GPU")
_VIRTUAL = _compiled(r"\(Virtual\)")
_APPLE = _compiled(r"(\d{1,3})P\+(\d{1,3})E(?:\+(\d{1,3})GPU)?(?![A-Za-z0-9])")
_BARE = _compiled(rf"{_COUNT}{_CORES}")
_PAIR = _compiled(
    r"(?<![\d.,A-Za-z/])(\d{1,2})\s*C?\s*[/+]\s*(\d{1,2})\s*C?(?![\d.,A-Za-z])"
)
_RAM = _compiled(
    rf"(?<![\dA-Za-z])(?<!\d[.,])(\d{{1,4}})\s?(G|T)(?:i?B|o)?\s*{_RAM_WORD}",
    r"\b(?:RAM|memory|Speicher):?\s*(\d{1,4})\s?(G|T)(?:i?B|o)?(?![A-Za-z/])",
)
_SIZE = _compiled(
    r"(?<![\dA-Za-z])(?<!\d[.,])(\d{1,4})\s?(G)(?:i?B|o)?(?![A-Za-z])"
    r"(?!/s|\s?\w*\s*(?:SSD|HDD|disk|storage|NVMe|flash))",
)
_TIMES = _compiled(
    r"(?<![\dA-Za-z])(?<!\d[.,])(\d{1,3})\s*[x×*]\s*¦",
    r"¦\s*\(?\s*[x×*]\s*(\d{1,3})(?![\d.,A-Za-z])",
)
_NUMERAL = _compiled(r"\b(dual|quad)\s*¦")
_MODEL = _compiled(
    r"(?P<before>(?:\(?(?:20[0-3]\d|1[2-7](?:\.\d)?[\s-]*(?:inch|in|[\"”″]|''))\)?"
    r"[\s,]*){0,2})"
    r"(?<![A-Za-z])(?P<name>Mac\s?Book\s?Pro|Mac\s?Book\s?Air|Mac\s?Book|Mac\s?mini"
    r"|Mac\s?Studio|Mac\s?Pro|iMac\s?Pro|iMac|iPad\s?Pro|iPad\s?Air|MBP|MBA"
    r"|맥북\s?프로|맥북\s?에어|맥\s?미니|맥\s?스튜디오)(?![A-Za-z])"
    r"(?P<after>(?:[\s,(]*(?:20[0-3]\d|[12]\d(?:\.\d)?[\s-]*(?:inch|in|[\"”″]|''))\)?)"
    r"{0,2})"
)
_YEAR = _compiled(r"(?<![\d.])(20[0-3]\d)(?![\d.])")
_INCHES = re.compile(r"([12]\d(?:\.\d)?)[\s-]*(?:inch|in|[\"”″]|'')", re.IGNORECASE)
_IDLE = re.compile(
    r"[¦()\[\],;|+•·–—:]|(?<!\w)/|/(?!\w)|칩|芯片|チップ|radeon graphics"
    r"|(?<![A-Za-z])(?:a|an|and|und|with|mit|the|chip|soc|processor|apple|"
    r"silicon|nvidia|intel|amd)(?![A-Za-z])"
    r"|(?<![\d.,])\d[.,]?\d{0,2}\s?GHz|@|(?<!\S)-(?!\S)",
    re.IGNORECASE,
)


class _Text:
    """A text that loses what was understood; ¦ is where the chip's name stood."""

    def __init__(self, left: str) -> None:
        self.left = left

    def take(
        self,
        patterns: tuple[re.Pattern[str], ...],
        accept: Callable[[re.Match[str]], bool] = lambda match: True,
    ) -> re.Match[str] | None:
        """Return the first match that *accept* likes, and cut it out."""
        for pattern in patterns:
            for match in filter(accept, pattern.finditer(self.left)):
                cut = " ¦ " if "¦" in match[0] else " "
                self.left = self.left[: match.start()] + cut + self.left[match.end() :]
                return match
        return None


def beside(before: str, after: str, vendor: str, name: str) -> dict[str, Any]:
    """Return what the texts *before* and *after* the name of a chip say of it.

    Those are fields of ``RecognisedChip``; *rest* are the words that say something
    else.
    """
    text = _Text(f"{before} ¦ {after}")
    model = _model(text)
    virtual = text.take(_VIRTUAL) is not None
    cpu, gpu = _cores(text, vendor, name)
    size = text.take(_RAM)
    # Of several sizes only one called memory is.
    if size is None and len({match[0] for match in _SIZE[0].finditer(text.left)}) == 1:
        size = text.take(_SIZE)
    terabytes = size is not None and size[2].upper() == "T"
    times = text.take(_TIMES, lambda match: int(match[1]) > 0)
    numeral = None if times else text.take(_NUMERAL)
    return {
        "cpu_cores": cpu,
        "gpu_cores": gpu,
        "ram_bytes": int(size[1]) * GIB * (1024 if terabytes else 1) or None
        if size
        else None,
        "model": model,
        "count": int(times[1])
        if times
        else {"dual": 2, "quad": 4}[numeral[1].lower()]
        if numeral
        else 1,
        "virtual": virtual,
        "rest": " ".join(_IDLE.sub(" ", text.left).split()),
    }


def _cores(text: _Text, vendor: str, name: str) -> tuple[int | None, int | None]:
    """Return CPU and GPU cores; a bare count only where the catalogue settles it."""
    if apple := text.take(_APPLE):  # 8P+2E+16GPU
        return int(apple[1]) + int(apple[2]) or None, int(apple[3] or 0) or None
    cpu, gpu = (int(m[1]) if (m := text.take(side)) else None for side in (_CPU, _GPU))
    sold = {
        (one.cpu_cores, one.gpu_cores)
        for one in catalogue.chips()
        if (one.vendor, one.name) == (vendor, name)
    }
    if cpu is None and gpu is None:
        pair = text.take(_PAIR, lambda m: (int(m[1]), int(m[2])) in sold)
        if pair:
            return int(pair[1]), int(pair[2])
    cpus = {one for one, _ in sold}
    gpus = {one for _, one in sold}
    if gpu is None and (
        bare := text.take(_BARE, lambda m: int(m[1]) in gpus - (cpus - {cpu, None}))
    ):
        gpu = int(bare[1])
    # Chips of others than Apple have no GPU cores: a bare count is of the CPU.
    known = bool(cpus - {None})
    if cpu is None and (
        bare := text.take(_BARE, lambda m: not known or int(m[1]) in cpus - gpus)
    ):
        cpu = int(bare[1])
    return cpu or None, gpu or None


def model(text: str) -> str | None:
    """Return the Mac that *text* names: ``MacBook Pro (16" 2021)``."""
    return _model(_Text(text[:_LIMIT] + " ¦ "))


def _model(text: _Text) -> str | None:
    match = text.take(_MODEL)
    if match is None:
        return None
    name = names()["macs"]["".join(match["name"].lower().split())]
    around = f"{match['before']} {match['after']}"
    # The year may stand apart: MacBook Pro M1 (2020).
    year = _YEAR[0].search(around) or text.take(_YEAR)
    inches = _INCHES.search(around)
    facts = [f'{inches[1]}"'] if inches else []
    facts += [year[1]] if year else []
    return f"{name} ({' '.join(facts)})" if facts else name
