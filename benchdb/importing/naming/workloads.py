"""Which of our workloads a text names."""

import re
from functools import cache

from benchdb.catalogue import workloads
from benchdb.importing.naming.words import TEXT_LIMIT, names, tidied

_DROPPED = re.compile(r"[^a-z0-9\u0080-\U0010ffff]+")
# Words around the name of a workload that do not make it another one.
_AROUND = re.compile(
    r"\.(?:py|ipynb)$|[\s_-]+(?:model|network|net|training|train|script|benchmark|bench"
    r"|模型|训练|모델|학습|モデル|学習)$|[\s_-]*\(\s*(?:training|train)\s*\)$",
    re.IGNORECASE,
)


def workload(text: str) -> str | None:
    """Return our name of the workload; ``None`` for one that we do not have.

    ``ResNet-50 inference`` is none: ours are training steps.
    """
    if len(text) > TEXT_LIMIT:
        return None
    name = tidied(text)
    while (shorter := _AROUND.sub("", name)) != name and shorter:
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
