"""Forgeries of many kinds beside the shipped results: each is listed and leads nothing.

Each is imported through the command line into a copy of the shipped database.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchdb.resources import folder
from benchdb.store.database import open_database
from tests.contents import contents
from tests.forgeries import (
    PROCESSES,
    Change,
    Line,
    as_mac,
    backdated,
    checked,
    document,
    doubts,
    faster,
    figure,
    forged,
    import_,
    lasting,
    noisy,
    on,
    parameters,
    renamed_chip,
    renumbered,
    scaled,
    shown_of,
    truncated,
    without_samples,
)
from tests.in_process import benchdb

Made = Callable[[Path], Path]
SHIPPED = ("m1tensorbench", "benchdb-h200")
OTHER = on("source", slug="blog", title="A blog", document_sha256="d" * 64)


@dataclass(frozen=True)
class Forgery:
    """What makes a file, and what becomes of its runs.

    *codes* are found, *letters* are the grades, *hearsay* counts in no comparison.
    """

    make: Made
    codes: frozenset[str]
    letters: frozenset[str | None]
    hearsay: bool = False


def measured(codes: str, letters: str, *changes: Change) -> Forgery:
    """Forge processes that benchdb ships with their samples."""
    return Forgery(
        lambda path: forged(path, *changes),
        frozenset(codes.split()),
        frozenset(letters.split()),
    )


def told(*changes: Change) -> Forgery:
    """Forge a document that benchdb ships."""
    return Forgery(
        lambda path: document(path, *changes),
        frozenset(),
        frozenset({"I", "X", None}),
        hearsay=True,
    )


ELSEWHEN = on("run", campaign="elsewhere")
FORGERIES = {
    "scaled and relabelled as a Mac": measured(
        "copied-samples samples-disagree", "X", scaled(0.5), as_mac("M4 Max"), ELSEWHEN
    ),
    "copied as later replicates": measured("copied-samples", "X", renumbered),
    "copied with an earlier date": measured("copied-samples", "X", backdated),
    "copied as another campaign": measured("copied-samples", "X", ELSEWHEN),
    "copied as another workload": measured(
        "copied-samples", "X", on("run", workload="mobilenetv2")
    ),
    "measured without samples": measured(
        "above-peak", "C", ELSEWHEN, without_samples, faster(10)
    ),
    "measured without gates": measured("", "C", ELSEWHEN, noisy, checked(gates={})),
    "gates that passed for absurd times": measured(
        "above-peak samples-disagree unit-contradiction",
        "X",
        ELSEWHEN,
        noisy,
        scaled(1000),
    ),
    "a smoke run renamed to reference": measured(
        "samples-disagree",
        "X",
        on("run", tier="reference", campaign="elsewhere"),
        noisy,
        truncated(3),
    ),
    "fp32 labelled bf16": measured(
        "samples-disagree", "X", ELSEWHEN, noisy, on("run", precision="bf16")
    ),
    "energy of a millisecond": measured(
        "samples-disagree", "X", ELSEWHEN, noisy, lasting(0.001)
    ),
    "another version of the workload": measured(
        "copied-samples", "X", on("run", workload_version=2)
    ),
    "absurd operations of a step": measured(
        "samples-disagree", "X", ELSEWHEN, noisy, checked(operations_per_step=1e30)
    ),
    "a peak that was raised": measured(
        "samples-disagree",
        "X",
        *(ELSEWHEN, noisy, checked(peak_flops=1e18)),
    ),
    "a negative rate": measured(
        "copied-samples impossible-figure samples-disagree",
        "X",
        *(ELSEWHEN, figure("samples_per_second", -1.0)),
    ),
    "a name with invisible letters": measured(
        "contradicting-copies", "X", on("run", device_name="NVIDIA\u2063 H\u200b200")
    ),
    "a batch size of another type": measured(
        "copied-samples", "X", parameters(batch_size="128")
    ),
    "half the batch of the samples": measured(
        "samples-disagree", "X", ELSEWHEN, noisy, parameters(batch_size=64)
    ),
    "a known source ten times faster": told(faster(10)),
    "the slug of a known source": told(
        on("source", document_sha256="d" * 64), faster(10)
    ),
    "another source about a new chip": told(
        OTHER, faster(10), renamed_chip("M1 Ultra", "M4 Max")
    ),
    "a known source about a new chip": told(
        faster(10), renamed_chip("M1 Ultra", "M4 Max")
    ),
    "a source that took the credit in 1900": told(
        OTHER, on("source", published="1900")
    ),
    "the same document, in 1900": told(on("source", slug="thief", published="1900")),
    "no source at all": told(on("run", source=None), faster(10)),
}


@pytest.fixture(scope="module", name="shipped")
def what_is_shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database: Path = tmp_path_factory.mktemp("shipped") / "results.sqlite"
    import_(database, folder("published"))
    return database


@pytest.fixture(scope="module", name="before")
def what_it_says(shipped: Path) -> Line:
    return page(shipped)


def page(database: Path) -> Line:
    options = ("--lang", "en", "--format", "json", "-o", "-")
    done = benchdb("report", *options, "--db", database)
    assert done.status == 0, done.err
    found: Line = json.loads(done.out)
    return found


def leading(view: Line) -> dict[str, object]:
    """Return all that a headline rests on, without the letters of the notes."""
    sections = ("answers", "metal", "distance", "efficiency")
    ranked = [row for row in view["ranking"]["rows"] if row["mean"]]
    return {
        "ranking": bare(ranked),
        **{name: bare(view[name]) for name in sections},
    }


def bare(part: object) -> object:
    if isinstance(part, dict):
        return {key: bare(one) for key, one in part.items() if key != "notes"}
    return [bare(one) for one in part] if isinstance(part, list) else part


def figures(view: Line) -> dict[tuple[str, str], object]:
    return {
        (one["run"], one["metric"]): bare(one["quantity"]) for one in view["values"]
    }


def counted(view: Line) -> Counter[tuple[str, str | None]]:
    return Counter(
        {(one["slug"], one["document_sha256"]): one["runs"] for one in view["sources"]}
    )


def listed(database: Path) -> set[str]:
    return {
        one["digest"]
        for one in json.loads(benchdb("list", "--json", "--db", database).out)
    }


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_leads_nothing_and_hides_nothing(tmp_path, shipped, before, name):
    forgery = FORGERIES[name]
    database = Path(shutil.copyfile(shipped, tmp_path / "results.sqlite"))
    there = listed(database)

    import_(database, forgery.make(tmp_path / "forged.jsonl"))
    new = listed(database) - there
    after, runs = page(database), shown_of(database, sorted(new)[:3])

    assert len(new) >= PROCESSES
    assert {code for code, _ in doubts(runs)} - {"impossible-os"} == forgery.codes
    assert {run["grade"] and run["grade"]["letter"] for run in runs} <= forgery.letters
    assert {run["hearsay"] for run in runs} == {forgery.hearsay}
    assert leading(after) == leading(before)
    assert figures(before).items() <= figures(after).items()
    assert counted(before).keys() <= counted(after).keys()
    assert new <= {one["run"] for one in after["values"]} | {
        run for one in after["values"] for run in one["runs"]
    }


TOGETHER = (
    "copied as later replicates",
    "copied with an earlier date",
    "a name with invisible letters",
    "a known source ten times faster",
    "a source that took the credit in 1900",
)


def test_in_whatever_order_they_come_the_database_is_the_same_and_sound(tmp_path):
    files = [
        FORGERIES[name].make(tmp_path / f"{number}.jsonl")
        for number, name in enumerate(TOGETHER)
    ]
    every = [*(folder("published") / f"{name}.jsonl" for name in SHIPPED), *files]
    found: list[dict[str, list[Any]]] = []
    for order in (every, every[::-1]):
        database = tmp_path / f"{len(found)}.sqlite"
        import_(database, *order)
        found.append(contents(open_database(str(database))))

    check = benchdb("db", "check", "--db", tmp_path / "1.sqlite")
    assert (check.status, check.err) == (0, "")
    assert found[0] == found[1]
