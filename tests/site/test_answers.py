"""What the six answers may say of the evidence that they rest on."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchdb.report import language as languages
from benchdb.site import front_page
from benchdb.site.answers.cards import cards as answers_of
from benchdb.site.answers.facts import Card, Held
from benchdb.site.answers.lookup import corpus_of
from benchdb.site.answers.overview import overview
from benchdb.site.answers.words import CardWords, card_words
from benchdb.site.chip_facts import of_chip
from benchdb.site.content import Site
from benchdb.site.pages import Frame, render
from tests.compared import campaign
from tests.site import sites
from tests.site.sites import site_of
from tests.store_factory import Machine, Run
from tests.written_reports import store

WALL = "script_wall_seconds"
RATE = "tokens_per_second"
M1, PRO, MAX = (Machine(name) for name in ("M1", "M1 Pro", "M1 Max"))
OURS = Machine("M1 Pro", ours="aaaaaaaa11111111"), Machine("M1 Max", ours="bbbbbbbb")
RIG = Machine("Core i7", "Intel", None, 32, gpu="NVIDIA GeForce RTX 3090")
Answers = Callable[..., dict[str, Card]]


@pytest.fixture(name="answered")
def in_a_new_database(tmp_path: Path) -> Answers:
    """Answer the questions in a database of these runs."""

    def answered(runs: Sequence[Run], chip: str | None = None) -> dict[str, Card]:
        with site_of(store(tmp_path, list(runs))) as site:
            return {card.question: card for card in answers_of(site, chip)}

    return answered


def script(
    seconds: float, machine: Machine, workload: str = "resnet50", **facts
) -> Run:
    facts.setdefault("device", "metal")
    return Run(workload, machine=machine, values={WALL: seconds}, **facts)


def tokens(
    rate: float,
    machine: Machine,
    *,
    day: int = 1,
    work: str = "llm-decode",
    model: str = "Llama 3.1 8B",
    device: str = "metal",
    source: str = "paper",
    energy: float | None = None,
) -> Run:
    joules = {} if energy is None else {"tokens_per_joule": energy}
    return Run(
        work,
        device,
        machine,
        "llama.cpp",
        values={RATE: rate, **joules},
        source=source,
        columns={
            "precision": None,
            "compiler": None,
            "batch_size": None,
            "parameters": {"model": model, "quantization": "Q4_K_M"},
            "started": f"2025-03-{day:02}T10:00:00Z",
        },
    )


def first(card: Card) -> Held:
    return card.held[0]


def words(card: Card) -> CardWords:
    (phrase,) = card_words(languages.load("en"), [card])
    return phrase


def tags(card: Card) -> list[tuple[str, str]]:
    return [(tag.text, tag.look) for tag in words(card).tags]


def test_repeated_like_figures_give_a_mean_with_its_interval(answered):
    runs = [
        *campaign("a", 100.0, machine=OURS[0]),
        *campaign("b", 150.0, machine=OURS[1], day=2),
    ]
    card = answered(runs)["mac"]

    assert card.evidence == "repeated"
    assert card.low == card.high == pytest.approx(1.5)
    step = first(card)
    assert (step.base.chip, step.other.chip) == ("M1 Pro", "M1 Max")
    assert step.verdict == "faster"
    assert step.least is not None
    assert step.most is not None
    assert 1 < step.least < 1.5 < step.most
    assert tags(card) == [("like for like, n = 3", "like")]
    assert words(card).look == "like"


def test_a_second_work_of_the_same_machines_makes_a_mean_no_surer(tmp_path):
    def width(*works: str) -> float:
        runs = [
            run
            for work in works
            for number, machine in enumerate(OURS)
            for run in campaign(
                f"{work} {number}",
                100.0 + 50 * number,
                machine=machine,
                day=number + 1,
                workload=work,
            )
        ]
        folder = tmp_path / "-".join(works)
        folder.mkdir()
        with site_of(store(folder, runs)) as site:
            step = first(answers_of(site, None)[0])
        assert step.least is not None
        assert step.most is not None
        return step.most / step.least

    assert width("resnet50", "vgg16") == pytest.approx(width("resnet50"))


def test_repeated_figures_whose_interval_has_1_are_not_called_faster(answered):
    wide = (0.7, 1.0, 1.4)
    runs = [
        *campaign("a", 100.0, machine=OURS[0], shares=wide),
        *campaign("b", 103.0, machine=OURS[1], shares=wide, day=2),
    ]
    card = answered(runs)["mac"]
    assert first(card).verdict == "unclear"
    assert words(card).text.endswith("Chance may have decided which is faster.")


def test_one_run_each_is_faster_beyond_a_tenth_and_says_that_it_is_single(answered):
    runs = [
        *(script(200, PRO, work) for work in ("resnet50", "mobilenetv2")),
        script(100, MAX),
        script(125, MAX, "mobilenetv2"),
    ]
    card = answered(runs)["mac"]

    assert card.evidence == "single"
    assert (first(card).low, first(card).high) == (1.6, 2.0)
    assert card.low == card.high == pytest.approx(3.2**0.5)
    assert first(card).verdict == "faster"
    assert first(card).least is None
    assert tags(card) == [("one run each, like for like", "")]


def test_single_figures_within_a_tenth_are_about_even(answered):
    card = answered([script(100, PRO), script(95, MAX)])["mac"]
    assert first(card).verdict == "even"
    assert words(card).figure == "about even"


def test_a_range_across_1_has_no_mean(answered):
    runs = [
        *(script(100, PRO, work) for work in ("resnet50", "lstm")),
        script(50, MAX),
        script(125, MAX, "lstm"),
    ]
    card = answered(runs)["mac"]

    assert first(card).mean is None
    assert (card.low, card.high) == (0.8, 2.0)
    assert first(card).verdict == "unclear"


def test_unlike_figures_bound_a_range_without_a_mean_or_a_verdict(answered):
    runs = [
        script(100, MAX),
        script(20, RIG, device="cuda", columns={"precision": "fp16-mixed"}),
    ]
    card = answered(runs, "M1 Max")["gpu"]

    assert card.evidence == "unlike"
    assert (card.low, card.high) == pytest.approx((5.0, 5.0))
    assert first(card).mean is None
    assert first(card).verdict == "unclear"
    assert first(card).differs == ("precision",)
    assert {point.look for point in card.points} == {"unlike"}
    assert words(card).figure == "≈ 5.0×"
    assert words(card).look == "unlike"
    assert tags(card) == [("precision", "unlike")]


def test_unlike_figures_are_never_in_the_mean_of_like_ones(answered):
    runs = [
        *(script(100, PRO, work) for work in ("resnet50", "lstm")),
        script(50, MAX),
        script(1, MAX, "lstm", columns={"precision": "fp16-mixed"}),
    ]
    step = first(answered(runs)["mac"])
    assert (step.mean, step.names) == (2.0, ("resnet50",))


def test_flagged_pairs_are_counted_and_in_no_figure(answered):
    runs = [
        script(100, M1, device="cpu"),
        script(50, M1),
        script(100, M1, "lstm", device="cpu"),
        script(1, M1, "lstm", flags=[("outlier", WALL)]),
    ]
    card = answered(runs)["metal"]

    assert (card.low, card.high, card.flagged) == (2.0, 2.0, 1)
    assert [(round(it.value), it.look) for it in card.points] == [
        (2, "up"),
        (100, "flagged"),
    ]
    assert ("1 flagged pair left out", "flag") in tags(card)


def test_where_all_is_flagged_nothing_is_said(answered):
    runs = [
        script(100, M1, device="cpu"),
        script(1, M1, flags=[("order-inverted", WALL)]),
    ]
    card = answered(runs)["metal"]
    assert (card.evidence, card.low, card.held) == ("none", None, ())


def test_a_doubted_origin_keeps_the_figure_and_is_told(answered):
    doubt = (
        "impossible-os",
        "",
        {"chip": "M1 Max", "first": "12.3", "os_version": "12"},
    )
    runs = [script(100, PRO), script(50, MAX, findings=[doubt])]
    card = answered(runs)["mac"]

    assert (card.low, card.doubts) == (2.0, ("M1 Max",))
    assert ("M1 Max: macOS in doubt", "flag") in tags(card)


def test_what_ran_in_the_least_memory_is_not_called_a_need(answered):
    small, large = Machine("M1", ram_gib=8), Machine("M1", ram_gib=16)
    runs = [
        tokens(9, small),
        tokens(9, large, day=2),
        tokens(5, large, model="Qwen2.5 14B", day=3),
        tokens(1, small, model="Huge 70B", day=4),  # from the disk, it must be
    ]
    card = answered(runs, "M1")["fit"]

    assert card.evidence == "ran"
    assert [(it.name, it.memory) for it in card.ran] == [
        ("Qwen2.5 14B", 16),
        ("Llama 3.1 8B", 8),
    ]
    assert tags(card) == [("it ran: least memory seen", "like")]
    assert "need" not in words(card).text


def test_where_nothing_is_known_the_command_that_would_measure_it_is_named(answered):
    cards = answered([script(100, M1)])
    assert {name for name, card in cards.items() if card.evidence == "none"} == {
        *("mac", "metal", "gpu", "watt", "fit", "tokens")
    }
    phrase = words(cards["metal"])
    assert (phrase.figure, phrase.command) == ("not measured yet", "benchdb collect")
    assert phrase.look == "none"
    assert all(words(card).command for card in cards.values())


def test_a_card_is_measured_with_cuda_and_asked_nothing_about_metal(answered):
    runs = [tokens(90, RIG, device="cuda")]
    cards = answered(runs, "GeForce RTX 3090")

    assert list(cards) == ["mac", "watt", "fit", "tokens"]
    assert cards["watt"].measure == cards["mac"].measure == "benchdb collect --cuda"


def test_smoke_runs_are_in_no_answer(answered):
    runs = [
        *campaign("a", 100.0, machine=OURS[0], columns={"tier": "smoke"}),
        *campaign("b", 150.0, machine=OURS[1], columns={"tier": "smoke"}, day=2),
    ]
    assert answered(runs)["mac"].evidence == "none"


def test_prefill_and_decode_never_meet_in_one_mean(answered):
    works = ("llm-decode", "llm-prefill")
    runs = [
        tokens(rate * factor, machine, work=work)
        for machine, factor in ((PRO, 1), (MAX, 2))
        for work, rate in zip(works, (20, 200), strict=True)
    ]
    runs[-1] = tokens(1000, MAX, work="llm-prefill")
    card = answered(runs, "M1 Max")["mac"]
    assert [(it.group, it.mean) for it in card.held] == [("decode", 2.0)]


def test_two_protocols_never_meet_in_one_mean(answered):
    steps = "epoch_seconds"
    runs = [
        *(script(100, PRO, work) for work in ("resnet50", "lstm")),
        *(script(50, MAX, work) for work in ("resnet50", "lstm")),
        *(
            Run("vgg16", "metal", machine, "torch", values={steps: seconds})
            for machine, seconds in ((PRO, 100), (MAX, 10))
        ),
    ]
    step = first(answered(runs)["mac"])
    assert step.mean == pytest.approx(2.0)
    assert step.cells == 2


def test_tokens_are_those_of_the_model_that_most_macs_ran(answered):
    runs = [
        tokens(9, M1),
        tokens(20, PRO),
        tokens(33, MAX),
        tokens(99, MAX, model="Tiny 1B"),
    ]
    card = answered(runs)["tokens"]

    assert (card.low, card.high, card.unit) == (9.0, 33.0, "token/s")
    assert card.rates[0].model == "Llama 3.1 8B"
    assert (card.rates[0].slowest, card.rates[0].fastest) == ("M1", "M1 Max")
    assert tags(card) == [("3 reports, one tool and model", "like"), ("2025", "")]


def test_joules_are_unlike_where_nobody_says_what_the_power_was_of(answered):
    runs = [
        tokens(50, MAX, energy=2.0),
        tokens(100, RIG, device="cuda", energy=0.5),
    ]
    card = answered(runs)["watt"]

    assert (card.evidence, card.low, card.high) == ("unlike", 4.0, 4.0)
    assert first(card).differs == ("power",)
    assert words(card).figure == "≈ 4.0×"


def test_a_mean_in_the_table_is_over_the_networks_that_all_chips_ran(tmp_path):
    works = ("resnet50", "mobilenetv2", "distilbert")
    runs = [
        *(script(100, M1, work) for work in (*works, "mnist")),
        *(script(50, PRO, work) for work in works),
        *(script(25, MAX, work) for work in works),
        script(200, MAX, "mnist"),
    ]
    with site_of(store(tmp_path, runs)) as site:
        shown = overview(corpus_of(site))

    rows = {row.chip: row for row in shown.chips}
    assert shown.common == tuple(sorted(works))
    assert rows["M1 Max"].mean == pytest.approx(4.0)
    assert rows["M1 Max"].spread == (0.5, 4.0)
    assert rows["M1 Pro"].mean == pytest.approx(2.0)
    assert rows["M1"].mean is None


def test_metal_that_only_slows_is_said_so(answered):
    both = [script(86.0, MAX, device="cpu"), script(602.0, MAX)]
    card = answered(both, "M1 Max")["metal"]

    assert (words(card).figure, words(card).of) == ("7.0×", "as long with Metal")
    assert words(card).text == "7.0× as long with Metal: ResNet-50."


def test_settings_of_one_work_have_rows_of_their_own_in_the_table_of_metal(tmp_path):
    kinds = [{"parameters": {"classes": n, "batch_size": 64}} for n in (8, 10)]
    made = [script(300.0, MAX, device="cpu", columns=it) for it in kinds]
    made += [script(60.0 * n, MAX, columns=it) for n, it in enumerate(kinds, 1)]
    with site_of(store(tmp_path, made)) as site:
        heat = overview(corpus_of(site)).heat
    rows = [(row.work, row.size, round(row.cells[0].ratio, 6)) for row in heat]
    assert rows == [("resnet50", "classes 8", 5.0), ("resnet50", "classes 10", 2.5)]


def test_names_of_strangers_are_harmless_in_answers_and_on_the_front_page(tmp_path):
    evil = "\N{RIGHT-TO-LEFT OVERRIDE}<b>Llama</b>\n" + "x" * 9_000 + " 8B"
    card = Machine("Core i7", "Intel", None, 32, gpu=f"{evil} RTX")
    runs = [
        *(tokens(rate, M1, model=evil, day=rate) for rate in (7, 8)),
        tokens(20, PRO, model=evil),
        tokens(90, card, model=evil, device="cuda"),
        script(10, card, device="cuda"),
        script(100, M1),
    ]
    with site_of(store(tmp_path, runs)) as site:
        (page,) = front_page.pages(site)
        text = render(page, languages.load("en"), Frame(("en",)))

    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text
    assert "<b>Llama" not in text
    assert "x" * 100 not in text
    assert "&lt;b&gt;Llama" in text


def test_an_empty_database_has_a_front_page_that_says_so(tmp_path):
    with site_of(store(tmp_path, [])) as site:
        (page,) = front_page.pages(site)
        words_of_it = page.words(languages.load("en"))
        text = render(page, languages.load("en"), Frame(("en",)))

    assert text.count("not measured yet") == 6
    missing: Any = words_of_it.parts["missing"]
    assert [command for _, command in missing] == ["benchdb collect --metal"]


@pytest.fixture(name="shipped", scope="module")
def the_shipped_database() -> Site:
    return sites.shipped()


def test_all_six_questions_are_answered_with_evidence_from_what_is_shipped(shipped):
    cards = answers_of(shipped, None)

    assert [card.question for card in cards] == [
        *("mac", "metal", "gpu", "watt", "fit", "tokens")
    ]
    assert [card.evidence for card in cards] == [
        *("single", "single", "repeated", "unlike", "ran", "repeated")
    ]
    assert all(words(card).tags for card in cards)
    assert all(card.low for card in cards)


def test_figures_of_the_shipped_answers_are_those_of_their_sources(shipped):
    """Computed by hand from the seconds and tokens that the sources print."""
    by_name = {card.question: card for card in answers_of(shipped, None)}

    steps = {it.names: it for it in by_name["mac"].held if it.other.chip == "M1 Ultra"}
    (ultra,) = steps.values()
    assert ultra.low == pytest.approx(48.321 / 38.451)
    assert ultra.high == pytest.approx(140.08 / 71.06)
    metal = by_name["metal"]
    assert metal.low == pytest.approx(646.19 / 225.36)
    assert metal.high == pytest.approx(928.57 / 71.06)
    assert metal.flagged == 3
    assert (by_name["tokens"].low, by_name["tokens"].high) == (9.1, 54.8)


def test_the_front_page_is_light_in_every_language(shipped):
    (page,) = front_page.pages(shipped)
    frame = Frame(languages.available())
    sizes = {
        code: len(render(page, languages.load(code), frame).encode())
        for code in frame.codes
    }
    assert max(sizes.values()) < 150_000


def test_unlike_rows_of_the_distance_are_hollow_and_grey(shipped):
    (page,) = front_page.pages(shipped)
    distances: Any = page.words(languages.load("en")).parts["distances"]
    rows = {row.chip: row for row in distances}

    assert (rows["M1 Max"].training.text, rows["M1 Max"].training.look) == (
        "≈ 4.9–8.9×",
        "unlike",
    )
    assert rows["M4 Max"].decode.look == ""
    looks = [mark.look for mark in rows["M1 Max"].plot.marks]
    assert looks.count("unlike") == 5


def test_a_row_counts_the_figures_that_the_page_of_its_chip_counts(shipped):
    rows = {row.chip: row.figures for row in overview(corpus_of(shipped)).chips}
    heads = (of_chip(name, shipped.by_chip[name], ()) for name in rows)
    assert rows == {head.name: head.figures for head in heads}


def test_the_nearest_mac_stands_for_all_in_the_answer_about_a_gpu(shipped):
    by_name = {card.question: card for card in answers_of(shipped, None)}
    nearest = first(by_name["gpu"])
    means = [
        row.held[0].mean or row.held[0].high
        for row in overview(corpus_of(shipped)).distances
        if len(row.held[0].names) > 1
    ]
    assert nearest.mean == min(means)
