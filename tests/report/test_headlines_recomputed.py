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
from tests.report.page_sections import (
    CHANCE,
    POWERS,
    RATES,
    TIMES,
    Page,
    Pair,
    Stored,
    Told,
    baseline,
    card,
    common,
    differences,
    enumerated,
    figures,
    geometric_mean,
    joules,
    numbers,
    one,
    pairs,
    ranks,
    same,
    stored,
    unlike,
)

DATABASE = Path(__file__).parents[2] / "results.sqlite"


@pytest.fixture(scope="module", name="page")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Page:
    room = tmp_path_factory.mktemp("shipped")
    # A page without bounds: every figure leads to the runs behind it.
    options = ("--lang", "en", "--format", "html", "--all")
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
        if "about even" in said:
            assert abs(log(gain)) <= CHANCE
        else:
            assert same(said, gain if "as fast" in said else 1 / gain), said
            assert ("as fast" in said) is (gain > 1)
        if pair.is_clear:
            assert abs(log(gain)) > CHANCE

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
        like = like and not any(run.impossible for it in told if it for run in it.runs)

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


def effects(page: Page) -> dict[str, list[Pair]]:
    """Return the pairs of each workload that several chips ran, all undoubted."""
    rows: defaultdict[str, dict[str, Pair]] = defaultdict(dict)
    for pair in pairs(page):
        if not pair.is_doubted and not unlike(page, pair.verdict):
            rows[f"{pair.work} {pair.metric}"][pair.chip] = pair
    return {name: list(it.values()) for name, it in rows.items() if len(it) > 1}


def test_the_headline_of_metal_is_the_range_over_work_that_always_gains(page):
    number, text = card(page, "Does Metal help?")
    found = {name: [it.gain for it in told] for name, told in effects(page).items()}
    clear = {
        name: all(it.is_clear for it in told) for name, told in effects(page).items()
    }
    gains = [it for name, it in found.items() if clear[name] and min(it) > 1]
    losses = [it for name, it in found.items() if clear[name] and max(it) < 1]
    others = [it for it in found.values() if it not in (*gains, *losses)]
    said = dict(re.findall(r"(as fast|as long|answer)[^.:]*: (.+?)\.(?= |$)", text))
    slow = re.search(r"([\d.–]+)× as long", text)
    # What one chip alone ran is in no headline, so nothing of it is left out.
    doubted = [
        it for it in pairs(page) if it.is_doubted and f"{it.work} {it.metric}" in found
    ]

    assert is_range(number, [ratio for it in gains for ratio in it])
    assert slow
    assert is_range(slow[1], [1 / ratio for it in losses for ratio in it])
    assert len(enumerated(said["as fast"])) == len(gains)
    assert len(enumerated(said["as long"])) == len(losses)
    (unclear,) = enumerated(said["answer"])
    assert is_range(unclear, *others)
    assert f"{len(doubted)} flagged pairs left out." in text


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
    middle = re.search(r"others: (.*?)\. One run", text)
    spread = re.search(r"From workload to workload: ([^ ]+)\. ", text)
    ratios = {
        rank.told[0].runs[0].chip: [rank.ratios[column] for column in common(page)]
        for rank in ranks(page)
        if "data-ratio" in one(rank.row, "td", "mean").attributes
        and {it.runs[0].device for it in rank.told.values()} == {"metal"}
    }

    def gains(chip: str) -> list[float]:
        both = zip(ratios[chip], ratios[slowest], strict=True)
        return [own / least for own, least in both]

    assert same(number, means[best] / means[slowest])
    assert f"as fast as the {slowest}: the {best}." in text
    assert f"geometric mean of {len(common(page))} workloads" in text
    assert spread
    assert is_range(spread[1], gains(best))
    assert middle
    for said, chip in zip(enumerated(middle[1]), others, strict=True):
        factors = said.removeprefix(f"{chip} ")
        assert is_range(factors.partition("(")[2] or factors, gains(chip))
        # No mean where the order changes from one workload to another.
        if "(" in factors:
            assert min(gains(chip)) > 1
            assert same(factors, means[chip] / means[slowest])
        else:
            assert min(gains(chip)) < 1 < max(gains(chip))


def test_the_headline_of_distance_is_bounded_and_says_what_differs(page):
    number, text = card(page, "How far")
    # By column: machines of one chip with two frameworks are two systems.
    shares: defaultdict[int, list[float]] = defaultdict(list)
    apart: defaultdict[int, set[str]] = defaultdict(set)
    mine: defaultdict[int, list[Stored]] = defaultdict(list)
    beside: defaultdict[int, list[Stored]] = defaultdict(list)
    for row in page.rows(page.by_id("table-distance")):
        *cells, last = [td for td in row.all("td") if "number" in td.classes]
        reference = page.told(figures(last)[0])
        others = reference.metric(RATES)
        for column, cell in enumerate(cells):
            for link in figures(cell):
                own = page.told(link, one(link, "small").text)
                if own.runs[0].device != "metal":
                    continue
                metric = own.metric((others, *RATES))
                shares[column].append(own.mean(metric) / reference.mean(others))
                apart[column] |= differences(own, metric, reference, others)
                mine[column].append(own.runs[0])
                beside[column].append(reference.runs[0])
    most = max(map(len, shares.values()))
    best = max(
        (it for it in shares if len(shares[it]) == most),
        key=lambda it: geometric_mean(shares[it]),
    )
    chip, workloads = mine[best][0].chip, {it.work[0] for it in mine[best]}
    ways = {it.precision for it in mine[best]} | {it.compiler for it in mine[best]}
    limits = {it.limit for it in beside[best]}
    # A limit that not every figure of the card was measured under is not named.
    limit = ", 400\N{NO-BREAK SPACE}W limit" if limits == {400} else ""
    differing = re.search(r"Differences: (.*?)\.", text)

    assert f"the {chip} ({', '.join(sorted(filter(None, ways)))})" in text
    assert {it.precision for it in beside[best]} == {"fp16-mixed"}
    assert limits == {400, None}
    assert f"RTX 3090 (fp16-mixed, XLA{limit}), on {len(workloads)} workloads" in text
    assert differing
    assert {*enumerated(differing[1])} == apart[best] != set()
    assert number.startswith("≈ ")
    assert is_range(number, [1 / share for share in shares[best]])


def test_the_headline_per_watt_names_what_differs(page):
    number, text = card(page, "And per watt?")
    names = re.search(r"per joule as the (.*?) \(.*?: the (.*?) \(", text)
    differing = re.search(r"Differences: (.*?)\.", text)
    assert names
    assert differing
    sides: dict[str, list[tuple[str, Told, str]]] = {names[1]: [], names[2]: []}
    for system, power, cell in joules(page):
        for name, found in sides.items():
            if system.text.startswith(f"{name} "):
                link = figures(cell)[0]
                own = page.told(link, one(link, "small").text)
                found.append((power, own, own.metric(RATES)))
    both = [
        (mine, beside)
        for mine in sides[names[2]]
        for beside in sides[names[1]]
        if mine[1].runs[0].work[0] == beside[1].runs[0].work[0]
    ]
    apart = {
        name
        for (power, own, metric), (beside_power, beside, others) in both
        for name in differences(own, metric, beside, others)
        | {*(["power reading"] if _apart(power, beside_power) else [])}
    }
    ratios = [
        (own.mean(metric) / own.mean(power))
        / (beside.mean(others) / beside.mean(beside_power))
        for (power, own, metric), (beside_power, beside, others) in both
    ]

    assert number.startswith("≈ ")
    assert is_range(number, ratios)
    assert {*enumerated(differing[1])} == apart


def _apart(power: str, other: str) -> bool:
    """Tell whether two readings differ; one of unknown scope is like no other."""
    return power != other or power == POWERS["peak power of unknown scope"]
