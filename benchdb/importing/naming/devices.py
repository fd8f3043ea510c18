"""Which device, precision, framework or operating system a text names.

Each function returns ``None`` where a text names nothing that we know, or several
things: then the source's own word is all there is.
"""

import re

from benchdb.exchange.lines import Device
from benchdb.importing.naming.chips import RecognisedChip
from benchdb.importing.naming.words import (
    TEXT_LIMIT,
    meaning,
    meanings,
    names,
    patterns,
    tidied,
)

_NEGATED = re.compile(
    r"(?<![a-z])(?:no|non|not|without|w/o|ohne|kein\w*|sans|sin|disabled|off)(?![a-z])"
)
_GPU = re.compile(r"(?<![a-z])gpus?(?![a-z])", re.IGNORECASE)
_GPU_OF: dict[str, Device] = {"Apple": "metal", "NVIDIA": "cuda", "Google": "tpu"}
_MIXED = re.compile(r"(?<![a-z])(?:mixed|amp|gemischt|混合精度)(?![a-z])")
_QUANTISED = re.compile(r"i?q\d(?:_[a-z0-9]{1,4}){0,2}|\d-?bits?")
_VERSION = r"[ =_v-]*(\d{1,4}(?:\.\d{1,9}){1,3}(?:[.+-]?[a-z0-9]{1,40}){0,4})"
# Without the version of their own that some words of these have.
_BARE = {
    "tensorflow": r"(?:tensorflow(?:[ -](?:macos|metal|gpu|cpu))*|tf)",
    "keras": r"(?:keras)",
}


def device(text: str, on: RecognisedChip | None = None) -> Device | None:
    """Return the back end that *text* names.

    ``GPU`` names none, unless it is known whose it is: *on* a chip of Apple it is
    ``metal``, on a card of NVIDIA ``cuda``. ``CPU/GPU`` and ``without GPU`` name none.
    """
    plain = tidied(text).casefold() if len(text) <= TEXT_LIMIT else ""
    if _NEGATED.search(plain):
        return None
    known: list[Device] = meanings(plain, "devices")  # type: ignore[assignment]
    if len(known) == 1:  # CPU/GPU names two
        return None if known == ["cpu"] and _GPU.search(plain) else known[0]
    if not known and on is not None and _GPU.search(plain):
        return _GPU_OF.get(on.vendor)
    return None


def precision(text: str) -> str | None:
    """Return ``fp16``, ``bf16`` …; ``fp16-mixed`` and ``mixed`` for mixed precision.

    Quantisations keep their own names in lower case: ``q4_k_m``, ``4-bit``.
    """
    if len(text) > TEXT_LIMIT:
        return None
    plain = tidied(text).casefold().replace("mixed_", "mixed ")
    known = meanings(plain, "precisions")
    if _MIXED.search(plain):
        if known in (["fp16"], ["bf16"]):
            return f"{known[0]}-mixed"
        return None if known else "mixed"
    if not known and _QUANTISED.fullmatch(plain):
        return plain.removesuffix("s")
    return known[0] if len(known) == 1 else None


def framework(text: str) -> str | None:
    """Return the framework that *text* names, with or without a version.

    Keras beside TensorFlow is the surface of TensorFlow.
    """
    known = meaning(text, "frameworks")
    if known is None:
        without = re.sub(r"(?i)(?<![a-z])keras(?![a-z])", " ", text)
        known = meaning(without, "frameworks") if without != text else None
    return known


def framework_version(text: str) -> str | None:
    """Return the version right after a framework: ``1.13.0.dev20220611``."""
    name = framework(text)
    if name is None:
        return None
    plain = tidied(text).casefold()
    whole = patterns("frameworks")[name].pattern.replace("(?![a-z0-9])", "")
    for match in re.finditer(_BARE.get(name, whole), plain):
        if version := re.match(_VERSION, plain[match.end() :]):
            return version[1]
    return None


def frameworks(text: str) -> frozenset[str]:
    """Return all frameworks that *text* names, however long it is."""
    plain, known = text.casefold(), patterns("frameworks")
    return frozenset(name for name, words in known.items() if words.search(plain))


_MAC = re.compile(r"\b(?:mac\s?os(?:\s?x)?|os\s?x)\b", re.IGNORECASE)
_MAC_VERSION = re.compile(r"(?<![\w.])(\d{2}(?:\.\d{1,2}){0,2})(?![\w.]*\w)")
_MAC_BUILD = re.compile(r"(?<![A-Za-z0-9])(\d{2}[A-Z]\d{2,5}[a-z]?)(?![A-Za-z0-9])")
System = tuple[str, str | None, str | None]


def os(text: str) -> System | None:
    """Return name, version and build; ``None`` if none is named, or if two are.

    A name of a macOS stands for its version; both must agree where both are there.
    """
    plain = tidied(text) if len(text) <= TEXT_LIMIT else ""
    known = names()["systems"]
    words = "|".join(map(re.escape, known))
    other = (
        rf"(?i)(?<![A-Za-z0-9])({words})(?:\s+(?:server|gnu/linux|linux))?"
        r"(?:\s+(\d{1,4}(?:\.\d{1,4}){0,2})(?![\w.]*\w))?"
    )
    others = {(known[m[1].lower()], m[2], None) for m in re.finditer(other, plain)}
    macs = {names()["macos"][name.lower()] for name in re.findall(_macos(), plain)}
    if macs or _MAC.search(plain):
        return None if others else _mac(plain, macs)
    if len(others) == 1:
        return others.pop()
    bare = re.search(r"(?<![A-Za-z])linux(?![A-Za-z])", plain, re.IGNORECASE)
    return ("Linux", None, None) if bare and not others else None


def _macos() -> str:
    return rf"(?i)\b({'|'.join(names()['macos'])})\b"


def _mac(plain: str, named: set[str]) -> System | None:
    build = _MAC_BUILD.search(plain)
    versions = {match[1] for match in _MAC_VERSION.finditer(_MAC_BUILD.sub(" ", plain))}
    if len(named) > 1 or len(versions) > 1:
        return None
    version, name = next(iter(versions), None), next(iter(named), None)
    if version and name and not f"{version}.".startswith(f"{name}."):
        return None
    return "macOS", version or name, build[1] if build else None
