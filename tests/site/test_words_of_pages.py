"""No page says in English what a catalogue has words for."""

from collections.abc import Callable, Iterator

import pytest

from benchdb import catalogue
from benchdb.report.language import load
from benchdb.report.wording.catalogued import statement_text, work_text
from benchdb.report.wording.facts import locator_text, reason_text
from benchdb.site import (
    chip_page,
    compare,
    front_page,
    listings,
    machine_page,
    run,
    source_page,
    workload_page,
)
from benchdb.site.content import Site
from benchdb.site.pages import Frame, Page, render
from benchdb.site.run.named_facts import chosen, marked
from tests.page import parse
from tests.report.language.test_pseudo_locales import en_xa, leaks, unbracketed
from tests.site.sites import runs, site_with
from tests.site.test_run_page import GATES, process
from tests.store_factory import Run
from tests.summary_page import WALL

KINDS: dict[str, Callable[[Site], Iterator[Page]]] = {
    "chip": chip_page.pages,
    "compare": compare.pages,
    "front": lambda site: front_page.pages(site, []),
    "lists": listings.pages,
    "machine": machine_page.pages,
    "run": run.pages,
    "source": source_page.pages,
    "workload": workload_page.pages,
}
# What is in no language: chips, devices, frameworks, sources, and letters of grades.
NAMES = {"CPU", "CUDA", "LSTM", "MLX", "MNIST", "Max", "Metal", "MobileNetV2"}
NAMES |= {"Adam", "PyTorch", "ResNet-50", "SGD", "SHA-256", "TensorFlow", "fp32"}
NAMES |= {"llama.cpp", "paper", "reports", "A", "B", "C", "I", "X"}
STATE = {
    "conditions_before": {"gpu_power_watts": 12.5, "power_source": "ac"},
    "checks": GATES,
    "parameters": {"batch_size": 64, "flash_attn": True, "n_ubatch": 512},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    ours = [process(n, 100.0 + n, **STATE) for n in range(3)]
    placed = Run(values={WALL: 113.65}, columns={"locator": "line 4, column 2"})
    folder = tmp_path_factory.mktemp("store")
    with site_with(folder, [*runs(), *ours, placed], "mine") as made:
        yield made


@pytest.mark.parametrize("kind", KINDS)
def test_no_page_of_the_site_bypasses_the_catalogues(site: Site, kind: str):
    language, frame = en_xa(), Frame(("en",))
    pages = [render(page, language, frame) for page in KINDS[kind](site)]

    texts = {leak for page in pages for leak in leaks(parse(page), "en-XA")}
    words = {leak.partition("> ")[2].strip(",;:()") for leak in texts}
    assert pages
    assert {word for word in words if not is_name(word)} == set()


def is_name(word: str) -> bool:
    """Tell whether a word is a name, or begins a digest."""
    return word in NAMES or (len(word) == 12 and int(word, 16) > 0)


def test_what_a_catalogue_says_of_work_is_a_message():
    language = en_xa()
    texts = [f"{it.model}; {it.timed}" for it in catalogue.workloads().values()]

    assert [unbracketed(work_text(language, text)) for text in texts] == [[]] * len(
        texts
    )


def test_words_of_a_user_stay_as_they_are():
    german = load("de")

    assert work_text(german, "my model, 100 %; 3 %(n)s") == "my model, 100 %; 3 %(n)s"
    assert statement_text(german, "It is 5 % faster.") == "It is 5 % faster"
    assert reason_text(german, "the cat sat on it") == "the cat sat on it"


@pytest.mark.parametrize(
    ("locator", "text"),
    [
        ("line 1453", "Zeile 1453"),
        ("line 33 to line 36", "Zeilen 33 bis 36"),
        ("line 4, column t/s", "Zeile 4, Spalte t/s"),
        ("line 4; line 9, column t/s", "Zeile 4; Zeile 9, Spalte t/s"),
        ("/results/1/ttft", "/results/1/ttft"),
    ],
)
def test_places_in_documents_are_said_in_words(locator: str, text: str):
    assert locator_text(load("de"), locator) == text


def test_facts_have_names_units_and_numbers_of_a_language():
    facts = {"gpu_sm_clock_mhz_max": 1980.0, "load_1m": 1.5, "ecc": True, "cap": "a<b"}

    assert marked(load("de"), facts).striptags() == (
        "GPU-Takt, Maximum 1.980 MHz; Last über 1 Minute 1,5; ecc ja; cap a<b"
    )
    assert '<bdi lang="en">cap</bdi> <bdi>a&lt;b</bdi>' in marked(load("de"), facts)


def test_no_fact_is_too_large_or_odd_to_be_written():
    facts = {"x_bytes": 10**40, "throttled_fraction": float("inf"), "none": None}

    text = marked(load("en"), facts).striptags()
    assert text.startswith("x 10,000,000")
    assert text.endswith("; share of time throttled inf")


def test_parameters_have_names_of_a_language():
    parameters = {"learning_rate": 0.001, "n_ubatch": 512}

    assert chosen(load("fr"), parameters).striptags() == (
        "taux d’apprentissage de 0,001 ; n ubatch 512"
    )
