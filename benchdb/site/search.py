"""What the search of a site finds: names of its pages in each language, and runs."""

from collections.abc import Iterable, Iterator

import msgspec

from benchdb.report import page_assets, untrusted
from benchdb.report.language import Language, load
from benchdb.report.wording import terms
from benchdb.site.addresses import RUN_LETTERS
from benchdb.site.content import Site
from benchdb.site.machine_page import machine_name, runs_by_machine
from benchdb.site.pages import Frame, navigation

MOST = 150_000  # bytes of a file
_LETTERS = 8  # of the other processes on a page of a run


def files(site: Site, frame: Frame) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the file of each language, and of that of all runs.

    They are scripts: no page may read another file from a disk. Those of languages
    hold what searches as well, which pages load with them.
    """
    code_of_search = page_assets.script("search.js").encode()
    machines = list(_machines(site))
    for code in frame.codes:
        names = msgspec.json.encode(_names(site, machines, load(code)))
        content = b"var benchdbPages=%b;\n%b" % (names, code_of_search)
        yield f"assets/search.{code}.js", content
    runs = msgspec.json.encode("\n".join(_fitting(_runs(site))))
    yield "assets/search.runs.js", b"var benchdbRuns=" + runs


def _machines(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the names of machines, which have no words, and their addresses."""
    runs = runs_by_machine(site)
    for machine, address in site.machines.items():
        name = untrusted.cleaned(machine_name(runs[machine]))
        yield f"{name} {machine[:RUN_LETTERS]}".strip(), address


def _names(
    site: Site, machines: list[tuple[str, str]], language: Language
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return names and addresses of pages by their kind."""
    titles = {row.slug: row.title for row in reversed(site.report.sources)}
    own = {kind: name for kind, _, name in navigation(language)}
    chips = [
        (terms.chip_text(language, name), address)
        for name, address in site.chips.items()
    ]
    works = [
        (terms.title_text(language, site.by_workload[name][0][0].workload), address)
        for name, address in site.workloads.items()
    ]
    sources = [
        (f"{name} – {titles[name]}", address) for name, address in site.sources.items()
    ]
    lists = [(name, address) for _, address, name in navigation(language)]
    return [
        (own["chips"], chips),
        (own["workloads"], works),
        (own["sources"], sources),
        (language.gettext("Machines that benchdb measured"), machines),
        ("", lists),
    ]


def _runs(site: Site) -> Iterator[str]:
    """Yield the runs of each page: the one that names it, the others shorter."""
    for line in site.lines:
        first, *others = dict.fromkeys(
            run for row in line for run in (row.run, *row.runs)
        )
        yield " ".join([first[:RUN_LETTERS], *(run[:_LETTERS] for run in others)])


def _fitting(lines: Iterable[str]) -> Iterator[str]:
    """Yield *lines* while there is room."""
    room = MOST
    for line in lines:
        room -= len(line) + 2  # the end of a line is two letters in a string
        if room < 0:
            return
        yield line
