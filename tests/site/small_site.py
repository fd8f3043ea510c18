"""A site of few runs that has every kind of page, and what tables must cope with."""

from pathlib import Path

from benchdb.report.scope import EVERYTHING
from benchdb.site import content, whole
from benchdb.site.content import Site
from benchdb.site.pages import Frame
from benchdb.store.database import open_database, reading
from tests.store_factory import Machine, Run
from tests.written_reports import mixed, store

FORMULA = "=1+1"
CHIP = Machine(chip="M1 Max")


def runs() -> list[Run]:
    """Return training of several chips, and reports on language models."""
    reports = [
        answer("M1 Max", "Llama 3.1 8B", 32.5, "2025-03-01"),
        answer("M1 Max", "Llama 3.1 8B", 33.5, "2025-04-01"),
        answer("M1 Max", FORMULA, 1032.0),
        answer("M2", "Llama 3.1 8B", 9.5),
        answer("M2", "Llama 3.1 8B", None),
    ]
    return [*mixed(), *reports]


def answer(chip: str, model: str, rate: float | None, day: str | None = None) -> Run:
    """Return a report on how many tokens a second a language model writes."""
    return Run(
        workload="llm-decode",
        device="metal",
        machine=Machine(chip=chip),
        framework="llama.cpp",
        values={"tokens_per_second": rate},
        reasons={} if rate else {"tokens_per_second": 'printed as "out of memory"'},
        source="reports",
        columns={
            "batch_size": None,
            "precision": None,
            "compiler": None,
            "started": day,
            "parameters": {"model": model, "quantization": "Q4_K_M"},
        },
    )


def build(folder: Path, codes: tuple[str, ...]) -> Path:
    """Write the site into *folder* in the languages *codes*; return where it is."""
    engine = open_database(str(store(folder, runs())))
    with reading(engine) as connection:
        site = content.content(connection, EVERYTHING)
        whole.write(site, Frame(codes), folder / "site")
    engine.dispose()
    return folder / "site"


def made(folder: Path, some: list[Run]) -> Site:
    """Return what the pages of a site of *some* runs show."""
    engine = open_database(str(store(folder, some)))
    with reading(engine) as connection:
        site = content.content(connection, EVERYTHING)
    engine.dispose()
    return site
