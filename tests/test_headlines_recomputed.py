"""The figures of the shipped page, computed once more from the rows of the database.

The rules are those that the page states: a figure of several runs is their geometric
mean; what compares agrees in script, batch size, precision, compiler and framework; and
neither unlike nor flagged figures enter a headline.
"""

import re
from collections import defaultdict
from math import isclose, log
from pathlib import Path

import pytest

from tests.in_process import benchdb
from tests.page import parse
from tests.told_figures import (
    RATES,
    TIMES,
    Page,
    Told,
    differences,
    enumerated,
    figures,
    geometric_mean,
    numbers,
    one,
    same,
    stored,
    unlike,
)
from tests.told_sections import (
    CHANCE,
    POWERS,
    baseline,
    card,
    common,
    joules,
    pairs,
    ranks,
)

DATABASE = Path(__file__).parents[1] / "results.sqlite"


@pytest.fixture(scope="module", name="page")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Page:
    room = tmp_path_factory.mktemp("shipped")
    options = ("--lang", "en", "--format", "html")
    assert benchdb("report", *options, "--db", DATABASE, "-o", room).status == 0
    text = (room / "report.en.html").read_text("utf-8")
    return Page(parse(text), stored(DATABASE))


def test_both_sides_of_metal_are_the_same_work_on_one_machine(page):
    for pair in pairs(page):
        cpu, metal = pair.cpu.runs[0], pair.metal.runs[0]
        apart = differences(pair.cpu, pair.metric, pair.metal, pair.metric)

        assert (cpu.device, metal.device) == ("cpu", "metal")
        assert (cpu.machine, cpu.work) == (metal.machine, metal.work)
        assert apart == unlike(page, pair.verdict) == set()
        assert same(pair.metal.text, pair.metal.mean(pair.metric))


def test_every_factor_of_metal_follows_from_the_two_times(page):
    told = pairs(page)
    for pair in told:
        said, gain = pair.verdict.text, pair.gain
        if "no clear difference" in said:
            assert abs(log(gain)) <= CHANCE
        else:
            assert same(said, gain if "as fast" in said else 1 / gain), said
            assert abs(log(gain)) > CHANCE
            assert ("as fast" in said) is (gain > 1)

    assert len(told) > 20


def test_a_doubted_time_is_marked_where_metal_is_compared(page):
    for pair in pairs(page):
        notes = [a for a in pair.verdict.all("a") if "note" in a.classes]

        assert bool(notes) is pair.is_doubted


def test_every_ratio_of_the_ranking_follows_from_the_two_figures(page):
    base, checked = baseline(page), 0
    for rank in ranks(page):
        cells = [td for td in rank.row.all("td") if "mean" not in td.classes]
        for column, ratio in rank.ratios.items():
            own, beside = rank.told[column], base.told[column]
            name, others = own.metric((*TIMES, *RATES)), beside.metric(TIMES)
            apart = differences(own, name, beside, others)
            expected = own.throughput(name) / beside.throughput(others)
            checked += 1

            assert isclose(ratio, expected, rel_tol=1e-5), (rank.system, column)
            assert same(one(cells[column], "b").text, expected)
            assert unlike(page, cells[column]) == apart
            assert ("unlike" in cells[column].classes) is bool(apart)

    assert checked > 50


def test_every_mean_of_the_ranking_covers_the_common_work_of_like_systems(page):
    base, columns, means = baseline(page), common(page), []
    for rank in ranks(page):
        told = [rank.told.get(column) for column in columns]
        cell = one(rank.row, "td", "mean")
        like = all(
            it and not differences(it, TIMES[0], base.told[column], TIMES[0])
            for column, it in zip(columns, told, strict=True)
            if it is None or it.has(TIMES[0])
        ) and all(it and it.has(TIMES[0]) for it in told)

        assert ("data-ratio" in cell.attributes) is like, rank.system
        if like:
            ratios = [rank.ratios[column] for column in columns]
            mean = float(cell.attributes["data-ratio"])
            assert isclose(mean, geometric_mean(ratios), rel_tol=1e-4)
            assert same(one(cell, "b").text, geometric_mean(ratios))
            means.append(mean)

    assert means == sorted(means, reverse=True)
    assert len(means) > 5


def test_every_share_of_the_distance_follows_from_the_two_rates(page):
    checked = 0
    for row in page.rows(page.by_id("table-distance")):
        *cells, last = [td for td in row.all("td") if "number" in td.classes]
        reference = page.told(figures(last)[0])
        others = reference.metric(RATES)
        for cell in cells:
            for link in figures(cell):
                own = page.told(link, one(link, "small").text)
                metric = own.metric((others, *RATES))
                share = 100 * own.mean(metric) / reference.mean(others)
                checked += 1

                assert same(one(link, "b").text, share)
                assert own.runs[0].work[0] == reference.runs[0].work[0]
                apart = differences(own, metric, reference, others)
                assert unlike(page, cell) == apart
                assert "batch size" not in apart

    assert checked > 15


def test_all_samples_per_joule_are_a_rate_over_a_power_or_were_counted(page):
    cells = joules(page)
    for system, power, cell in cells:
        link = figures(cell)[0]
        rate, watts = one(link, "small").text.split(" · ")[:2]
        told = page.told(link, rate)
        metric = told.metric((*RATES, *TIMES))
        if "derived" in system.text + cell.text:
            expected = told.throughput(metric) / told.mean(power)
        else:
            expected = told.mean("samples_per_joule")

        assert same(link.text, expected)
        assert same(watts, told.mean(power))

    assert len(cells) > 10


def test_counted_joules_fit_the_rate_and_the_power_beside_them(page):
    for system, _, cell in joules(page):
        if "derived" not in system.text + cell.text:
            each, rate, watts = numbers(figures(cell)[0].text)[:3]

            assert isclose(float(each), float(rate) / float(watts), rel_tol=0.1)


def is_range(text: str, ratios: list[float]) -> bool:
    low, high = numbers(text)[0], numbers(text)[-1]
    return same(low, min(ratios)) and same(high, max(ratios))


def effects(page: Page) -> dict[str, list[float]]:
    """Return the gains of each workload that several chips ran, all undoubted."""
    rows: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for pair in pairs(page):
        if not pair.is_doubted and not unlike(page, pair.verdict):
            rows[f"{pair.work} {pair.metric}"][pair.chip] = pair.gain
    return {name: list(it.values()) for name, it in rows.items() if len(it) > 1}


def test_the_headline_of_metal_is_the_range_over_work_that_always_gains(page):
    number, text = card(page, "Does Metal help?")
    gains = [it for it in effects(page).values() if min(map(log, it)) > CHANCE]
    losses = [it for it in effects(page).values() if max(map(log, it)) < -CHANCE]
    others = len(effects(page)) - len(gains) - len(losses)
    said = dict(re.findall(r"(as fast|as long|to chip)[^.:]*: ([^.]+)\.", text))
    slow = re.search(r"([\d.–]+)× as long", text)

    assert is_range(number, [ratio for it in gains for ratio in it])
    assert slow
    assert is_range(slow[1], [1 / ratio for it in losses for ratio in it])
    assert len(enumerated(said["as fast"])) == len(gains)
    assert len(enumerated(said["as long"])) == len(losses)
    assert len(enumerated(said["to chip"])) == others


def test_the_headline_of_macs_is_the_best_mean_over_the_slowest(page):
    number, text = card(page, "Which Mac?")
    means: dict[str, float] = {}
    for rank in ranks(page):
        told = [rank.told[column] for column in common(page) if column in rank.told]
        mean = one(rank.row, "td", "mean").attributes.get("data-ratio")
        clean = not any(it.is_doubted(TIMES[0]) for it in told)
        if mean and clean and {it.runs[0].device for it in told} == {"metal"}:
            means.setdefault(told[0].runs[0].chip, float(mean))
    best, *others, slowest = sorted(means, key=lambda chip: -means[chip])
    middle = re.search(r"others: (.*?)\. With", text)

    assert same(number, means[best] / means[slowest])
    assert f"as fast as the {slowest}: the {best}." in text
    assert f"geometric mean of {len(common(page))} workloads" in text
    assert middle
    for said, chip in zip(enumerated(middle[1]), others, strict=True):
        name, _, factor = said.rpartition(" ")
        assert name == chip
        assert same(factor, means[chip] / means[slowest])


def test_the_headline_of_distance_rests_on_like_figures_or_says_what_differs(page):
    number, text = card(page, "How far")
    shares: defaultdict[str, list[float]] = defaultdict(list)
    like: defaultdict[str, list[float]] = defaultdict(list)
    apart: defaultdict[str, set[str]] = defaultdict(set)
    for row in page.rows(page.by_id("table-distance")):
        told = [page.told(a) for a in figures(row)]
        others = told[-1].metric(RATES)
        for link, own in zip(figures(row)[:-1], told, strict=False):
            metric = page.told(link, one(link, "small").text).metric((others, *RATES))
            share = own.mean(metric) / told[-1].mean(others)
            found = differences(own, metric, told[-1], others)
            if own.runs[0].device == "metal":
                shares[own.runs[0].chip].append(share)
                apart[own.runs[0].chip] |= found
                if not found | {*filter(own.is_doubted, (metric,))}:
                    like[own.runs[0].chip].append(1 / share)
    most = max(map(len, shares.values()))
    chip = max(
        (it for it in shares if len(shares[it]) == most),
        key=lambda it: geometric_mean(shares[it]),
    )

    assert f"the {chip}" in text
    if like[chip]:
        assert is_range(number, like[chip])
    else:
        assert number == "≠"
        assert {*enumerated(text.partition(" differ in ")[2].rstrip("."))} == apart[
            chip
        ]


def test_the_headline_per_watt_names_what_differs(page):
    number, text = card(page, "And per watt?")
    names = re.search(r"the (.*?) and the (.*?) differ in (.*)\.", text)
    assert (number, bool(names)) == ("≠", True)
    assert names
    sides: dict[str, list[tuple[str, Told]]] = {names[1]: [], names[2]: []}
    for system, power, cell in joules(page):
        for name, found in sides.items():
            if system.text.startswith(f"{name} "):
                link = figures(cell)[0]
                found.append((power, page.told(link, one(link, "small").text)))
    apart = {
        name
        for power, own in sides[names[2]]
        for beside_power, beside in sides[names[1]]
        if own.runs[0].work[0] == beside.runs[0].work[0]
        for name in differences(own, own.metric(RATES), beside, beside.metric(RATES))
        | {*(["power reading"] if _apart(power, beside_power) else [])}
    }

    assert {*enumerated(names[3])} == apart


def _apart(power: str, other: str) -> bool:
    """Tell whether two readings differ; one of unknown scope is like no other."""
    return power != other or power == POWERS["peak power of unknown scope"]
