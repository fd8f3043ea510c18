"""Real files, and what may become of them: cut, spliced, damaged, exaggerated."""

import gzip
import json
import random
import re
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

from benchdb.bundles import container
from tools.torture.room import FIXTURES, PUBLISHED, ROOT

_SIZE = 10_000  # bytes of a text that are used; more of it is more of the same
_TOKENS = (
    b"NaN", b"-Infinity", b"1e999", b"-1", b"0", b"5e-324", b"1e308", b"null", b"true",
    b"9" * 400, b"18446744073709551616", b'"\\ud800"', b"\\u0000", b"\0", b"\xff",
    b"[]", b"{}", b"[" * 70, b'{"a":' * 70, b'""', b"|", b"|---|", b"\t", b"\r", b"\n",
    b"```", b"<td>", b"<table>", b"</tr>", b"$$", b"\xe2\x80\xae", b"\xf3\xa0\x80\xa1",
    b"\xef\xbb\xbf", b"1,5", b"1.234,56", b"\xef\xbc\x91\xef\xbc\x92", "½".encode(),
    b"3m7s", b"(a+)+$", b"2099-01-01", b"9999-12-31T23:59:60Z", b"=cmd|' /C calc'!A0",
    b"../../etc/passwd", b"x" * 5000, b'{"type":"header","format":1,"producer":"x"}',
)  # fmt: skip
# Of other bytes, by a key that is no more: to be refused, however it is damaged.
_SIGNATURE = b"""\
-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgu88a3B+pUqF08oV/rVntL7RAb1
jEr3MF20aC5Ymks2IAAAAHYmVuY2hkYgAAAAAAAAAGc2hhNTEyAAAAUwAAAAtzc2gtZWQy
NTUxOQAAAEAa3bSizUaazpMJpV/dVLGb/JL5/gCLoFaVOwAx6qCX1d1qbOhHNbdRn7pmsT
bmlgbLq9dYkGVYHw7vrzNUa9kA
-----END SSH SIGNATURE-----
"""
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_WORD = re.compile(rb'"[^"\n]{1,60}"')


class Seeds:
    """The files that inputs are made of, by kind."""

    def __init__(self) -> None:
        """Read them once."""
        self.by_kind: dict[str, list[tuple[str, bytes]]] = {
            "exchange": _read(
                *PUBLISHED,
                ROOT / "published" / "benchdb-cpu.jsonl",
                FIXTURES / "two_runs.jsonl",
                FIXTURES / "old_names.jsonl",
            ),
            "native": _read(*sorted((FIXTURES / "tools").iterdir())),
            "plain": _read(
                *sorted((FIXTURES / "import").iterdir()),
                *sorted((FIXTURES / "documents").glob("*.md")),
            ),
            "map": _read(*sorted((ROOT / "published" / "maps").glob("*.toml"))),
        }
        self.by_kind["bundle"] = [
            (".benchdb", packed(content, signature))
            for _, content in self.by_kind["exchange"]
            for signature in (None, _SIGNATURE)
        ]

    def mutant(self, chance: random.Random, kind: str) -> tuple[str, bytes]:
        """Return suffix and content of an input of a *kind*."""
        (suffix, seed), (_, other) = chance.choices(self.by_kind[kind], k=2)
        if kind != "bundle" or chance.randrange(2):
            return suffix, mutated(chance, seed, other)
        # Damage behind a manifest that holds, which no damaged byte would reach.
        _, content = self.mutant(chance, "exchange")
        signature = None if chance.randrange(4) else mutated(chance, _SIGNATURE, b"")
        return suffix, packed(content, signature)


def packed(content: bytes, signature: bytes | None) -> bytes:
    """Return a bundle of whole exchange lines, whose manifest says what they are."""
    whole = content[: content.rfind(b"\n") + 1]
    count, machines = 0, set()
    for line in whole.splitlines():
        with suppress(ValueError, TypeError, AttributeError, RecursionError):
            message = json.loads(line)
            count += message.get("type") == "run"
            if message.get("type") == "machine":
                machines.add(str(message.get("anonymous_id") or ""))
    bundle, runs = BytesIO(), BytesIO(gzip.compress(whole, mtime=0))
    about = container.Content(runs, tuple(sorted(machines)), count)
    seal = None if signature is None else signature.decode("ascii", "ignore")
    container.write(bundle, about, None if seal is None else lambda _: seal)
    return bundle.getvalue()


def _read(*paths: Path) -> list[tuple[str, bytes]]:
    whole = ".sqlite"  # half of one is nothing
    return [
        (path.suffix, path.read_bytes()[: None if path.suffix == whole else _SIZE])
        for path in paths
    ]


def mutated(chance: random.Random, content: bytes, other: bytes) -> bytes:
    """Return *content* with one to six changes, some of them from *other*."""
    for _ in range(chance.randint(1, 6)):
        content = chance.choice(_CHANGES)(chance, content, other)
    return content[: 10 * _SIZE]


def _place(chance: random.Random, content: bytes) -> int:
    return chance.randint(0, len(content))


def _flip(chance: random.Random, content: bytes, _: bytes) -> bytes:
    if not content:
        return content
    changed = bytearray(content)
    changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _insert(chance: random.Random, content: bytes, _: bytes) -> bytes:
    at = _place(chance, content)
    return content[:at] + chance.choice(_TOKENS) + content[at:]


def _cut(chance: random.Random, content: bytes, _: bytes) -> bytes:
    start, end = sorted((_place(chance, content), _place(chance, content)))
    return content[:start] + content[min(end, start + chance.choice((1, 9, 400))) :]


def _end(chance: random.Random, content: bytes, _: bytes) -> bytes:
    return content[: _place(chance, content)]


def _splice(chance: random.Random, content: bytes, other: bytes) -> bytes:
    return content[: _place(chance, content)] + other[_place(chance, other) :]


def _lines(chance: random.Random, content: bytes, other: bytes) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    match chance.randrange(4):
        case 0:
            chance.shuffle(lines)
        case 1:
            lines.insert(chance.randrange(len(lines)), chance.choice(lines))
        case 2:
            del lines[chance.randrange(len(lines))]
        case _:
            theirs = other.splitlines(keepends=True) or [b""]
            lines[chance.randrange(len(lines))] = chance.choice(theirs)
    return b"".join(lines)


def _instead(pattern: re.Pattern[bytes]) -> Callable[..., bytes]:
    def replaced(chance: random.Random, content: bytes, other: bytes) -> bytes:
        matches = [*pattern.finditer(content[:_SIZE])]
        if not matches:
            return _insert(chance, content, other)
        match = chance.choice(matches)
        theirs = [item[0] for item in pattern.finditer(other[:2000])]
        new = chance.choice((*_TOKENS, *theirs))
        return content[: match.start()] + new + content[match.end() :]

    return replaced


_CHANGES: tuple[Callable[[random.Random, bytes, bytes], bytes], ...] = (
    *(_flip, _insert, _cut, _end, _splice, _lines),
    *(_instead(_NUMBER), _instead(_NUMBER), _instead(_WORD), _instead(_WORD)),
)
