"""What stands in the file of a system, as the script of the page reads it."""

from typing import Literal, get_args

import msgspec

Kind = Literal["training", "decode", "prefill", "inference", "other"]
Evidence = Literal["repeated", "single", "few", "unlike"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """A figure as it is shown; *label* is its trust, with "mine" where it is.

    Without *high*, *low* is the factor that its interval is wider than.
    """

    run: str
    digits: str
    unit: str
    low: str
    high: str
    n: int
    machines: int
    grade: str
    label: str
    framework: str
    precision: str
    flags: str


class Work(msgspec.Struct, frozen=True, array_like=True):
    """What a cell is about; *about* has its parameters, as ``_about`` writes them."""

    workload: str
    batch: int
    about: tuple[str, ...]


class Cell(msgspec.Struct, frozen=True, array_like=True):
    """A cell: its work and both figures, by number, and how they stand to each other.

    *word* is that of ``word_of``, *value* the ratio for its mark, *times* the digits of
    its factor, which is never below 1. *ends* are the digits of its interval, *back*
    those where the sides change places; *span* is it for the plot.
    """

    kind: Kind
    work: int
    base: int
    other: int
    word: str
    value: float
    times: str
    ends: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    span: tuple[float, ...] = ()
    differs: str = ""
    unstated: str = ""
    noted: bool = False


class Card(msgspec.Struct, frozen=True, array_like=True):
    """What cells of a kind say together, by one way of timing.

    *lead* is 1 where the other side is faster in all of them, -1 where the first one
    is, 0 where neither is: then there is no mean. Digits are of the faster side;
    without one *back* are those where the sides change places.
    """

    kind: Kind
    evidence: Evidence
    cells: int
    processes: int
    lead: int
    ends: tuple[str, ...]
    back: tuple[str, ...]
    mean: str
    flagged: int
    differs: str
    framework: str


class Known(msgspec.Struct, frozen=True, array_like=True):
    """What is known of a system: names, or with a *unit* the ends of a range."""

    name: str
    unit: str
    items: tuple[str, ...]


class SystemData(msgspec.Struct):
    """The file of a system; *shared* counts its cells with every other one.

    *asked* is what the command line calls its chip, *own* are digests of all that it
    did, by workload.
    """

    name: str
    chip: str
    device: str
    asked: str
    figures: list[Entry] = []
    works: list[Work] = []
    cells: dict[str, list[Cell]] = {}
    cards: dict[str, list[Card]] = {}
    shared: dict[str, int] = {}
    own: dict[str, list[str]] = {}
    known: list[Known] = []
