import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchdb.report import untrusted
from tests.view_fixture import HOSTILE, hostile, report


def test_text_is_composed_and_on_one_line():
    assert untrusted.plain("e\u0301\ttwo\r\nthree\u2028four") == "é two three four"


def test_text_that_reorders_its_neighbours_is_stripped():
    assert untrusted.plain("a\u202egnp.exe\u202c \u2066b\u2069\u200f") == "agnp.exe b"


@pytest.mark.parametrize(
    "hidden", ["\u200b", "\ufeff", "\u2060", "\u00ad", "\U000e0001\U000e0041\U000e007f"]
)
def test_characters_that_nobody_sees_are_dropped(hidden):
    assert untrusted.plain(f"{hidden}M1{hidden} Max") == "M1 Max"
    assert untrusted.link(f"https://example.org/{hidden}") is None


def test_joiners_stay_where_scripts_need_them():
    assert untrusted.plain("می\u200cشود") == "می\u200cشود"


def test_controls_surrogates_and_unassigned_characters_are_dropped():
    assert untrusted.plain("\x00a\x1b[31m\x7f\ud800\U000e0080b") == "a[31mb"


def test_a_long_name_is_cut_and_says_so():
    cut = untrusted.plain("x" * 10_000)
    assert len(cut) == untrusted.NAME_LIMIT
    assert cut.endswith("…")


@given(st.text())
def test_plain_text_stays_plain(text: str):
    once = untrusted.plain(text)
    assert len(once) <= untrusted.NAME_LIMIT
    assert {unicodedata.category(c) for c in once}.isdisjoint({"Cc", "Cs", "Cn"})
    assert not set(once) & {chr(c) for c in range(0x202A, 0x202F)}


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.org",
        "https://",
        "https://user:pw@example.org/",
        "https://exa mple.org/",
        "https://example.org/\u202egnp",
        "https://[broken",
        "https://example.org/" + "x" * 3000,
        "",
        None,
    ],
)
def test_only_plain_https_addresses_become_links(url: str | None):
    assert untrusted.link(url) is None


def test_an_https_address_stays_as_it_is():
    assert (
        untrusted.link("https://example.org/a?b=c#d") == "https://example.org/a?b=c#d"
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_every_text_of_a_report_comes_out_plain(text: str):
    cleaned = untrusted.cleaned(hostile(text))
    assert cleaned.machines[0].chip == untrusted.plain(text)
    assert cleaned.sources[0].url == ""
    assert cleaned.values[0].locator == untrusted.plain(text, untrusted.PROSE_LIMIT)


def test_a_harmless_report_is_not_changed():
    assert untrusted.cleaned(report()) == report()


class Odd(msgspec.Struct, frozen=True):
    key: str
    facts: dict[str, object]


def test_keys_are_never_cut_and_facts_are_reached():
    odd = Odd("k" * 200, {"chip": "a\x00b", "names": ["c\u202ed"], "n": 3})
    assert untrusted.cleaned(odd) == Odd(
        "k" * 200, {"chip": "ab", "names": ["cd"], "n": 3}
    )
