"""The page that holds any two systems against each other, cell by cell.

The pair stands in the address. What is known of each system is in a data file of its
own, which the script of the page loads; without scripts the page shows one pair.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import msgspec
from markupsafe import Markup

from benchdb.report import html
from benchdb.report.language import Language
from benchdb.site.compare import data
from benchdb.site.compare.system_files import SystemData
from benchdb.site.compare.view import Writer
from benchdb.site.compare.words import words
from benchdb.site.content import Site
from benchdb.site.pages import Page, Words
from benchdb.site.system_pairs import Worker

ADDRESS = "compare"
FILES = "assets/compare/"
MOST = 240  # systems that the page offers
_FIRST = Worker("M1 Max", "metal"), Worker("M1 Ultra", "metal")
_FILES = "files of systems"
_DIGITS = 8  # of a digest in the name of a file
_IS = b" = "
_DEVICES = ("metal", "cpu", "npu")  # those of Macs come first


class Offered(msgspec.Struct, frozen=True):
    """A system that the page offers: its name in addresses, chip's page, data file."""

    slug: str
    chip: str
    device: str
    figures: int
    file: str
    page: str


class Facts(msgspec.Struct, frozen=True):
    """The systems of the page, the pair that it shows at first, how many it lacks."""

    systems: tuple[Offered, ...]
    base: str
    other: str
    lacking: int


class Computed(msgspec.Struct, frozen=True):
    """The data of all systems by their names, and the key of what each was made from.

    It is by far the most work of the page.
    """

    files: Mapping[str, SystemData]
    keys: Mapping[str, str]


def computed(site: Site, earlier: Iterable[tuple[str, bytes]] = ()) -> Computed:
    """Return the data of all systems; *earlier* are keys and content of files there."""
    chosen = _chosen(site)
    keys = data.keys(site, chosen)
    there = site.inputs.memo.table(_FILES) or dict(earlier)
    before = {slug: _read(there[key]) for slug, key in keys.items() if key in there}
    return Computed(data.system_files(site, chosen, before), keys)


def encoded(site: Site, earlier: Iterable[tuple[str, bytes]] = ()) -> bytes:
    """Return ``computed`` as ``decoded`` reads it, in another process."""
    return msgspec.msgpack.encode(computed(site, earlier))


def decoded(whole: bytes) -> Computed:
    """Return what ``encoded`` wrote."""
    return msgspec.msgpack.decode(whole, type=Computed)


def is_known(site: Site) -> bool:
    """Tell whether this process has data of systems, which one run changes little."""
    return bool(site.inputs.memo.table(_FILES))


def has_page(site: Site) -> bool:
    """Tell whether there are two systems."""
    return len(_chosen(site)) > 1


def pages(site: Site, made: Callable[[], Computed] | None = None) -> Iterator[Page]:
    """Yield the page, with its data files; none without two systems.

    *made* gives what ``computed`` returns, for whoever has it from elsewhere.
    """
    chosen = _chosen(site)
    if len(chosen) < 2:
        return
    whole = made() if made else computed(site)
    known = site.inputs.memo.table(_FILES)
    known.clear()
    known.update(
        (whole.keys[slug], system_data) for slug, system_data in whole.files.items()
    )
    files, written = (
        whole.files,
        {it: _script(system_data) for it, system_data in whole.files.items()},
    )
    systems = tuple(
        Offered(
            slug=slug,
            chip=system_data.chip,
            device=system_data.device,
            figures=len(site.systems.sides[chosen[slug]].measured),
            file=f"{FILES}{slug}.{_digest(written[slug])}.js",
            page=site.chips.get(system_data.chip, ""),
        )
        for slug, system_data in files.items()
    )
    base, other = _pair(files, chosen)
    facts = Facts(systems, base, other, len(site.systems.sides) - len(chosen))
    yield Page(
        address=ADDRESS,
        kind="compare",
        template="compare",
        facts=facts,
        words=partial(_words, facts, files),
        files={system.file: written[system.slug] for system in systems},
        keys={system.file: whole.keys[system.slug] for system in systems},
    )


def _chosen(site: Site) -> Mapping[str, Worker]:
    """Return the newest systems, in the order in which they are offered."""
    sides = site.systems.sides

    def age(worker: Worker) -> tuple[object, ...]:
        started = max(run.facts.started or "" for run in sides[worker].runs)
        return started, len(sides[worker].measured), worker

    named = site.systems.slugs
    measured = [worker for worker, side in sides.items() if side.measured]
    kept = sorted(measured, key=age, reverse=True)[:MOST]
    return {named[worker]: worker for worker in sorted(kept, key=_order)}


def _order(worker: Worker) -> tuple[object, ...]:
    """Sort by device, those of Macs first, then by name, numbers by their size."""
    place = (
        _DEVICES.index(worker.device) if worker.device in _DEVICES else len(_DEVICES)
    )
    words = [
        (int(word), word) if word.isdecimal() else (0, word)
        for word in worker.chip.replace("M", "M ").split()
    ]
    return place, worker.device, words, worker.chip


def _pair(
    files: Mapping[str, SystemData], chosen: Mapping[str, Worker]
) -> tuple[str, str]:
    """Return the pair that is shown at first: two Macs, else the one with most cells.

    The first of them comes first in the list.
    """
    named = {worker: slug for slug, worker in chosen.items()}
    if all(worker in named for worker in _FIRST):
        first, second = (named[worker] for worker in _FIRST)
        if second in files[first].cells:
            return first, second
    pairs = [
        (len(cells), slug, other)
        for slug, system_data in files.items()
        for other, cells in system_data.cells.items()
    ]
    if not pairs:
        first, second, *_ = files
        return first, second
    _, first, second = max(pairs)
    return first, second


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def _script(system_data: SystemData) -> bytes:
    """Return the file of a system: JSON that a page opened from a disk can load."""
    name = msgspec.json.encode(system_data.name)
    return b"(self.benchdb ??= {})[%b]%b%b;\n" % (
        name,
        _IS,
        msgspec.json.encode(system_data),
    )


def _read(script: bytes | SystemData) -> SystemData:
    """Return what ``_script`` wrote, or what is no script yet."""
    if isinstance(script, SystemData):
        return script
    return msgspec.json.decode(script.partition(_IS)[2].rstrip(b";\n"), type=SystemData)


def _words(facts: Facts, files: Mapping[str, SystemData], language: Language) -> Words:
    say = words(language, files)
    pair = Writer(language, say).pair(files[facts.base], files[facts.other])
    headings = say["headings"]
    return Words(
        title=pair.title,
        description=language.gettext(
            "Any two systems held against each other, cell by cell: both figures, "
            "their ratio with its interval, and what differs."
        ),
        crumbs=(("", language.pgettext("page", "Compare two systems")),),
        contents=tuple(headings.items()),
        parts={
            "phrases": say,
            "pair": pair,
            "json": _block(say),
            "devices": {
                name: [system for system in facts.systems if system.device == device]
                for device, name in say["devices"].items()
            },
            "lacking": language.ngettext(
                "%(n)s older system has no room here; the command compares it.",
                "%(n)s older systems have no room here; the command compares them.",
                facts.lacking,
            )
            if facts.lacking
            else "",
        },
    )


def _block(say: Mapping[str, object]) -> Markup:
    """Return JSON for a block of data in a page: nothing in it ends that block."""
    text = msgspec.json.encode(say).decode()
    return html.verbatim(text.replace("<", "\\u003c"))
