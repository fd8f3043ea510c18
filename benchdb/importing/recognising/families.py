"""Families of chips: how people write them, and the names that systems print.

The catalogue has only some of their members.
The groups of a pattern, joined by spaces, are the name; the vendor stands apart.
"""

import re
from collections.abc import Iterable

import msgspec

# Not \b: "M1칩" names an M1, and letters of other alphabets are letters for \b.
# "8xA100" has eight of them.
_START = r"(?:(?<![A-Za-z0-9.])|(?<=\dx))"
_END = r"(?![A-Za-z0-9])"


class Family(msgspec.Struct, frozen=True):
    """How members are written. *name* is put before the groups of *pattern*."""

    vendor: str
    pattern: re.Pattern[str]
    name: str = ""
    accelerator: bool = False

    def member(self, match: re.Match[str]) -> str:
        """Return the name that a system prints for what *match* found."""
        parts = [self.name, *(group for group in match.groups() if group)]
        name = " ".join(cased(word) for part in parts for word in part.split())
        for pattern, printed in _PRINTED:
            name = pattern.sub(printed, name)
        return name


def _family(
    vendor: str, pattern: str, name: str = "", *, accelerator: bool = False
) -> Family:
    whole = f"{_START}(?:{vendor}[\\s-]+)?{pattern}{_END}"
    return Family(vendor, re.compile(whole, re.IGNORECASE), name, accelerator)


def _cards(vendor: str, patterns: Iterable[tuple[str, str]]) -> list[Family]:
    return [_family(vendor, one, name, accelerator=True) for one, name in patterns]


_CAPITALS = """
Pro Max Ultra Bionic Fusion GeForce RTX GTX GT Ti SUPER Laptop with Max-Q Design
Quadro Tesla TITAN Ada Generation Blackwell SFF Xp Jetson Orin Xavier Nano Radeon
Vega VII Duo Instinct RX XT XTX GRE Arc UHD HD Iris Plus Xe Graphics Core Duo Quad
Xeon Gold Silver Bronze Platinum Phi Pentium Celeron Atom EPYC Ryzen Threadripper AI
Snapdragon Elite Plus Gen Graviton Altra Gaudi TPU Data Center
"""
_WORDS = {word.lower(): word for word in _CAPITALS.split()}


def cased(word: str) -> str:
    """Return *word* of a name with the capitals that systems print."""
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    if re.fullmatch(r"i[3579]", word, re.IGNORECASE):
        return word.lower()
    if re.fullmatch(r"v\d\w?", word, re.IGNORECASE):
        return word.lower()
    return word.upper() if any(char.isdigit() for char in word) else word


_PRINTED = tuple(
    (re.compile(pattern), printed)
    for pattern, printed in (
        (r"(Core i\d) (?=\d)", r"\1-"),
        (r"Core M(?=[357-]|$)", "Core m"),
        (r" S$", " SUPER"),
        (r"GRAVITON|Graviton ", "Graviton"),
        (r" (?:Laptop|Mobile)$", " Laptop GPU"),
        (r" Max-Q$", " with Max-Q Design"),
        (r" Ada$", " Ada Generation"),
    )
)

_APPLE = [
    _family("Apple", r"(?:Silicon\s+)?(M[1-9])(?!\.\w)(?:[\s_-]*(Pro|Max|Ultra))?"),
    _family("Apple", r"(A\d{1,2}[XZ]?)\s+(Pro|Bionic|Fusion)"),
    Family(
        "Apple", re.compile(rf"{_START}Apple\s+(A\d{{1,2}}[XZ]?){_END}", re.IGNORECASE)
    ),
]
_SUFFIX = r"(?:[\s-]*(Ti))?(?:[\s-]*(SUPER|S))?"
_MOBILE = (
    r"(?:\s*\(?(Laptop|Mobile)(?:\s+GPU)?\)?|\s+(?:with\s+)?(Max-Q)(?:\s+Design)?)?"
)
_GEFORCE = _cards(
    "NVIDIA",
    [
        (
            rf"(?:GeForce\s+)?(RTX)[\s-]*([2-6]0[5-9]0){_SUFFIX}(?:\s*(D))?{_MOBILE}",
            "GeForce",
        ),
        (rf"(?:GeForce\s+)?(GTX)[\s-]*(\d{{3,4}}M?){_SUFFIX}{_MOBILE}", "GeForce"),
        (r"(?:GeForce\s+)?(GT)[\s-]*(\d{3,4}M?)", "GeForce"),
        (rf"GeForce\s+([2-6]0[5-9]0){_SUFFIX}{_MOBILE}", "GeForce RTX"),
        (r"([2-6]0[5-9]0)[\s-]*(Ti)(?:[\s-]*(SUPER))?", "GeForce RTX"),
        (r"([2-6]0[5-9]0)[\s-]*(SUPER)", "GeForce RTX"),
        (r"(10[5-8]0|1660)[\s-]*(Ti)", "GeForce GTX"),
        (r"(?:GeForce\s+)?(GTX)\s+(TITAN)\s*(X|Z|Black)", "GeForce"),
        (r"(?:GeForce\s+)(MX\d{3})", "GeForce"),
        (r"(TITAN)\s*(RTX|Xp|X|V)", ""),
    ],
)
_PROFESSIONAL = _cards(
    "NVIDIA",
    [
        (r"(RTX\s+PRO\s+\d{4})(?:\s+(Blackwell))?", ""),
        (r"(?:RTX[\s-]*)(A\d{3,4})", "RTX"),
        (r"(A(?:2000|4000|4500|5000|5500|6000))", "RTX"),
        (r"RTX[\s-]*([2-8][05]00)(?:\s+(SFF))?(?:\s+(Ada)(?:\s+Generation)?)?", "RTX"),
        (r"(Quadro\s+RTX)\s*(\d{4})", ""),
        (r"(Quadro\s+[KMPTG][VP]?\d{3,4}M?)", ""),
        (r"Tesla\s+([KMPT]\d{1,3}[cmx]?)", "Tesla"),
        (r"(T4|K80|K40|P40|M40|M60)", "Tesla"),
        (r"(L40S|L40|L4|A10G|A30|A40)", ""),
    ],
)
# Apple has an A10 and an A16 too: those need the vendor's name.
_NAMED = [
    Family(
        "NVIDIA",
        re.compile(
            rf"{_START}NVIDIA\s+(A2|A10|A16|L20|T[1-9]\d00?|P[1-6]\d00){_END}",
            re.IGNORECASE,
        ),
        accelerator=True,
    )
]
_JETSON = [
    _family(
        "NVIDIA",
        r"(Jetson\s+(?:AGX\s+Orin|AGX\s+Xavier|AGX\s+Thor|Orin\s+Nano|Orin\s+NX"
        r"|Xavier\s+NX|Nano|TX[12]))",
    ),
    _family("NVIDIA", r"(GB10)"),
]
_RADEON = _cards(
    "AMD",
    [
        (r"(?:Radeon\s+)?(RX)[\s-]*(\d{3,4}[MS]?)(?:[\s-]*(XTX|XT|GRE))?", "Radeon"),
        (r"(5[67]00|6[4-9][05]0|7[6-9]00|90[67]0)[\s-]*(XTX|XT)", "Radeon RX"),
        (r"(?:Radeon\s+)?(?:RX\s+)?Vega[\s-]*(56|64)", "Radeon RX Vega"),
        (r"Radeon\s+(Pro\s+Vega\s+(?:II(?:\s+Duo)?|\d\dX?))", "Radeon"),
        (r"Radeon\s+(Pro\s+(?:W|WX|V)?\s?\d{3,4}[XM]?(?:\s+Duo)?)", "Radeon"),
        (r"Radeon\s+(VII|R[579]\s+\d{3}X?|HD\s*\d{4}M?|\d{3,4}[MS])", "Radeon"),
        (r"(?:Radeon\s+)?(?:Instinct\s+)?(MI\d{2,3}[AX]?)", "Instinct"),
    ],
)
_INTEL_GRAPHICS = _cards(
    "Intel",
    [
        (r"U?HD\s+Graphics\s+(\d{3,4})", "UHD Graphics"),
        (r"UHD\s+(\d{3})", "UHD Graphics"),
        (r"(Iris\s+(?:Plus|Pro|Xe)(?:\s+Graphics)?(?:\s+\d{3,4})?)", ""),
        (r"(Arc\s+(?:Pro\s+)?[AB]\d{2,3}M?)", ""),
        (r"(Data\s+Center\s+GPU\s+Max\s+\d{4})", ""),
        (r"Gaudi\s*([123])", "Gaudi"),
    ],
)
# "Core i7 2018" tells a year; "Core i7-2600" and "Core i7 2600" tell a model.
_NOT_A_YEAR = r"(?!20[0-3]\d(?![A-Za-z0-9]))"
_MODEL = rf"(?:-|\s+{_NOT_A_YEAR})(\d{{3,5}}[A-Z0-9]{{0,3}})"
_INTEL = [
    _family("Intel", r"(?:Core\s+)?(i[3579])" + _MODEL, "Core"),
    _family("Intel", r"(?:Core\s+)?(i[3579])", "Core"),
    _family("Intel", r"(Core\s+m[357]?(?:-\w{1,8})?)"),
    _family("Intel", r"(Core\s+Ultra\s+[3579](?:\s+\d{3}[A-Z]{0,2})?)"),
    _family("Intel", r"(Core\s+2\s+(?:Duo|Quad)(?:\s+\w\d{4})?)"),
    _family("Intel", r"(Core\s+[3579]\s+\d{3}[A-Z]{0,2})"),
    _family(
        "Intel",
        r"(Xeon)(?:\s+(Gold|Silver|Bronze|Platinum|Phi|Max|W))?"
        rf"(?:(?:-|\s+{_NOT_A_YEAR})((?:E[357]?-|[DEW]-)?\d{{4,5}}[A-Z]{{0,2}}))?"
        r"(?:\s*(v\d))?",
    ),
    _family("Intel", r"((?:Pentium|Celeron|Atom)(?:\s+[A-Z]{0,2}-?\d{3,5}[A-Z]?)?)"),
]
_AMD = [
    _family(
        "AMD", r"(Ryzen)\s+([3579])(?:\s+(PRO))?(?:\s+|-)(\d{3,4}(?:X3D|[A-Z]{0,2}))"
    ),
    _family("AMD", r"(Ryzen\s+AI\s+Max\+?(?:\s+PRO)?\s+\d{3})"),
    _family("AMD", r"(Ryzen\s+AI\s+[3579]\s+(?:HX\s+)?(?:PRO\s+)?\d{3})"),
    _family("AMD", r"(Ryzen\s+[3579])"),
    _family(
        "AMD",
        r"(?:Ryzen\s+)?(Threadripper(?:\s+PRO)?(?:\s+\d{4}W?X)?)",
        "Ryzen",
    ),
    _family("AMD", r"(EPYC(?:\s+\d\w{2,4})?)"),
    _family("AMD", r"([1-9]\d[05]0(?:X3D|X|G))"),
    _family("AMD", r"(FX-\d{4})"),
]
_OTHERS = [
    _family("Qualcomm", r"(Snapdragon\s+X(?:\s+(?:Elite|Plus))?)"),
    _family("Qualcomm", r"(Snapdragon\s+\d{1,3}(?:\w?\s+Gen\s*\d)?)"),
    _family("AWS", r"(Graviton\s*[1-9])"),
    _family("Ampere", r"(Altra(?:\s+Max)?)"),
    _family("Arm", r"((?:Cortex|Neoverse)-[A-Z]\d{1,3})"),
    _family("Google", r"(?:Cloud\s+)?TPU\s*-?(v\d[ep]?)", "TPU", accelerator=True),
]
FAMILIES: tuple[Family, ...] = (
    *_APPLE,
    *_GEFORCE,
    *_PROFESSIONAL,
    *_NAMED,
    *_JETSON,
    *_RADEON,
    *_INTEL_GRAPHICS,
    *_INTEL,
    *_AMD,
    *_OTHERS,
)
# A number alone names a card only where cards are spoken of.
NUMBERS: tuple[Family, ...] = (
    *_cards(
        "NVIDIA",
        [
            (rf"([2-6]0[5-9]0){_SUFFIX}", "GeForce RTX"),
            (rf"(9[5-8]0|10[5-8]0|16[3-6]0){_SUFFIX}", "GeForce GTX"),
        ],
    ),
)
