"""What llama-bench says around its tables: which GPUs it found, which build it is."""

import re
from collections.abc import Iterable, Iterator

import msgspec

_BUILD = re.compile(r"build: (?P<commit>\w{6,40}) \((?P<number>\d{1,9})\)")
_FOUND = (  # the number of a GPU if it is told, and its name
    re.compile(r"Device (?P<place>\d{1,3}): (?P<name>[^,|]{2,100}), "),
    re.compile(  # the driver stands in brackets behind the name
        r"ggml_vulkan: (?P<place>\d{1,3}) = (?P<name>[^|]{2,100}?)"
        r"(?: \([^()|]{1,60}\))? \|"
    ),
    re.compile(r"ggml_metal\w*: GPU name: +(?P<place>)(?P<name>Apple \w[\w ]{0,40})$"),
)
_LINE_LIMIT = 500  # characters; what is longer is no such line


class Gpu(msgspec.Struct, frozen=True):
    """A GPU that the tool found, and the line that says so."""

    name: str
    line: int


def gpus(lines: Iterable[tuple[int, str]]) -> tuple[Gpu, ...]:
    """Return the GPUs named on numbered lines; none if two lines contradict."""
    found: dict[str, Gpu] = {}
    for gpu, place in _named(lines):
        if found.setdefault(place, gpu).name != gpu.name:
            return ()
    return tuple(found.values())


def _named(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[Gpu, str]]:
    for number, line in lines:
        for pattern in _FOUND if len(line) <= _LINE_LIMIT else ():
            if match := pattern.search(line.rstrip()):
                name = match["name"].strip()
                yield Gpu(name, number), match["place"]


def build(lines: Iterable[tuple[int, str]]) -> tuple[str, int] | None:
    """Return commit and number of the first build that a line names."""
    for _, line in lines:
        match = _BUILD.search(line[:_LINE_LIMIT])
        if match:
            return match["commit"], int(match["number"])
    return None
