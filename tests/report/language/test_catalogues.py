"""Catalogues: complete, current, with the same placeholders, and without markup."""

import re
from collections.abc import Iterator
from gettext import c2py
from pathlib import Path

import polib
import pytest
from babel.messages.frontend import CommandLineInterface

from benchdb.report.language import available, catalogue_path

CHECKOUT = Path(__file__).parents[3]
TEMPLATE = CHECKOUT / "reports" / "locales" / "benchdb.pot"
TRANSLATED = [code for code in available() if code != "en"]
PLACEHOLDER = re.compile(r"%\((\w+)\)[a-z]|%%")
PLURALS = {
    "en": "nplurals=2; plural=(n != 1);",
    "de": "nplurals=2; plural=(n != 1);",
    "es": "nplurals=2; plural=(n != 1);",
    "fr": "nplurals=2; plural=(n > 1);",
    "pt-BR": "nplurals=2; plural=(n > 1);",
    "ja": "nplurals=1; plural=0;",
    "ko": "nplurals=1; plural=0;",
    "zh-Hans": "nplurals=1; plural=0;",
    # gettext's order: 3 to 10, 11 to 99, 100 to 102. Babel swaps the last two.
    "ar": (
        "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 "
        "? 3 : n%100>=11 ? 4 : 5);"
    ),
}


def catalogue(code: str) -> polib.POFile:
    return polib.pofile(str(catalogue_path(code)))


def entries(code: str) -> Iterator[tuple[polib.POEntry, list[str]]]:
    """Yield every entry with all its translations, "" where it has none yet."""
    for entry in catalogue(code):
        forms = list(entry.msgstr_plural.values()) or [entry.msgstr]
        yield entry, forms


def translated(code: str) -> Iterator[tuple[polib.POEntry, list[str]]]:
    """Yield the entries that have translations, with those."""
    for entry, forms in entries(code):
        if some := [form for form in forms if form]:
            yield entry, some


def key(entry: polib.POEntry) -> tuple[str | None, str]:
    return entry.msgctxt, entry.msgid


def placeholders(text: str) -> list[str]:
    return sorted(match[0] for match in PLACEHOLDER.finditer(text))


def test_the_template_is_what_the_sources_say(tmp_path, monkeypatch):
    monkeypatch.chdir(CHECKOUT)
    fresh = tmp_path / "fresh.pot"

    command = "pybabel -q extract -F babel.toml --add-comments=TRANSLATORS"
    options = "--no-location --sort-output --no-wrap --omit-header -o"
    CommandLineInterface().run([*command.split(), *options.split(), str(fresh), "."])

    assert fresh.read_text("utf-8") == TEMPLATE.read_text("utf-8")


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_message_is_translated(code):
    wanted = {key(entry) for entry in polib.pofile(str(TEMPLATE))}
    done = {
        key(entry)
        for entry, forms in entries(code)
        if all(form.strip() for form in forms) and "fuzzy" not in entry.flags
    }

    assert done == wanted


@pytest.mark.parametrize("code", TRANSLATED)
def test_plural_messages_have_every_form(code):
    count = int(PLURALS[code].partition(";")[0].removeprefix("nplurals="))

    for entry, forms in entries(code):
        assert len(forms) == (count if entry.msgid_plural else 1), entry.msgid


@pytest.mark.parametrize("code", available())
def test_plural_rules_are_pinned(code):
    assert catalogue(code).metadata["Plural-Forms"] == PLURALS[code]
    assert catalogue(code).metadata["Language"] == code.replace("-", "_")


def test_the_arabic_rule_has_the_order_of_gettext():
    rule = c2py(PLURALS["ar"].partition("plural=")[2].rstrip(";"))

    assert [rule(n) for n in (0, 1, 2, 3, 10, 11, 99, 100, 102, 103)] == [
        0,
        1,
        2,
        3,
        3,
        4,
        4,
        5,
        5,
        3,
    ]


@pytest.mark.parametrize("code", TRANSLATED)
def test_translations_keep_the_placeholders(code):
    for entry, forms in translated(code):
        allowed = placeholders(entry.msgid_plural or entry.msgid)
        for form in forms:
            assert placeholders(form) == allowed, entry.msgid
            assert "%" not in PLACEHOLDER.sub("", form), entry.msgid


@pytest.mark.parametrize("code", TRANSLATED)
def test_translations_hold_no_markup_or_stray_controls(code):
    for entry, forms in entries(code):
        text = "".join(forms)
        assert not re.search(r"[<>&\u202a-\u202e\u2066-\u2069\x00-\x08\ufffd]", text), (
            entry.msgid
        )


@pytest.mark.parametrize("code", TRANSLATED)
def test_translations_end_as_their_message_ends(code):
    ends = {".": ".。", "?": "?？؟", ":": ":："}
    for entry, forms in translated(code):
        for form in forms:
            last = entry.msgid[-1]
            assert form[-1:] in ends.get(last, form[-1:]), entry.msgid
            assert form == form.strip(), entry.msgid


def test_french_keeps_its_spaces_before_high_punctuation():
    for entry, forms in entries("fr"):
        for form in forms:
            assert not re.search(r"\w ?[:;?!](\s|$)", form), entry.msgid


def test_spanish_opens_every_question_and_quotes_with_guillemets():
    for entry, forms in entries("es"):
        for form in forms:
            assert form.count("¿") == form.count("?"), entry.msgid
            assert form.count("«") == form.count("»"), entry.msgid
            assert not re.search('[“”"]', form), entry.msgid
            assert not re.search(r"[^\s]\s+[:;?!]|[^\N{NO-BREAK SPACE} ]%%", form), form


def test_portuguese_quotes_as_brazil_does_and_sets_no_space_before_per_cent():
    for entry, forms in entries("pt-BR"):
        for form in forms:
            assert form.count("“") == form.count("”"), entry.msgid
            assert not re.search(r'[«»"]|\s%%|\s[:;?!]', form), entry.msgid


FULL_WIDTH = "\u3001\u3002\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f"
HAN, KANA = "\u4e00-\u9fff", "\u3040-\u30ff"


@pytest.mark.parametrize("code", ["ja", "zh-Hans"])
def test_japanese_and_chinese_have_punctuation_of_full_width(code):
    for entry, forms in entries(code):
        text = PLACEHOLDER.sub("0", "".join(forms))
        assert not re.search(r"[,.;:?!()](?!\w)", text), entry.msgid
        assert not re.search(rf"\s[{FULL_WIDTH}]|[{FULL_WIDTH}]\s", text), entry.msgid


def test_japanese_quotes_with_brackets_and_sets_no_space_beside_its_own():
    for entry, forms in entries("ja"):
        text = PLACEHOLDER.sub("0", "".join(forms))
        assert text.count("「") == text.count("」"), entry.msgid
        assert not re.search('[“”"]', text), entry.msgid
        if entry.msgctxt != "unit":
            assert not re.search(rf"[{HAN}{KANA}]\s|\s[{HAN}{KANA}]", text), text


def test_chinese_quotes_with_curls_and_sets_latin_words_off():
    for entry, forms in entries("zh-Hans"):
        text = PLACEHOLDER.sub("…", "".join(forms))
        assert text.count("“") == text.count("”"), entry.msgid
        assert not re.search('[「」"]', text), entry.msgid
        assert not re.search(rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9][{HAN}]", text), text


@pytest.mark.parametrize("code", available())
def test_short_words_carry_a_context(code):
    for entry, _ in entries(code):
        words = entry.msgid.split()
        if len(words) < 2:
            assert entry.msgctxt or entry.msgid == "Languages", entry.msgid
