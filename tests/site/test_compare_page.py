"""The page of comparisons: its data are those of ``benchdb compare``, word for word."""

import json
from itertools import combinations, islice
from pathlib import Path

import pytest

from benchdb.compare import rendering
from benchdb.compare.cell_rows import CellRow, compare
from benchdb.compare.sides import sides
from benchdb.report.language import available, load
from benchdb.report.scope import EVERYTHING
from benchdb.report.view.atoms import Ratio
from benchdb.report.wording.terms import verdict_text
from benchdb.site import compare as page
from benchdb.site.addresses import RUN_LETTERS
from benchdb.site.compare.data import kind_of, system_files, word_of
from benchdb.site.compare.system_files import Cell, SystemData
from benchdb.site.compare.view import Writer
from benchdb.site.compare.words import words
from benchdb.site.content import Site, content
from benchdb.site.system_pairs import Worker
from benchdb.store.database import open_database
from tests.compared import campaign
from tests.site.sites import shipped
from tests.store_factory import Machine, Run, add, new_store
from tests.summary_page import WALL

SHIPPED = Path(__file__).parents[2] / "results.sqlite"
CHIPS = ("M1", "M1 Max", "M1 Ultra", "M2 Ultra", "M4 Max", "M5", "H200", "A100")
PAIRS = 20
FEWEST = 150  # cells of those pairs, or the test would say little


@pytest.fixture
def made(tmp_path):
    """Return the site of runs."""

    def make(*runs: Run) -> Site:
        engine = new_store(tmp_path / "results.sqlite")
        with engine.begin() as connection:
            for run in runs:
                add(connection, run)
            return content(connection, EVERYTHING)

    return make


def own(chip: str, speed: float, **facts) -> list[Run]:
    """Return three processes of ours on Metal."""
    return campaign(chip, speed, machine=Machine(chip, ours=chip), **facts)


def files(site: Site) -> dict[str, SystemData]:
    named = {slug: worker for worker, slug in site.systems.slugs.items()}
    return dict(system_files(site, dict(sorted(named.items()))))


def only(cells: list[Cell]) -> Cell:
    (cell,) = cells
    return cell


@pytest.fixture(scope="module", name="shipped")
def of_chips() -> tuple[Site, dict[str, SystemData]]:
    site = shipped()
    named = {slug: it for it, slug in site.systems.slugs.items() if it.chip in CHIPS}
    return site, dict(system_files(site, named))


def test_the_page_says_what_the_command_says(shipped):
    """Of 20 pairs: ratio, verdict, interval, what differs, what is not stated."""
    site, known = shipped
    english = load("en")
    writer = Writer(english, words(english, known))
    named = {slug: it for it, slug in site.systems.slugs.items()}
    asked = dict(
        zip(
            CHIPS,
            sides(open_database(str(SHIPPED)), [f"chip:{chip}" for chip in CHIPS]),
            strict=True,
        )
    )
    pairs = [
        (first, second)
        for first, second in combinations(known, 2)
        if second in known[first].cells and named[first].chip != named[second].chip
    ]
    pairs.sort(key=lambda it: len(known[it[0]].cells[it[1]]), reverse=True)
    compared = 0
    for first, second in islice(pairs, PAIRS):
        base, other = known[first], known[second]
        whole = compare(asked[base.chip], asked[other.chip])
        result = {
            (
                row.base.quantity.run[:RUN_LETTERS],
                row.other.quantity.run[:RUN_LETTERS],
            ): (
                row.ratio,
                line[4:6],
            )
            for row, line in zip(
                whole.cells, rendering.table(whole, english).rows, strict=True
            )
            if (row.base.device, row.other.device) == (base.device, other.device)
        }
        rows = [row for it in writer.pair(base, other).groups for row in it.rows]
        shown = {(row.base.run, row.other.run): row for row in rows}
        cells = {
            (base.figures[it.base].run, other.figures[it.other].run): it
            for it in base.cells[second]
        }
        assert result.keys() <= shown.keys() == cells.keys()
        for key, (ratio, (verdict, interval)) in result.items():
            assert cells[key].value == pytest.approx(ratio.value, rel=1e-4)
            assert cells[key].word == word_of(ratio)
            assert tuple(cells[key].differs.split("\n")) == (ratio.differs or ("",))
            assert tuple(cells[key].unstated.split("\n")) == (ratio.unstated or ("",))
            assert shown[key].verdict == verdict
            assert (shown[key].interval or "none") == interval
            compared += 1
    assert len(pairs) > PAIRS
    assert compared > FEWEST


def test_sides_that_change_places_say_the_same_the_other_way_round(shipped):
    """What the script turns round is what the comparison would say of itself."""
    site, known = shipped
    named = {slug: it for it, slug in site.systems.slugs.items()}
    for first, second in (("m1-max-metal", "m1-ultra-metal"), ("m1-metal", "m5-metal")):
        text, two = sorted((first, second), key=list(known).index)
        cells, base, other = known[text].cells[two], known[text], known[two]
        rows = site.systems.cells(named[two], named[text])
        back = {
            (
                row.other.quantity.run[:RUN_LETTERS],
                row.base.quantity.run[:RUN_LETTERS],
            ): row
            for row in rows
        }
        assert len(back) == len(cells) > 3
        for cell in cells:
            row = back[base.figures[cell.base].run, other.figures[cell.other].run]
            assert cell.word == word_of(row.ratio)
            assert 1 / cell.value == pytest.approx(row.ratio.value, rel=1e-4)
            assert cell.back == ends_of(row)


def ends_of(row: CellRow) -> tuple[str, ...]:
    bounds = row.ratio.interval
    if bounds is None:
        return ()
    return ("± >10",) if bounds.wide else page.data.ends(bounds.low, bounds.high)


@pytest.mark.parametrize("code", available())
def test_verdicts_are_the_words_of_the_report(code):
    language = load(code)
    patterns = words(language, {})["verdicts"]
    for verdict in ("faster", "slower", "even", "unclear", "insufficient"):
        for value in (0.4, 2.5):
            ratio = Ratio(value, verdict)
            text = patterns[word_of(ratio)][value >= 1].replace(
                "{}", language.factor(2.5)
            )
            assert text == verdict_text(language, ratio)
    rough = Ratio(2.5, "not comparable", differs=("compiler",))
    text = patterns[word_of(rough)][1].replace("{}", language.factor(2.5))
    assert text == verdict_text(language, rough)


def test_a_repeated_cell_has_ratio_interval_and_both_figures(made):
    site = made(*own("M1", 100), *own("M2", 200))
    known = files(site)
    cell = only(known["m1-metal"].cells["m2-metal"])

    assert (cell.kind, cell.word, cell.value, cell.times) == (
        "training",
        "found",
        2,
        "2.0",
    )
    assert len(cell.ends) == len(cell.span) == 2
    assert [
        (entry.digits, entry.unit, entry.n, entry.machines)
        for entry in (known["m1-metal"].figures[0], known["m2-metal"].figures[0])
    ] == [("100", "img/s", 3, 1), ("200", "img/s", 3, 1)]
    assert known["m1-metal"].shared == {"m2-metal": 1}
    assert known["m2-metal"].shared == {"m1-metal": 1}


def test_there_is_no_mean_where_either_side_is_faster(made):
    runs = [
        *own("M1", 100),
        *own("M1", 100, workload="lstm"),
        *own("M2", 200),
        *own("M2", 50, workload="lstm"),
    ]
    (card,) = files(made(*runs))["m1-metal"].cards["m2-metal"]

    assert (card.kind, card.evidence, card.cells, card.lead) == (
        "training",
        "repeated",
        2,
        0,
    )
    assert (card.ends, card.back, card.mean) == (("0.50", "2.0"), ("0.50", "2.0"), "")


def test_a_mean_is_that_of_the_faster_side(made):
    runs = [
        *own("M1", 200),
        *own("M1", 300, workload="lstm"),
        *own("M2", 100),
        *own("M2", 100, workload="lstm"),
    ]
    (card,) = files(made(*runs))["m1-metal"].cards["m2-metal"]

    assert (card.lead, card.ends, card.mean) == (-1, ("2.0", "3.0"), "2.4")


def test_flagged_pairs_are_counted_and_in_no_card(made):
    odd = [("outlier", WALL)]
    runs = [
        Run("resnet50", "metal", Machine("M1"), values={WALL: 200.0}),
        Run("resnet50", "metal", Machine("M2"), values={WALL: 100.0}, flags=odd),
    ]
    runs += [
        Run("lstm", "metal", Machine(chip), values={WALL: seconds})
        for chip, seconds in (("M1", 300.0), ("M2", 100.0))
    ]
    known = files(made(*runs))
    (card,) = known["m1-metal"].cards["m2-metal"]

    assert (card.cells, card.ends, card.flagged) == (1, ("3.0",), 1)
    assert {cell.noted for cell in known["m1-metal"].cells["m2-metal"]} == {True, False}


def test_unlike_cells_bound_and_have_neither_mean_nor_verdict(made):
    eager = {"compiler": "eager"}
    runs = [
        Run("lstm", "metal", Machine("M1"), values={WALL: 300.0}),
        Run("lstm", "metal", Machine("M2"), values={WALL: 100.0}, columns=eager),
    ]
    known = files(made(*runs))
    (card,) = known["m1-metal"].cards["m2-metal"]

    assert (card.evidence, card.differs, card.mean) == ("unlike", "compiler", "")
    assert only(known["m1-metal"].cells["m2-metal"]).word == "unlike"


def test_two_without_a_common_cell_say_what_each_has(made):
    site = made(*own("M1", 100), *own("M2", 200, workload="lstm"))
    known = files(site)
    english = load("en")
    pair = Writer(english, words(english, known)).pair(
        known["m1-metal"], known["m2-metal"]
    )

    assert pair.empty.startswith("M1 and M2 have no cell in common")
    assert pair.groups == ()
    assert pair.only == (("M1 · Metal", "ResNet-50 (1)"), ("M2 · Metal", "LSTM (1)"))
    assert pair.command == "benchdb compare chip:M1 chip:M2"


def test_the_page_offers_the_newest_systems_and_counts_the_others(made, monkeypatch):
    monkeypatch.setattr(page, "MOST", 2)
    site = made(
        *own("M1", 100, columns={"started": "2021-03-04T05:06:07Z"}),
        *own("M2", 200, columns={"started": "2023-03-04T05:06:07Z"}),
        *own("M3", 300, columns={"started": "2024-03-04T05:06:07Z"}),
    )
    (only_page,) = page.pages(site)

    assert [system.slug for system in only_page.facts.systems] == [
        "m2-metal",
        "m3-metal",
    ]
    assert only_page.facts.lacking == 1
    assert "1 older system" in str(only_page.words(load("en")).parts["lacking"])


def test_there_is_no_page_of_a_single_system(made):
    assert list(page.pages(made(*own("M1", 100)))) == []


def test_names_of_strangers_stay_in_the_folder_and_are_plain(made):
    evil = '../../</script>"\u202e'
    site = made(*own(evil, 100), *own("M2", 200))
    (only_page,) = page.pages(site)
    text = b"".join(only_page.files.values()).decode()

    assert all(name.count("/") == 2 and ".." not in name for name in only_page.files)
    assert "\u202e" not in text
    assert "</script" not in str(only_page.words(load("en")).parts["json"])


def test_a_file_is_one_statement_with_json(made):
    (only_page,) = page.pages(made(*own("M1", 100), *own("M2", 200)))
    for system in only_page.facts.systems:
        text = only_page.files[system.file].decode()
        name, _, whole = text.removeprefix("(self.benchdb ??= {})[").partition("] = ")

        assert json.loads(name) == system.slug
        assert json.loads(whole.removesuffix(";\n"))["chip"] == system.chip


def test_kinds_of_work_never_meet():
    kinds = {name: kind_of(name) for name in ("resnet50", "llm-decode", "llm-prefill")}

    assert kinds == {
        "resnet50": "training",
        "llm-decode": "decode",
        "llm-prefill": "prefill",
    }
    assert kind_of("resnet50-inference") == "inference"
    assert kind_of("matmul") == kind_of("nobody-knows") == "other"
    assert kind_of("unet-train") == "training"


def test_systems_are_offered_by_device_those_of_macs_first(made):
    site = made(
        *own("M10", 1),
        *own("M2", 1),
        Run("lstm", "cuda", Machine("Core i7", gpu="H200"), values={WALL: 1.0}),
    )
    (only_page,) = page.pages(site)

    assert [system.slug for system in only_page.facts.systems] == [
        "m2-metal",
        "m10-metal",
        "h200-cuda",
    ]
    assert Worker("H200", "cuda") in site.systems.sides
