"""A foreign file in memory: its bytes, its digest, and what they say as text or JSON.

Whatever is wrong with the bytes is a ``DocumentError`` that says where, why and what to
try. Nothing is unpacked: an archive is named and refused, so no bomb can go off.
"""

import codecs
import hashlib
import json
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from benchdb.errors import ExchangeError
from benchdb.exchange.validation import DoubledKeyError, without_doubles

SIZE_LIMIT = 64 * 2**20  # bytes; exchange files are streamed, and have no limit
LINE_LIMIT = 2**20  # characters; longer lines are not written for people
LINES_LIMIT = 80_000  # each is read by several readers of running text
LINES_SIZE = 6 * 2**20  # characters of them all
DEPTH_LIMIT = 64  # levels of JSON
VALUES_LIMIT = 2**19  # of JSON; a longer text may have one for each so many characters:
CHARACTERS_PER_VALUE = 24  # in memory a number takes more than it does in a text

_PACKED = {
    b"PK\x03\x04": "a zip archive (or a spreadsheet; save that as CSV)",
    b"PK\x05\x06": "an empty zip archive",
    b"\x1f\x8b": "compressed with gzip",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"SQLite format 3\0": "a SQLite database of no known tool, or damaged; export it "
    "as CSV",
    b"%PDF-": "a PDF; save its tables as CSV or Markdown",
}
_TAR_MAGIC = slice(257, 262)


class DocumentError(ExchangeError):
    """A document cannot be read: what is wrong, where, and what to try."""


class Document(msgspec.Struct, frozen=True, dict=True):
    """A file of others. *name* is the file's own."""

    name: str
    content: bytes

    @cached_property
    def sha256(self) -> str:
        """Identify the document, byte for byte."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def text(self) -> str:
        """Return the text with Unix line ends and without a byte order mark.

        Raise ``DocumentError`` if it is none, or not UTF-8.
        """
        _require_plain(self.content)
        try:
            text = self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            place = self.content.count(b"\n", 0, error.start) + 1
            raise DocumentError(
                f"line {place}: byte {error.start + 1} is not UTF-8; if the file is "
                "Latin-1 or Windows-1252, convert it: iconv -f WINDOWS-1252 -t UTF-8"
            ) from error
        if "\0" in text:
            raise DocumentError("a binary file: it contains NUL bytes")
        text = re.sub("\r\n?", "\n", text)
        # No list of the lines: short ones take many times the text.
        for line in re.finditer("[^\n]+", text):
            length = line.end() - line.start()
            if length > LINE_LIMIT and not line[0].lstrip().startswith(("{", "[")):
                place = text.count("\n", 0, line.start()) + 1
                raise DocumentError(
                    f"line {place} is longer than {LINE_LIMIT} characters"
                )
        return text

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Return the lines; the first is line 1 of every locator.

        They are a second copy of the text: for what reads it, not for what looks at it.
        Short ones take many times the text, so there are not more than LINES_LIMIT, of
        LINES_SIZE together.
        """
        if self.text.count("\n") > LINES_LIMIT:
            raise DocumentError(f"more than {LINES_LIMIT:,} lines; split the file")
        if len(self.text) > LINES_SIZE:
            many = f"{LINES_SIZE // 2**20} MiB of text in lines"
            raise DocumentError(f"more than {many}; split the file")
        return tuple(self.text.split("\n"))


class PrintedFloat(float):
    """A number that is shown as it is printed: ``12.50``."""

    __slots__ = ("_printed",)
    _printed: str

    def __new__(cls, text: str) -> "PrintedFloat":
        """Return the number that *text* is."""
        number = super().__new__(cls, text)
        number._printed = text
        return number

    def __repr__(self) -> str:
        """Return the characters that stand in the document."""
        return self._printed


def parsed_json(
    text: str, *, nan: bool = False, real: Callable[[str], float] = float
) -> Any:
    """Return *text* as JSON; with *nan*, ``NaN`` and the infinities are floats.

    Some tools write those although they are no JSON. *real* makes the number of what
    is no whole one.
    """
    require_few_values(text)
    try:
        content = json.loads(
            text,
            object_pairs_hook=without_doubles,
            parse_constant=float if nan else _no_constant,
            parse_float=real,
        )
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"line {error.lineno}, column {error.colno}: no JSON ({error.msg})"
        ) from error
    except DoubledKeyError as error:
        raise DocumentError(str(error)) from error
    except RecursionError as error:
        raise DocumentError("nested too deeply") from error
    except ValueError as error:  # NaN, or more digits than Python converts
        why = "a number has thousands of digits" if "digits" in str(error) else error
        raise DocumentError(str(why)) from error
    _require_shallow(content)
    return content


def require_few_values(text: str) -> None:
    """Raise ``DocumentError`` where *text* as JSON would take far more memory."""
    values = text.count(",") + text.count("[") + text.count("{")
    if values > max(VALUES_LIMIT, len(text) // CHARACTERS_PER_VALUE):
        raise DocumentError(
            f"as JSON, it has up to {values:,} values in {len(text):,} characters; "
            f"more than {VALUES_LIMIT:,} are read where each has "
            f"{CHARACTERS_PER_VALUE} characters; split it"
        )


def _require_shallow(result: Any) -> None:
    level = [result]
    for _ in range(DEPTH_LIMIT):
        if not level:
            return
        level = [
            item
            for holder in level
            if isinstance(holder, dict | list)
            for item in (holder.values() if isinstance(holder, dict) else holder)
        ]
    raise DocumentError("nested too deeply")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _require_plain(content: bytes) -> None:
    if not content.strip():
        raise DocumentError("the file is empty")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DocumentError("UTF-16; convert it: iconv -f UTF-16 -t UTF-8")
    for magic, what in _PACKED.items():
        if content.startswith(magic):
            advice = "" if ";" in what else "; unpack it and import what is inside"
            raise DocumentError(f"{what}{advice}")
    if content[_TAR_MAGIC] == b"ustar":
        raise DocumentError("a tar archive; unpack it and import what is inside")
