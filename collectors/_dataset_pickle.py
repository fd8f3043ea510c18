"""A pickled batch of CIFAR-10, read as text is read: nothing that it names is called.

A pickle is a program. This one may make lists, dicts and numbers; the array that it
asks NumPy for is noted as the bytes it would have been made from.
"""

import io
import pickle
import pickletools
from typing import Any

from _dataset import TRY, DataError

PIXELS = 3072  # red, green and blue of 32 x 32

# What Python 2 and 3 write for such a batch with protocols 2 to 4.
_OPERATIONS = (
    "PROTO FRAME STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 "
    "BINSTRING SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINUNICODE SHORT_BINUNICODE "
    "EMPTY_LIST APPEND APPENDS EMPTY_DICT SETITEM SETITEMS "
    "EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 "
    "BINPUT LONG_BINPUT MEMOIZE BINGET LONG_BINGET "
    "GLOBAL STACK_GLOBAL REDUCE BUILD"
)
# Hashing a tuple of tuples goes as deep as they do, until the stack is used up: at
# more than 100,000 in 8 MB. Names of files as bytes take a tuple for each image.
_MOST_TUPLES = 10_100


class _Wanted:
    """Something that a pickle asks for: with which arguments, in which state."""

    def __init__(self, *arguments: Any) -> None:
        """Note the arguments."""
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        """Note the state."""
        self.state = state


class _Array(_Wanted):
    """An array."""


class _Type(_Wanted):
    """The type of an array's elements."""


class _Encoded(_Wanted):
    """Bytes, which protocol 2 of Python 3 writes as a text to be encoded."""


_STAND_INS: dict[tuple[str, str], type[_Wanted]] = {
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Type,
    ("_codecs", "encode"): _Encoded,
}


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, file: str) -> None:
        # Python 2 had no texts here: what it called strings are bytes.
        super().__init__(io.BytesIO(content), encoding="bytes")
        self._file = file

    def find_class(self, module: str, name: str, /) -> type[_Wanted]:
        try:
            return _STAND_INS[module, name]
        except KeyError:
            wanted = ascii(f"{module[:60]}.{name[:60]}")
            raise DataError(
                f"{self._file} asks for {wanted}, which no batch of CIFAR-10 needs; "
                f"it was not run; {TRY} from a source that you trust"
            ) from None


def unpickled(file: str, content: bytes) -> tuple[bytes, list[int]]:
    """Return the pixels of a batch, PIXELS bytes an image, and its labels.

    *file* is what the batch is called in a DataError.
    """
    try:
        _check_operations(file, content)
        batch = _Unpickler(content, file).load()
        named = {_text(key): value for key, value in batch.items()}
        pixels, labels = _pixels(named["data"]), named["labels"]
    except (DataError, MemoryError):
        raise
    # The documentation of pickle lists some errors, and says that there are others.
    except Exception as failure:
        raise DataError(f"{file} is no batch of CIFAR-10; {TRY}") from failure
    if not isinstance(labels, list) or not all(type(n) is int for n in labels):
        raise DataError(f"{file} has labels that are no whole numbers; {TRY}")
    return pixels, labels


def _check_operations(file: str, content: bytes) -> None:
    allowed = frozenset(_OPERATIONS.split())
    tuples, end = 0, 0
    operations = enumerate(pickletools.genops(content))
    for number, (operation, argument, start) in operations:
        # A memo is a table: a large index alone would fill the memory.
        beyond = operation.name == "LONG_BINPUT" and int(argument or 0) > number
        tuples += operation.name.startswith("TUPLE")
        if operation.name not in allowed or beyond or tuples > _MOST_TUPLES:
            raise DataError(
                f"{file} does what no batch of CIFAR-10 does "
                f"({operation.name} at byte {start}); {TRY}"
            )
        end = start or 0
    if end + 1 != len(content):
        raise DataError(f"{file} goes on after its end; {TRY}")


def _text(key: Any) -> str:
    return _bytes(key).decode("ascii") if not isinstance(key, str) else key


def _bytes(value: Any) -> bytes:
    match value:
        case bytes():
            return value
        case _Encoded(arguments=(str(text), "latin1")):
            return text.encode("latin-1")
    raise TypeError(f"{type(value).__name__} is no bytes")


def _pixels(array: Any) -> bytes:
    match array:
        case _Array(
            state=(
                _,
                (int(images), columns),
                _Type(arguments=("u1" | b"u1", *_)),
                False,
                content,
            )
        ) if columns == PIXELS:
            pixels = _bytes(content)
            if len(pixels) == images * PIXELS:
                return pixels
    raise TypeError("no array of bytes, 3072 an image")
