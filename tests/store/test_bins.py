"""A figure far from all other machines' of its bin is found, whatever came first."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from benchdb.merge import import_or_raise
from benchdb.store import forgetting
from benchdb.store.database import open_database, reading, writing
from benchdb.store.derived import renew
from benchdb.store.forgetting import SOURCE
from benchdb.store.tables import finding
from benchdb.store.tables import source as sources

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


def found(engine) -> list[tuple[float, int]]:
    with reading(engine) as connection:
        query = select(finding.c.detail).where(finding.c.code == "out-of-bin")
        details = connection.scalars(query).all()
    return sorted((one["stated"], one["machines"]) for one in details)


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
    assert found(engine) == []
    import_or_raise(engine, files[:1])

    assert found(engine) == [(130, 4)]
    with writing(engine) as connection:
        renew(connection)
    assert found(engine) == [(130, 4)]


def test_what_is_forgotten_is_no_witness_any_more(backend, files):
    engine = open_database(backend.database())
    import_or_raise(engine, files)

    with writing(engine) as connection:
        query = select(sources.c.digest).where(sources.c.slug == "s0")
        target = forgetting.Target(SOURCE, str(connection.scalar(query)), "s0")
        forgetting.forget(connection, target)

    assert found(engine) == []


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

    assert found(fleeting_engine) == []


@pytest.fixture
def fleeting_engine(tmp_path):
    return open_database(str(tmp_path / "results.sqlite"), create=True)
