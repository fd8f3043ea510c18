"""Locales that have no catalogue yet, for what CLDR says of them."""

from babel import Locale

from benchdb.report.language import Language, load


def other(code: str) -> Language:
    """Return a locale that has no catalogue yet, with messages in English."""
    locale = Locale.parse(code, sep="-")
    english = load("en").catalogue
    direction = "rtl" if locale.text_direction == "rtl" else "ltr"
    return Language(code, code, direction, locale, english)  # type: ignore[arg-type]
