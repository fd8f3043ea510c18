"""Machines of one chip made up for a test, and the page of them."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.report.language import load
from benchdb.report.sections.normal import Normal, Standing, Strip
from benchdb.report.view.page import Report
from tests.section_page import Pages
from tests.store_factory import Machine, Run

MAX = Machine("Apple M1 Max", "Apple", "Mac Studio", 64)
RATES = (95.0, 98.0, 100.0, 101.0, 102.0, 104.0, 110.0)
EN = load("en")


def ran(rate: float, ours: str | None, **facts: Any) -> Run:
    """Return a run on the machine with this id, or published by *source*."""
    metric = facts.pop("metric", "samples_per_second")
    columns = {"campaign": "c", "started": "2026-03-04T05:06:07Z"}
    return Run(
        workload=facts.pop("workload", "resnet50"),
        device=facts.pop("device", "metal"),
        machine=replace(facts.pop("machine", MAX), ours=ours),
        framework=facts.pop("framework", "torch"),
        source=facts.pop("source", None),
        flags=facts.pop("flags", ()),
        values={metric: rate},
        columns={**columns, **facts},
    )


def fleet(rates: Sequence[float] = RATES, **facts: Any) -> list[Run]:
    return [ran(rate, f"m{place}", **facts) for place, rate in enumerate(rates)]


def normal(pages: Pages, runs: Iterable[Run], **wishes: Any) -> Normal:
    found: Normal | None = pages.of(runs, **wishes).sections["normal"]
    assert found is not None
    return found


def only(found: Normal) -> Strip:
    (strip,) = (*found.strips, *found.rest)
    return strip


def standing(pages: Pages, mine: float, rates: Sequence[float] = RATES) -> Standing:
    runs = [*fleet(rates), ran(mine, "me")]
    found = only(normal(pages, runs, here="me")).standing
    assert found is not None
    return found


@pytest.fixture(scope="module", name="report")
def mine_among_others(pages: Pages) -> Report:
    slow = ran(70.0, "me")
    more = fleet([200.0, 201.0, 202.0, 203.0], workload="mobilenetv2")
    return pages.of(
        [*fleet(), slow, *more, ran(202.0, "me", workload="mobilenetv2")], here="me"
    )
