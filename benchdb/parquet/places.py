"""Folders of workloads as Hive names them, which every reader understands."""

from collections import Counter
from collections.abc import Iterable
from string import ascii_uppercase
from unicodedata import normalize

KEY = "workload"
NAMELESS = "__HIVE_DEFAULT_PARTITION__"  # read as null
_UNSAFE = "\"#%'*/:=?[\\]^{}\x7f" + "".join(map(chr, range(32)))
_LONGEST = 200  # bytes; a file name may have 255


def places(workloads: Iterable[str]) -> dict[str, str]:
    """Return a folder for each of *workloads*.

    Where names differ by their capitals alone, these are escaped: not every file system
    tells them apart. A name that cannot be a folder's is in ``runs`` only.
    """
    names = list(workloads)
    alike = Counter(map(_folded, names))
    return {
        name: f"{KEY}={_escaped(name, shared=alike[_folded(name)] > 1)}"
        for name in names
    }


def _folded(name: str) -> str:
    """Return what a file system may take *name* for."""
    return normalize("NFC", name).casefold()


def _escaped(name: str, *, shared: bool) -> str:
    if shared and not name.isascii():  # Spark reads an escape as one letter
        return NAMELESS
    unsafe = _UNSAFE + (ascii_uppercase if shared else "")
    found = "".join(f"%{ord(one):02X}" if one in unsafe else one for one in name)
    return found if 0 < len(found.encode()) <= _LONGEST else NAMELESS
