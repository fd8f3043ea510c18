"""Addresses: where on a site something has its page, whatever others called it.

An address is a path below the site's folder without language and ending, such as
``chip/m1-max``. It holds ASCII letters, digits and hyphens only, so that no name of a
stranger leaves the folder.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

RUN_LETTERS = 12  # of a digest: so many name a run on its page, in tables and commands
_LONGEST = 60
_NAMELESS = "unnamed"


def slug(name: str) -> str:
    """Return *name* in lower-case letters, digits and hyphens, 60 at most."""
    # Long names are cut first: a megabyte would take long to take apart.
    plain = unicodedata.normalize("NFKD", name[: _LONGEST * 8]).lower()
    words = re.findall(r"[a-z0-9]+", plain.encode("ascii", "ignore").decode())
    return "-".join(words)[:_LONGEST].strip("-") or _NAMELESS


def addresses(
    folder: str, names: Iterable[str], known: Collection[str] = ()
) -> Mapping[str, str]:
    """Return the address in *folder* of each of *names*, no two alike.

    Where slugs collide, names that are *known* (those of a catalogue) keep the plain
    one and others are numbered, in the order of their letters.
    """
    alike = defaultdict[str, list[str]](list)
    for name in set(names):
        alike[slug(name)].append(name)
    taken = set(alike)
    values = {}
    for plain in sorted(alike):
        first, *others = sorted(alike[plain], key=lambda it: (it not in known, it))
        values[first] = f"{folder}/{plain}"
        number = 2
        for name in others:
            while f"{plain}-{number}" in taken:
                number += 1
            taken.add(f"{plain}-{number}")
            values[name] = f"{folder}/{plain}-{number}"
    return values


def relative(target: str, origin: str) -> str:
    """Return the shortest way from the page at *origin* to the file at *target*."""
    while "/" in origin and "/" in target:
        folder, _, inside = origin.partition("/")
        if not target.startswith(f"{folder}/"):
            break
        origin, target = inside, target.removeprefix(f"{folder}/")
    return "../" * origin.count("/") + target
