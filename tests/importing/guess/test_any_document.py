"""Documents that cannot be understood break nothing, and take bounded time and room."""

import json
import tracemalloc

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from benchdb.importing.document import Document
from benchdb.importing.guess import draft
from benchdb.importing.guess.toml_text import to_toml
from benchdb.importing.mapping.language import Column, Map, Table
from benchdb.importing.sheet import Cell, Sheet, SheetRow
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import (
    asked,
    bad_lines,
    converse,
    figures,
    of_text,
    table,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=40, deadline=None)
@given(name=TEXTS, cell=TEXTS, note=st.text(max_size=40))
def test_any_text_stays_what_it_is_in_toml(name, cell, note):
    column = Column(field="workload", values={cell: name}, set={name: 1.5, "b": True})
    map_ = Map(set={name: cell}, table=(Table(under=cell, columns={name: column}),))

    assert msgspec.toml.decode(to_toml(map_, [note]), type=Map) == map_


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4), TEXTS, TEXTS)
def test_no_table_makes_it_fail(rows, above, header):
    cells = [SheetRow(n, tuple(Cell(t, n) for t in row)) for n, row in enumerate(rows)]
    sheet = Sheet("markdown", 1, (above,), ("Model", "Time", header), tuple(cells))

    proposal = draft.propose(Document("x.md", b"x"), [sheet])
    assert msgspec.toml.decode(proposal.toml, type=Map) == proposal.map


def test_text_that_hides_or_reorders_shows_its_escapes():
    proposal = of_text(table("Model | s/epoch", "a\u202eb | 3", "c\x07 | 4"))

    assert "\u202e" not in proposal.toml + "".join(proposal.notes)
    assert "\x07" not in proposal.toml


def test_a_wide_record_is_read_by_its_figures_and_facts():
    record = {
        "hardware": {"mac_model": "Mac16,10", "chip": "Apple M4", "serial": None},
        "run": {"latency_ms": 12.5, "tokens_per_second": 99.0},
        "settings": {f"path_{n}": f"logs/a{n}.txt" for n in range(300)},
    }
    document = Document("result.json", json.dumps(record, indent=1).encode())

    proposal = draft.propose(document, readable(document))
    columns = proposal.map.table[0].columns
    assert columns.keys() == {
        "hardware.mac_model",
        "hardware.chip",
        "run.latency_ms",
        "run.tokens_per_second",
    }
    assert proposal.map.table[0].others == "ignore"
    (line,) = [it for it in proposal.left_out if "path_0" in it]
    assert line.endswith("and 295 more: words that no rule knows")
    assert len(proposal.lines()) < 15


def test_halves_of_surrogate_pairs_are_no_table_for_toml():
    row = SheetRow(2, (Cell("\ud800", 2), Cell("1 s", 2)))
    sheet = Sheet("html", 1, (), ("a", "b"), (row,))

    proposal = draft.propose(Document("x.ipynb", b"x"), [sheet])
    assert proposal.map.table == ()
    assert "halves of characters" in proposal.left_out[0]


def test_a_header_that_comes_again_is_no_row():
    text = "# Training in JAX on M1 CPU\n\n" + table(
        "Model | s/epoch", "lenet | 3", "Model | s/epoch", "unet | 4"
    )
    proposal = of_text(text)

    assert [value for _, _, value in figures(proposal, text)] == [3.0, 4.0]
    assert bad_lines(proposal, text) == []


def test_figures_in_two_units_of_time_are_read_each_in_its_own():
    text = "# Training in JAX on M1 CPU\n\n" + table(
        "Model | Epoch", "lenet | 3 s", "unet | 400 ms", "vgg | 12"
    )
    proposal = of_text(text)

    assert [value for _, _, value in figures(proposal, text)] == [3.0, 0.4]
    (bad,) = bad_lines(proposal, text)
    assert bad.locator == "line 7, column Epoch"


def test_figures_that_contradict_each_other_are_all_refused():
    text = "# Training in JAX on M1 CPU\n\n" + table(
        "Model | s/epoch", "lenet | 3", "lenet | 4", "unet | 5"
    )
    proposal = of_text(text, {"repeat of rows": "nothing"})

    assert [value for _, _, value in figures(proposal, text)] == [5.0]
    assert [line.number for line in bad_lines(proposal, text)] == [5, 6]


def test_two_machines_under_one_name_are_not_mixed():
    text = "# Training in JAX on CPU\n\n" + table(
        "Chip | GPU cores | Model | s/epoch",
        "M1 Max | 24 | lenet | 3",
        "M1 Max 32c | 24 | lenet | 4",
    )
    proposal = of_text(text)

    assert [value for _, _, value in figures(proposal, text)] == [3.0]
    (bad,) = bad_lines(proposal, text)
    assert "gpu_cores is 24, but the machine has 32" in bad.reason


def test_a_hundred_thousand_rows_are_looked_at_in_little_room():
    rows = tuple(
        SheetRow(n, (Cell(f"net{n}", n), Cell(f"{n}.5", n))) for n in range(2, 100_002)
    )
    sheet = Sheet("csv", 1, (), ("Model", "s/epoch"), rows)
    document = Document("training-jax-m1-cpu.csv", b"x")

    tracemalloc.start()
    proposal = draft.propose(document, [sheet])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert asked(proposal) == set()
    assert len(proposal.toml.splitlines()) < 40
    assert most < 64 * 2**20


def test_hundreds_of_tables_make_few_questions():
    result = table("Name | Foo", "a | 1.5") + "\n"
    text = "".join(f"## Part {n}\n\n{result}" for n in range(300))

    chosen = {"headings": "repeat", "numbers": "score", "work of": "title"}
    proposal, _ = converse(text, chosen)
    assert len(proposal.map.table) == 1
    assert len(proposal.toml.splitlines()) <= 40


def test_rows_in_a_wide_record_keep_what_tells_them_from_each_other():
    tasks = [{"task": "sort", "seconds": 2.5}, {"task": "merge", "seconds": 7.5}]
    record = {
        "chip": "Apple M4",
        "settings": {f"path_{n}": f"logs/a{n}.txt" for n in range(300)},
        "tasks": tasks,
    }
    document = Document("result.json", json.dumps(record, indent=1).encode())

    (table_,) = draft.propose(document, readable(document)).map.table
    assert table_.columns.keys() == {"task", "seconds", "chip"}
