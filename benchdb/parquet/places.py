"""Folders of workloads as Hive names them, which every reader understands."""

from collections import Counter
from collections.abc import Iterable
from string import ascii_uppercase

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
    alike = Counter(name.casefold() for name in names)
    return {
        name: f"{KEY}={_escaped(name, capitals=alike[name.casefold()] > 1)}"
        for name in names
    }


def _escaped(name: str, *, capitals: bool) -> str:
    unsafe = _UNSAFE + (ascii_uppercase if capitals else "")
    found = "".join(f"%{ord(one):02X}" if one in unsafe else one for one in name)
    return found if 0 < len(found.encode()) <= _LONGEST else NAMELESS
