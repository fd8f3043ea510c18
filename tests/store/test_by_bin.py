"""A figure far from all other machines' of its bin is found, whatever came first."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from benchdb.merge import import_or_raise
from benchdb.report.language import load
from benchdb.report.summary import summarise
from benchdb.report.wording.notes import reason_text
from benchdb.store import forgetting
from benchdb.store.database import open_database, reading, writing
from benchdb.store.derived import renew
from benchdb.store.forgetting import SOURCE
from benchdb.store.tables import finding, result
from benchdb.store.tables import source as sources
from tests.campaign_history import campaign
from tests.exchange_lines import HEADER, MACHINE, line

CELL = {"model": "Qwen3 8B", "quantization": "4bit", "generated_tokens": 128}


def written(folder: Path, slug: str, rate: float, **facts: object) -> Path:
    """Write the file of a source that tells one figure of an M4 Pro."""
    run = {
        "workload": "llm-decode",
        "framework": "mlx",
        "device": "metal",
        "label": "transcribed",
        "parameters": CELL,
        "setting": "bench",
        **facts,
    }
    chip = {"vendor": "Apple", "name": "M4 Pro", "gpu_cores": 20}
    keys = {"machine": "m", "environment": "e", "source": "s"}
    value = {"metric": "tokens_per_second", "value": rate, "printed": str(rate)}
    lines = [
        {"type": "header", "format": 1, "producer": "test", "producer_version": "1"},
        {"type": "machine", "key": "m", "chip": chip},
        {"type": "environment", "key": "e", "framework": "mlx"},
        {"type": "source", "key": "s", "slug": slug, "title": slug},
        {"type": "run", "key": "r", **keys, **run},
        {"type": "end", "run": "r", "status": "ok", "values": [value]},
    ]
    path = folder / f"{slug}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def out_of_bin(engine) -> list[tuple[float, int]]:
    with reading(engine) as connection:
        query = select(finding.c.detail).where(finding.c.code == "out-of-bin")
        details = connection.scalars(query).all()
    return sorted((detail["stated"], detail["machines"]) for detail in details)


@pytest.fixture
def files(tmp_path) -> list[Path]:
    rates = (50.0, 53.0, 61.0, 47.0, 130.0)
    return [written(tmp_path, f"s{n}", rate) for n, rate in enumerate(rates)]


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_a_figure_beyond_twice_the_extremes_of_four_other_machines(
    backend, files, order
):
    engine = open_database(backend.database())

    import_or_raise(engine, files[1:][order])
    assert out_of_bin(engine) == []
    import_or_raise(engine, files[:1])

    assert out_of_bin(engine) == [(130, 4)]
    with writing(engine) as connection:
        renew(connection)
    assert out_of_bin(engine) == [(130, 4)]


def test_what_is_forgotten_is_no_witness_any_more(backend, files):
    engine = open_database(backend.database())
    import_or_raise(engine, files)

    with writing(engine) as connection:
        query = select(sources.c.digest).where(sources.c.slug == "s0")
        target = forgetting.Target(SOURCE, str(connection.scalar(query)), "s0")
        forgetting.forget(connection, target)

    assert out_of_bin(engine) == []


@pytest.mark.parametrize(
    "facts",
    [
        {"parameters": {**CELL, "quantization": "8bit"}},
        {"parameters": {**CELL, "depth": 4096}},
        {"setting": "another"},
        {"framework": "llama.cpp"},
        {"device": "cpu"},
        {"workload": "llm-prefill"},
        {"label": "claimed"},
        # Not a name of the catalogue: nobody knows what makes its cell.
        {"workload": "mine"},
    ],
)
def test_other_work_is_no_witness(fleeting_engine, tmp_path, files, facts):
    other = written(tmp_path, "s0", 50.0, **facts)

    import_or_raise(fleeting_engine, [other, *files[1:]])

    assert out_of_bin(fleeting_engine) == []


@pytest.fixture
def fleeting_engine(tmp_path):
    return open_database(str(tmp_path / "results.sqlite"), create=True)


RATES = (480.0, 470.0, 492.0, 475.0, 484.0)  # of machines alike


def fleet(folder: Path, *rates: float, name: str = "fleet", **facts: Any) -> Path:
    """Write what collectors measured on a machine for each of *rates*."""
    lines = [HEADER]
    for n, rate in enumerate(rates):
        own = f"{n + 1:016x}"
        lines.append(line(MACHINE, key=f"n{n}", anonymous_id=own))
        lines += campaign(n, rate, machine=f"n{n}", **facts)
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"".join(lines))
    return path


def beyond(engine) -> list[tuple[int, float, int]]:
    """Return the best rate of each machine beyond a ceiling, that, of how many."""
    with reading(engine) as connection:
        query = select(finding.c.detail).where(
            finding.c.code == "out-of-bin", finding.c.metric == "samples_per_second"
        )
        details = connection.scalars(query).all()
    rows = (
        (round(detail["stated"]), round(detail["ceiling"]), detail["machines"])
        for detail in details
    )
    return sorted(set(rows))


def test_a_machine_faster_than_all_of_its_bin_by_more_than_they_differ(
    backend, tmp_path
):
    engine = open_database(backend.database())
    import_or_raise(engine, [fleet(tmp_path, *RATES)])
    assert beyond(engine) == []

    # A quarter beyond the best is what another version may do.
    import_or_raise(engine, [fleet(tmp_path, *RATES, 492 * 1.24, name="more")])
    assert beyond(engine) == []

    # One that is slow is no doubt; where machines differ, no ceiling is beyond twice.
    most = fleet(tmp_path, *RATES, 492 * 1.24, 10.0, 2000.0, name="most")
    import_or_raise(engine, [most])
    expected = [(2002, 1221, 7)]
    assert beyond(engine) == expected
    with writing(engine) as connection:
        renew(connection)
    assert beyond(engine) == expected


def test_a_ceiling_needs_four_other_machines_and_adapts_to_those_that_come(tmp_path):
    engine = open_database(str(tmp_path / "r.sqlite"), create=True)

    import_or_raise(engine, [fleet(tmp_path, 900.0, *RATES[:3])])
    assert beyond(engine) == []

    import_or_raise(engine, [fleet(tmp_path, 900.0, *RATES[:4], name="five")])
    assert beyond(engine) == [(901, 616, 4)]

    # Another machine that reaches it: the ceiling is the fleet's, and nobody's to set.
    import_or_raise(engine, [fleet(tmp_path, 900.0, *RATES[:4], 880.0, name="six")])
    assert beyond(engine) == []


@pytest.mark.parametrize(
    "facts",
    [{"precision": "bf16"}, {"parameters": {"batch_size": 8}}, {"tier": "smoke"}],
)
def test_other_work_makes_no_ceiling(fleeting_engine, tmp_path, facts):
    others = fleet(tmp_path, *RATES, **facts)
    (tmp_path / "own").mkdir()

    import_or_raise(fleeting_engine, [others, fleet(tmp_path / "own", 900.0)])

    assert beyond(fleeting_engine) == []


def test_a_ceiling_is_a_note_that_names_it_and_refuses_nothing(
    fleeting_engine, tmp_path
):
    import_or_raise(fleeting_engine, [fleet(tmp_path, 900.0, *RATES[:4])])

    with reading(fleeting_engine) as connection:
        notes = summarise(connection).notes
        letters = set(connection.scalars(select(result.c.grade)))

    (note,) = [item for item in notes if item.code == "out-of-bin"]
    text = reason_text(load("en"), note.code, note.detail).replace("\xa0", " ")
    assert text.startswith(
        "901 samples/s is beyond the ceiling of 616 samples/s: the best of 4 other "
        "machines of this kind reaches 492 samples/s at the same work."
    )
    assert letters - {None} == {"C"}  # of rows that stand for others, none is said
