"""The file of a bundle: a tar archive that has one form only.

A manifest with the digest of each part comes first, then what signs the manifest, then
the parts. Names, order, headers, padding and end are all given, so that a reader knows
every byte that is not in a member: one that differs was altered. Nothing is ever
unpacked under a name that a file gives.
"""

import gzip
import hashlib
import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from typing import IO, Protocol

import msgspec

from benchdb import __version__
from benchdb.errors import ExchangeError
from benchdb.exchange.validation import UNDERSTANDABLE, reason
from benchdb.identity import canonical

FORMAT = 1
MANIFEST, RUNS, RETRACTIONS = "manifest.json", "runs.jsonl.gz", "retractions.jsonl"
SIGNATURE, SIGSTORE = "manifest.json.sig", "manifest.json.sigstore.json"
# What is read as a whole, and how large it may be.
_IN_MEMORY = {MANIFEST: 16 * 2**20, SIGNATURE: 64 * 2**10, SIGSTORE: 2**20}
_ORDER = {MANIFEST: 0, SIGNATURE: 1, SIGSTORE: 1, RUNS: 2, RETRACTIONS: 3}
_BLOCK, _PIECE = 512, 2**20  # bytes
_MAGIC = b"ustar\x0000"
_MAGIC_AT, _SIZE_AT, _CHECK_AT = 257, 124, 148  # bytes into a header
_LARGEST = 8**11 - 1  # bytes of a member, as a header can say
_FREE, _FACTOR = 64 * 2**20, 250  # bytes, and times as large as packed; runs take 20


class AlteredError(ExchangeError):
    """A bundle is not as it was made; *where* is the member that shows it."""

    def __init__(self, where: str, why: str) -> None:
        """Say in one line where, and why."""
        super().__init__(f"altered at {where}: {why}")
        self.where, self.why = where, why


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part by its *name*, with the digest of its bytes."""

    name: str
    sha256: str
    bytes: int


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is in a bundle: parts, how many runs, and the ids of their machines."""

    format: int
    producer: str
    producer_version: str
    parts: tuple[Part, ...]
    runs: int
    machines: tuple[str, ...]


class Members(msgspec.Struct, frozen=True):
    """What was found in a bundle: the *manifest*, as written, and what signs it.

    *places* are where the bytes of each part begin; they are as the manifest says.
    """

    manifest: Manifest
    written: bytes
    places: tuple[int, ...]
    signature: str | None = None
    sigstore: bytes | None = None


def is_bundle(stream: IO[bytes]) -> bool:
    """Tell whether a stream is meant to be a bundle, be it damaged; rewind it."""
    start = stream.read(_BLOCK)
    stream.seek(0)
    magic = start[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)]
    if start.startswith(MANIFEST.encode() + b"\0"):
        return True
    # Another archive is no bundle; a byte of ours may have been altered, or the order.
    first = start.partition(b"\0")[0].decode("ascii", errors="replace")
    return magic == _MAGIC and bool(get_close_matches(first, _ORDER, cutoff=0.8))


class Content(msgspec.Struct, frozen=True):
    """What is to be bundled: exchange lines, packed, and lines of retractions."""

    runs: IO[bytes]
    machines: tuple[str, ...]
    count: int
    retractions: IO[bytes] | None = None


def packer(stream: IO[bytes]) -> gzip.GzipFile:
    """Return a file that packs into *stream*, which is to be as good as empty."""
    # Neither a name nor a time, so that the same lines give the same bytes.
    return gzip.GzipFile("", "wb", 9, stream, mtime=0)


def write(
    stream: IO[bytes], content: Content, sign: Callable[[bytes], str] | None
) -> Manifest:
    """Write a bundle, its manifest signed by *sign* if that is given."""
    parts = [(RUNS, content.runs)]
    if content.retractions is not None:
        parts.append((RETRACTIONS, content.retractions))
    manifest = Manifest(
        FORMAT,
        "benchdb",
        __version__,
        tuple(part_of(name, part) for name, part in parts),
        content.count,
        content.machines,
    )
    if max(part.bytes for part in manifest.parts) > _LARGEST:
        raise ExchangeError("more than 8 GiB do not fit in a bundle; export less")
    written = canonical(msgspec.to_builtins(manifest))
    _write_small(stream, MANIFEST, written)
    if sign is not None:
        _write_small(stream, SIGNATURE, sign(written).encode("ascii"))
    for (_, part), about in zip(parts, manifest.parts, strict=True):
        stream.write(_header(about.name, about.bytes))
        part.seek(0)
        shutil.copyfileobj(part, stream, _PIECE)
        stream.write(_padding(about.bytes))
    stream.write(bytes(2 * _BLOCK))
    return manifest


def part_of(name: str, stream: IO[bytes]) -> Part:
    """Return the whole of a stream as a part."""
    stream.seek(0)
    size = 0
    digest = hashlib.sha256()
    while piece := stream.read(_PIECE):
        digest.update(piece)
        size += len(piece)
    return Part(name, digest.hexdigest(), size)


def _write_small(stream: IO[bytes], name: str, content: bytes) -> None:
    stream.write(_header(name, len(content)) + content + _padding(len(content)))


def _header(name: str, size: int) -> bytes:
    """Return the header of a member: a file of nobody, at no time."""
    fields = (
        (name.encode("ascii"), 100),
        *((number, 8) for number in (b"0000644", b"0000000", b"0000000")),
        *((b"%011o" % number, 12) for number in (size, 0)),
        (b" " * 8, 8),
        (b"0", 101),
        (_MAGIC, 8),
        (b"", 64),
        *((b"0000000", 8) for _ in "ab"),
    )
    block = b"".join(text.ljust(width, b"\0") for text, width in fields)
    block = block.ljust(_BLOCK, b"\0")
    total = b"%06o\0 " % sum(block)
    return block[:_CHECK_AT] + total + block[_CHECK_AT + len(total) :]


def _padding(size: int) -> bytes:
    return bytes(-size % _BLOCK)


def read(stream: IO[bytes]) -> Members:
    """Return what is in a bundle, all of whose bytes but the signature were checked.

    Raise ``AlteredError`` where one is not as it has to be, and ``ExchangeError`` for
    a bundle of a newer format.
    """
    stream.seek(0)
    small: dict[str, bytes] = {}
    places: list[tuple[str, int, Part]] = []
    for name, size in _members(stream):
        if name in _IN_MEMORY:
            if size > _IN_MEMORY[name]:
                raise AlteredError(name, f"{size:,} bytes are more than it can have")
            small[name] = _exactly(stream, size, name)
        else:
            place = stream.tell()
            places.append((name, place, _there(stream, name, size)))
        if _exactly(stream, -size % _BLOCK, name).strip(b"\0"):
            raise AlteredError(name, "there is something in the padding after it")
    manifest = _manifest(small[MANIFEST])
    _compare(manifest, [part for _, _, part in places])
    signature = small.get(SIGNATURE)
    return Members(
        manifest,
        small[MANIFEST],
        tuple(place for _, place, _ in places),
        None if signature is None else signature.decode("latin-1"),
        small.get(SIGSTORE),
    )


def _members(stream: IO[bytes]) -> Iterator[tuple[str, int]]:
    """Yield name and size of each; who reads a member goes on right behind it."""
    before, at = "the beginning", -1
    while (block := stream.read(_BLOCK)) != bytes(_BLOCK):
        if len(block) < _BLOCK:
            raise AlteredError(before, "the file ends after it; it was cut off")
        name, size = _named(block)
        place = _ORDER.get(name, -1)
        lacking = at < place - 1 and place != _ORDER[RUNS]
        if place <= at or lacking or (at < 0 < place):
            raise AlteredError(before, f"after it comes {name!r}, which must not")
        if block != _header(name, size):
            raise AlteredError(name, "its header is not as benchdb writes it")
        yield name, size
        before, at = name, place
    if at < _ORDER[RUNS]:
        raise AlteredError(before, "the archive ends after it; parts are missing")
    if stream.read(_BLOCK + 1) != bytes(_BLOCK):
        raise AlteredError(before, "the end of the archive is not as it has to be")


def _named(header: bytes) -> tuple[str, int]:
    """Return the name and size that a header tells, if it tells any of ours."""
    name = header[:100].split(b"\0", 1)[0].decode("ascii", errors="replace")
    digits = header[_SIZE_AT : _SIZE_AT + 11]
    return name, int(digits, 8) if digits.isdigit() and not {*digits} & {*b"89"} else 0


def _exactly(stream: IO[bytes], size: int, name: str) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise AlteredError(name, "the file ends inside it; it was cut off")
    return content


def _there(stream: IO[bytes], name: str, size: int) -> Part:
    """Return the part that is written here, read to its end."""
    digest, left = hashlib.sha256(), size
    while left:
        piece = stream.read(min(left, _PIECE))
        if not piece:
            raise AlteredError(name, "the file ends inside it; it was cut off")
        digest.update(piece)
        left -= len(piece)
    return Part(name, digest.hexdigest(), size)


class _Version(msgspec.Struct):
    format: int


def _manifest(written: bytes) -> Manifest:
    try:
        version = msgspec.json.decode(written, type=_Version).format
        if version > FORMAT:
            raise ExchangeError(
                f"a bundle of format {version}; this benchdb reads format {FORMAT}: "
                "update benchdb"
            )
        manifest = msgspec.json.decode(written, type=Manifest)
        usual = canonical(msgspec.to_builtins(manifest))
    except UNDERSTANDABLE as error:
        raise AlteredError(MANIFEST, reason(error)) from error
    if usual != written or version != FORMAT:
        raise AlteredError(MANIFEST, "it is not in its canonical form")
    return manifest


def _compare(manifest: Manifest, there: Sequence[Part]) -> None:
    """Require that the manifest names the parts that are there, and no others."""
    for name in (part.name for part in manifest.parts):
        if name not in (RUNS, RETRACTIONS):
            raise AlteredError(
                MANIFEST, f"it names {name[:80]!r}, which is no part of a bundle"
            )
    if [part.name for part in manifest.parts] != [part.name for part in there]:
        raise AlteredError(MANIFEST, "it names other parts than there are")
    for part, present in zip(manifest.parts, there, strict=True):
        if part != present:
            raise AlteredError(part.name, "its SHA-256 is not that of the manifest")


class _Sink(Protocol):
    def write(self, content: bytes, /) -> object:
        """Take *content* in."""


def unpack(stream: IO[bytes], members: Members, into: _Sink) -> None:
    """Write the exchange lines of a bundle *into* a stream: runs, then retractions.

    Raise ``AlteredError`` where the bytes are no longer those of the manifest, or
    unpack to far more than runs would.
    """
    for part, place in zip(members.manifest.parts, members.places, strict=True):
        stream.seek(place)
        digest, left, room = hashlib.sha256(), part.bytes, _FREE + _FACTOR * part.bytes
        inflate = zlib.decompressobj(wbits=31) if part.name == RUNS else None
        while left:
            piece = _exactly(stream, min(left, _PIECE), part.name)
            digest.update(piece)
            left -= len(piece)
            for unpacked in _inflated(inflate, piece):
                room -= len(unpacked)
                if room < 0:
                    raise AlteredError(
                        part.name, f"it unpacks to more than {_FACTOR} times its size"
                    )
                into.write(unpacked)
        if digest.hexdigest() != part.sha256:
            raise AlteredError(part.name, "it changed while it was read")
        if inflate is not None and not inflate.eof:
            raise AlteredError(part.name, "it ends too early")


def _inflated(inflate: "zlib._Decompress | None", piece: bytes) -> Iterator[bytes]:
    """Yield what *piece* unpacks to, never much at once."""
    if inflate is None:
        yield piece
        return
    full = True
    while piece or full:
        if inflate.eof:
            break
        try:
            unpacked = inflate.decompress(piece, _PIECE)
        except zlib.error as error:
            raise AlteredError(RUNS, f"it cannot be unpacked: {error}") from error
        piece, full = inflate.unconsumed_tail, len(unpacked) == _PIECE
        yield unpacked
    if inflate.unused_data or piece:
        raise AlteredError(RUNS, "something follows the gzip file in it")
