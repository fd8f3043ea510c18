"""What the comparing sections of the English page say, row by row, with the runs."""

import re
from dataclasses import dataclass
from math import log

from tests.page import Element
from tests.report.page_figures import Page, Told, figures, one

METRICS = {
    "whole script": ("script_wall_seconds",),
    "one epoch": ("epoch_seconds",),
    "one step": ("step_seconds", "reported_step_seconds"),
}
POWERS = {
    "mean power": "mean_power_watts",
    "peak power of the chip": "peak_soc_power_watts",
    "peak power of the GPU": "peak_gpu_power_watts",
    "peak power of unknown scope": "peak_power_watts",
}
# Two machines of a kind differ by so much, so single runs tell no less.
CHANCE = log(1.05)


@dataclass(frozen=True)
class Pair:
    """A row of the table with and without Metal: seconds, and how many times."""

    work: str
    chip: str
    cpu: Told
    metal: Told
    metric: str
    verdict: Element

    @property
    def gain(self) -> float:
        return self.cpu.mean(self.metric) / self.metal.mean(self.metric)

    @property
    def is_clear(self) -> bool:
        said = self.verdict.text
        return not re.search("unclear|even|insufficient|≠", said)

    @property
    def is_doubted(self) -> bool:
        return self.cpu.is_doubted(self.metric) or self.metal.is_doubted(self.metric)


def pairs(page: Page) -> list[Pair]:
    found = []
    for body in page.by_id("table-metal").all("tbody"):
        group = next(row for row in body.all("tr") if "group" in row.classes).text
        names = next(names for said, names in METRICS.items() if said in group)
        for row in body.all("tr"):
            cells = [td for td in row.all("td") if td.classes == ["number"]]
            if len(figures(row)) == 2:
                cpu, metal = (page.told(figures(cell)[0]) for cell in cells)
                metric, verdict = cpu.metric(names), one(row, "td", "verdict")
                work, chip = cpu.runs[0].work[0], cpu.runs[0].chip
                found.append(Pair(work, chip, cpu, metal, metric, verdict))
    return found


@dataclass(frozen=True)
class Rank:
    """A row of the ranking: its figures and ratios by column."""

    row: Element
    system: str
    told: dict[int, Told]
    ratios: dict[int, float]


def ranks(page: Page) -> list[Rank]:
    found = []
    for row in page.by_id("table-ranking").all("tbody")[0].all("tr"):
        cells = [td for td in row.all("td") if "mean" not in td.classes]
        told = {
            column: page.told(link, one(link, "small").text)
            for column, cell in enumerate(cells)
            for link in figures(cell)
        }
        ratios = {
            column: float(cell.attributes["data-ratio"])
            for column, cell in enumerate(cells)
            if "data-ratio" in cell.attributes
        }
        found.append(Rank(row, one(row, "th").text, told, ratios))
    return found


def baseline(page: Page) -> Rank:
    return next(it for it in ranks(page) if "baseline" in it.row.classes)


def common(page: Page) -> list[int]:
    heads = page.by_id("table-ranking").all("th", scope="col")[2:]
    return [i for i, th in enumerate(heads) if "data-common" in th.attributes]


def joules(page: Page) -> list[tuple[Element, str, Element]]:
    """Return the cells of the table of joules with the metric of their power."""
    table = one(page.by_id("efficiency"), "table", "joules")
    return [
        (one(row, "th"), next(POWERS[it] for it in POWERS if it in row.text), cell)
        for row in page.rows(table)
        for cell in row.all("td")
        if figures(cell)
    ]


def card(page: Page, question: str) -> tuple[str, str]:
    """Return the number of a headline and the sentences with it."""
    found = next(it for it in page.tree.all("article") if question in it.text)
    number, text = found.all("p")
    return number.text, text.text
