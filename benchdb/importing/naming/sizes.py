"""What stands beside the name of a chip: cores, memory, the Mac, how many of them."""

import re
from collections.abc import Callable

import msgspec

from benchdb import catalogue
from benchdb.importing.naming.words import names

_GIB = 2**30
_LIMIT = 300  # characters in which a Mac is looked for
_CORES = (
    r"(?:(?:cores?|c|kerne?|c(?:œ|oe)urs?|n[uú]cleos?)(?![A-Za-z])"
    r"|ядер|ядра|코어|核心|核|コア)"
)
_SEPARATOR = r"[\s-]*"
_COUNT = rf"(?<![\dA-Za-z])(?<!\d[.,])(\d{{1,3}}){_SEPARATOR}"


class Sizes(msgspec.Struct, frozen=True):
    """What stands there; *rest* are the words that say something else."""

    cpu_cores: int | None = None
    gpu_cores: int | None = None
    ram_bytes: int | None = None
    model: str | None = None
    count: int = 1
    virtual: bool = False
    rest: str = ""


class _Text:
    """A text that loses what was understood."""

    def __init__(self, before: str, after: str) -> None:
        self.left = f"{before} ¦ {after}"  # ¦ is where the chip's name stood

    def taken(
        self, pattern: re.Pattern[str], accept: Callable[[re.Match[str]], bool]
    ) -> re.Match[str] | None:
        """Return the first match that *accept* likes, and cut it out."""
        for match in pattern.finditer(self.left):
            if accept(match):
                cut = " ¦ " if "¦" in match[0] else " "
                self.left = self.left[: match.start()] + cut + self.left[match.end() :]
                return match
        return None


def beside(before: str, after: str, vendor: str, name: str) -> Sizes:
    """Return what the texts *before* and *after* the name of a chip say of it."""
    text = _Text(before, after)
    model = _model(text)
    virtual = text.taken(_VIRTUAL, _any) is not None
    cpu, gpu = _cores(text, vendor, name)
    ram = _ram(text)
    return Sizes(
        cpu_cores=cpu,
        gpu_cores=gpu,
        ram_bytes=ram,
        model=model,
        count=_counted(text),
        virtual=virtual,
        rest=_rest(text.left),
    )


def _any(match: re.Match[str]) -> bool:
    return match is not None


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.IGNORECASE) for one in patterns)


_VIRTUAL = re.compile(r"\(Virtual\)", re.IGNORECASE)
_CPU = _compiled(
    rf"{_COUNT}{_CORES}{_SEPARATOR}CPUs?(?![A-Za-z])",
    rf"{_COUNT}CPU{_SEPARATOR}{_CORES}",
    rf"(?<![A-Za-z])CPU:?\s*{_COUNT}{_CORES}",
    rf"(?<![A-Za-z])CPU{_SEPARATOR}{_CORES}:?\s*(\d{{1,3}})(?![\d.,])",
)
_APPLE = _compiled(r"(\d{1,3})P\+(\d{1,3})E(?:\+(\d{1,3})GPU)?(?![A-Za-z0-9])")[0]
_GPU = tuple(
    re.compile(one.pattern.replace("CPU", "GPU"), re.IGNORECASE) for one in _CPU
)
_BARE = re.compile(rf"{_COUNT}{_CORES}", re.IGNORECASE)
_PAIR = re.compile(
    r"(?<![\d.,A-Za-z/])(\d{1,2})\s*C?\s*[/+]\s*(\d{1,2})\s*C?(?![\d.,A-Za-z])",
    re.IGNORECASE,
)


def _cores(text: _Text, vendor: str, name: str) -> tuple[int | None, int | None]:
    """Return CPU and GPU cores; a bare count only where the catalogue settles it."""
    if apple := text.taken(_APPLE, _any):  # 8P+2E+16GPU
        return int(apple[1]) + int(apple[2]) or None, int(apple[3] or 0) or None
    cpu = next((int(m[1]) for p in _CPU if (m := text.taken(p, _any))), None)
    gpu = next((int(m[1]) for p in _GPU if (m := text.taken(p, _any))), None)
    sold = {
        (one.cpu_cores, one.gpu_cores)
        for one in catalogue.chips()
        if (one.vendor, one.name) == (vendor, name)
    }
    if cpu is None and gpu is None:
        pair = text.taken(_PAIR, lambda m: (int(m[1]), int(m[2])) in sold)
        if pair:
            return int(pair[1]), int(pair[2])
    cpus = {one for one, _ in sold}
    gpus = {one for _, one in sold}
    if gpu is None and (
        bare := text.taken(_BARE, lambda m: int(m[1]) in gpus - (cpus - {cpu, None}))
    ):
        gpu = int(bare[1])
    if cpu is None and (bare := text.taken(_BARE, lambda m: _of_cpu(m, cpus, gpus))):
        cpu = int(bare[1])
    return cpu or None, gpu or None


def _of_cpu(match: re.Match[str], cpus: set[int | None], gpus: set[int | None]) -> bool:
    """Tell whether a bare count is of the CPU: chips of others have no GPU cores."""
    return int(match[1]) in cpus - gpus if cpus - {None} else True


_RAM_WORD = (
    r"(?:of\s+)?(?:unified\s+)?(?:RAM|memory|Speicher|m[ée]moire|메모리|内存|メモリ)"
)
_RAM = _compiled(
    rf"(?<![\dA-Za-z])(?<!\d[.,])(\d{{1,4}})\s?(G|T)(?:i?B|o)?\s*{_RAM_WORD}",
    r"\b(?:RAM|memory|Speicher):?\s*(\d{1,4})\s?(G|T)(?:i?B|o)?(?![A-Za-z/])",
)
_SIZE = re.compile(
    r"(?<![\dA-Za-z])(?<!\d[.,])(\d{1,4})\s?(G)(?:i?B|o)?(?![A-Za-z])"
    r"(?!/s|\s?\w*\s*(?:SSD|HDD|disk|storage|NVMe|flash))",
    re.IGNORECASE,
)


def _ram(text: _Text) -> int | None:
    """Return the memory in bytes; of several sizes only one called memory."""
    for pattern in _RAM:
        if match := text.taken(pattern, _any):
            return _bytes(match)
    sizes = {match[0] for match in _SIZE.finditer(text.left)}
    match = text.taken(_SIZE, _any) if len(sizes) == 1 else None
    return _bytes(match) if match else None


def _bytes(match: re.Match[str]) -> int | None:
    return int(match[1]) * _GIB * (1024 if match[2].upper() == "T" else 1) or None


_TIMES = _compiled(
    r"(?<![\dA-Za-z])(?<!\d[.,])(\d{1,3})\s*[x×*]\s*¦",
    r"¦\s*\(?\s*[x×*]\s*(\d{1,3})(?![\d.,A-Za-z])",
)
_NUMERALS = {"dual": 2, "quad": 4}


def _counted(text: _Text) -> int:
    for pattern in _TIMES:
        if match := text.taken(pattern, lambda m: int(m[1]) > 0):
            return int(match[1])
    word = text.taken(re.compile(r"\b(dual|quad)\s*¦", re.IGNORECASE), _any)
    return _NUMERALS[word[1].lower()] if word else 1


_MODEL = re.compile(
    r"(?P<before>(?:\(?(?:20[0-3]\d|1[2-7](?:\.\d)?[\s-]*(?:inch|in|[\"”″]|''))\)?"
    r"[\s,]*){0,2})"
    r"(?<![A-Za-z])(?P<name>Mac\s?Book\s?Pro|Mac\s?Book\s?Air|Mac\s?Book|Mac\s?mini"
    r"|Mac\s?Studio|Mac\s?Pro|iMac\s?Pro|iMac|iPad\s?Pro|iPad\s?Air|MBP|MBA"
    r"|맥북\s?프로|맥북\s?에어|맥\s?미니|맥\s?스튜디오)(?![A-Za-z])"
    r"(?P<after>(?:[\s,(]*(?:20[0-3]\d|[12]\d(?:\.\d)?[\s-]*(?:inch|in|[\"”″]|''))\)?)"
    r"{0,2})",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.])(20[0-3]\d)(?![\d.])")
_INCHES = re.compile(r"([12]\d(?:\.\d)?)[\s-]*(?:inch|in|[\"”″]|'')", re.IGNORECASE)


def model(text: str) -> str | None:
    """Return the Mac that *text* names: ``MacBook Pro (16" 2021)``."""
    return _model(_Text(text[:_LIMIT], ""))


def _model(text: _Text) -> str | None:
    match = text.taken(_MODEL, _any)
    if match is None:
        return None
    name = names()["macs"]["".join(match["name"].lower().split())]
    around = f"{match['before']} {match['after']}"
    inches, year = _INCHES.search(around), _YEAR.search(around)
    if year is None:  # the year may stand apart: MacBook Pro M1 (2020)
        year = text.taken(_YEAR, _any)
    facts = [f'{inches[1]}"'] if inches else []
    facts += [year[1]] if year else []
    return f"{name} ({' '.join(facts)})" if facts else name


_IDLE = re.compile(
    r"[¦()\[\],;|+•·–—:]|(?<!\w)/|/(?!\w)|칩|芯片|チップ|radeon graphics"
    r"|(?<![A-Za-z])(?:a|an|and|und|with|mit|the|chip|soc|processor|apple|"
    r"silicon|nvidia|intel|amd)(?![A-Za-z])"
    r"|(?<![\d.,])\d[.,]?\d{0,2}\s?GHz|@|(?<!\S)-(?!\S)",
    re.IGNORECASE,
)


def _rest(left: str) -> str:
    return " ".join(_IDLE.sub(" ", left).split())
