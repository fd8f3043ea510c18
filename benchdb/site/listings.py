"""Pages that list what there is: chips, workloads."""

from collections.abc import Iterator

from benchdb.report.language import Language
from benchdb.site.content import Site
from benchdb.site.pages import Page, Words


def pages(site: Site) -> Iterator[Page]:
    """Yield the lists of chips and workloads."""
    chips = [
        (name, address, len(site.by_chip[name])) for name, address in site.chips.items()
    ]

    def words(language: Language) -> Words:
        return Words(title=language.pgettext("page", "Chips"), parts={"rows": chips})

    yield Page("chips", "chips", "list", chips, words)
