"""Which workload, precision, framework or system a text of others names.

Their words are in ``names.toml``. Each function returns ``None`` where a text names
nothing that we know, or several things: then the source's own word is all there is.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from benchdb.catalogue import workloads
from benchdb.resources import folder

TEXT_LIMIT = 300  # characters; longer texts are prose, not names
_CLUTTER = re.compile(r"\((?:R|TM|C)\)|[®™©]", re.IGNORECASE)
_DROPPED = re.compile(r"[^a-z0-9\u0080-\U0010ffff]+")
_MORE_OF_NAME = re.compile("-([a-z]{2,})(?![a-z0-9])")
_SHORT = {"half": "fp16", "single": "fp32", "double": "fp64"}  # alone, not in a name
System = tuple[str, str | None, str | None]
_Known = tuple[tuple[str, re.Pattern[str]], ...]  # names, and what finds them


@cache
def names() -> Mapping[str, Any]:
    """Return what ``names.toml`` says, table by table."""
    return tomllib.loads((folder("schema") / "names.toml").read_text("utf-8"))


@cache
def way(kind: str) -> re.Pattern[str]:
    """Return a pattern of ``names.toml``, by its kind."""
    return re.compile(names()["ways"][kind])


def tidied(text: str) -> str:
    """Return *text* with plain spaces, digits and letters, and without ® and ™."""
    plain = unicodedata.normalize("NFKC", _CLUTTER.sub(" ", text)).replace(
        "\u2010", "-"
    )
    return " ".join(plain.split())


@cache
def _patterns(table: str) -> Mapping[str, re.Pattern[str]]:
    return {
        meaning: re.compile(
            r"(?<![a-z0-9])(?:"
            + "|".join(sorted(spellings, key=len, reverse=True))
            + r")(?![a-z0-9])"
        )
        for meaning, spellings in names()[table].items()
    }


def meanings(text: str, table: str) -> list[str]:
    """Return the meanings in a table whose words *text* has; none in a long text.

    What is negated, as in "no CoreML", is named by none.
    """
    plain = tidied(text).casefold() if len(text) <= TEXT_LIMIT else ""
    plain = way("without").sub(" ", plain)
    return [name for name, pattern in _patterns(table).items() if pattern.search(plain)]


def workload(text: str) -> str | None:
    """Return our name of the workload; ``None`` for one that we do not have.

    ``ResNet-50 inference`` is another one than ``ResNet-50``, which is trained.
    """
    if len(text) > TEXT_LIMIT:
        return None
    name = tidied(text)
    while (shorter := way("around").sub("", name)) != name and shorter:
        name = shorter
    return _known_workloads().get(_key(name))


@cache
def _known_workloads() -> dict[str, str]:
    known = {_key(name): name for name in workloads()}
    known |= {_key(entry.title): name for name, entry in workloads().items()}
    spelt = names()["workloads"].items()
    return known | {_key(also): name for name, others in spelt for also in others}


def _key(name: str) -> str:
    return _DROPPED.sub("", name.casefold())


def precision(text: str) -> str | None:
    """Return ``fp16``, ``bf16`` …; ``fp16-mixed`` and ``mixed`` for mixed precision.

    Quantisations keep their own names in lower case: ``q4_k_m``, ``4-bit``.
    """
    if len(text) > TEXT_LIMIT:
        return None
    plain = tidied(text).casefold().replace("mixed_", "mixed ")
    mixed = way("mixed").search(plain)
    plain = way("beside_half").sub("", plain) if mixed else plain
    known = meanings(plain, "precisions")
    if mixed:
        if known in (["fp16"], ["bf16"]):
            return f"{known[0]}-mixed"
        return None if known else "mixed"
    if plain in _SHORT:
        return _SHORT[plain]
    if not known and way("quantised").fullmatch(plain):
        return plain.removesuffix("s")
    return known[0] if len(known) == 1 else None


def networks(text: str) -> tuple[str, ...]:
    """Return the networks that *text* names: ``Llama 3.1 8B``, ``YOLOv8n``.

    What they were tuned for (``Instruct``, ``it``) is left out: it costs nothing.
    """
    plain = way("joined").sub(" ", tidied(text)) if len(text) <= TEXT_LIMIT else ""
    places = (_places(plain, known) for known in _networks())
    named = next(filter(None, places), [])
    return tuple(dict.fromkeys(name for _, _, name in named))


@lru_cache(maxsize=4096)
def without_networks(text: str) -> str:
    """Return *text* without the names of known networks.

    What stands inside of them is no name: ``M2`` of MiniMax-M2, ``b0`` and ``tf`` of
    tf_efficientnet_b0.
    """
    plain = way("joined").sub(" ", text)
    for start, end, _ in reversed(_places(plain, _networks()[0])):
        text = plain = f"{plain[:start]} {plain[end:]}"
    return text


def _places(plain: str, known: _Known) -> list[tuple[int, int, str]]:
    """Return the names of *known* networks in *plain*, the longest, from left to right.

    Each is where it begins and ends, and what it is called.
    """
    matches = [
        (match.start(), -match.end(), name)
        for template, pattern in known
        for match in pattern.finditer(plain)
        if (name := _network(template, match))
    ]
    places: list[tuple[int, int, str]] = []
    for start, behind, name in sorted(matches):
        if not places or start >= places[-1][1]:
            places.append((start, -behind, name))
    return places


def is_language_model(text: str) -> bool:
    """Tell whether *text* names a network of a family of language models."""
    families = tuple(it.rstrip("*") for it in names()["networks"]["families"])
    return any(network.startswith(families) for network in networks(text))


def _network(template: str, match: re.Match[str]) -> str | None:
    """Return the name that *match* is; none where a family has no version and size."""
    if "kind" not in match.re.groupindex:
        return re.sub("-+$", "", " ".join(match.expand(template).split()))
    version, kind, *sizes = match.group("version", "kind", "size", "active")
    if not (version or any(sizes) or "1" in kind):
        return None
    head = template.removesuffix("*") + ("" if template[-1] == "*" else " ")
    kinds = {kind.casefold(): kind for kind in names()["networks"]["kinds"]}
    parts: list[str] = re.split(r"[\s:-]+", kind.casefold())
    words: list[str] = [kinds.get(part, part) for part in parts]
    words += (match["other"] or "").split("-")
    words += [size.upper().replace("X", "x") for size in sizes if size]
    return " ".join(" ".join((head + (version or ""), *words)).split())


@cache
def _networks() -> tuple[_Known, ...]:
    """Return what finds networks by their names, then others by how they are kept."""
    listed = names()["networks"]
    kinds = "|".join(map(re.escape, listed["kinds"]))
    behind = listed["behind"].replace("<kinds>", kinds)
    families = {name: f"(?:{it}){behind}" for name, it in listed["families"].items()}
    return tuple(
        tuple(
            (name, re.compile(rf"(?<![a-z0-9.])(?:{text})(?![a-z0-9])", re.IGNORECASE))
            for name, text in table.items()
        )
        for table in (families | listed["others"], listed["kept"])
    )


def quantization(text: str) -> str | None:
    """Return how *text* says that weights are kept: ``Q4_K_M``, ``4bit``, ``bf16``."""
    plain = tidied(text) if len(text) <= TEXT_LIMIT else ""
    ways = {
        match[1].upper() if match[1] else f"{match[2]}bit"
        for match in way("weights").finditer(plain)
    }
    if not ways and (kept := precision(plain)):
        return kept
    return ways.pop() if len(ways) == 1 else None


def framework(text: str) -> str | None:
    """Return the framework that *text* names, with or without a version.

    Keras beside TensorFlow is the surface of TensorFlow.
    """
    known = meanings(text, "frameworks")
    if len(known) > 1:
        known = [name for name in known if name != "keras"]
    return known[0] if len(known) == 1 else None


def framework_version(text: str) -> str | None:
    """Return the version right after a framework: ``1.13.0.dev20220611``."""
    name = framework(text)
    if name is None:
        return None
    plain = tidied(text).casefold()
    whole = _patterns("frameworks")[name].pattern.replace("(?![a-z0-9])", "")
    for match in re.finditer(names()["bare"].get(name, whole), plain):
        if version := way("version").match(plain[match.end() :]):
            return "".join(version[1].split())  # 2.11.0 + cu128
    return None


def framework_typed(text: str) -> str | None:
    """Return the framework that *text* names, unless its name goes on: vllm-foo.

    That is another program, where it is no device: ``llama.cpp-vulkan``.
    """
    plain, name = tidied(text).casefold(), framework(text)
    match = _patterns("frameworks")[name].search(plain) if name else None
    more = _MORE_OF_NAME.match(plain, match.end()) if match else None
    return name if more is None or meanings(more[1], "devices") else None


@lru_cache(maxsize=64)  # whole documents are asked about, several times
def frameworks(text: str) -> frozenset[str]:
    """Return all frameworks that *text* names, however long it is."""
    plain, known = way("without").sub(" ", text.casefold()), _patterns("frameworks")
    return frozenset(name for name, words in known.items() if words.search(plain))


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
    macos = rf"(?i)\b({'|'.join(names()['macos'])})\b"
    macs = {names()["macos"][name.lower()] for name in re.findall(macos, plain)}
    if macs or way("mac").search(plain):
        return None if others else _mac(plain, macs)
    if len(others) == 1:
        return others.pop()
    bare = re.search(r"(?<![A-Za-z])linux(?![A-Za-z])", plain, re.IGNORECASE)
    return ("Linux", None, None) if bare and not others else None


def _mac(plain: str, named: set[str]) -> System | None:
    build = way("mac_build").search(plain)
    versions = {
        match[1]
        for match in way("mac_version").finditer(way("mac_build").sub(" ", plain))
    }
    if len(named) > 1 or len(versions) > 1:
        return None
    version, name = next(iter(versions), None), next(iter(named), None)
    if version and name and not f"{version}.".startswith(f"{name}."):
        return None
    return "macOS", version or name, build[1] if build else None
