"""Templates of pages, with what they need to speak a language.

They hold the markup, ``benchdb.report.wording`` and the pages the sentences,
``benchdb.report.charts`` the places of marks. Same input, same bytes.
"""

from functools import cache, lru_cache, partial

from jinja2 import Environment
from markupsafe import Markup, escape

from benchdb.report import templates
from benchdb.report.charts import layout, svg
from benchdb.report.language import Language
from benchdb.report.wording import grades, terms


@lru_cache(maxsize=16)
def environment(language: Language) -> Environment:
    """Return the templates of a page with what they need to speak *language*."""
    templating = templates.environment(autoescape=True, extensions=["jinja2.ext.i18n"])
    templating.policies["ext.i18n.trimmed"] = True
    # Jinja takes translations for markup; escaped here, a stray < in one is only text.
    messages = language.catalogue
    templating.install_gettext_callables(  # type: ignore[attr-defined]
        cache(lambda message: escape(messages.gettext(message))),
        lambda item, many, n: escape(messages.ngettext(item, many, n)),
        newstyle=True,
        pgettext=cache(lambda about, text: escape(messages.pgettext(about, text))),
        npgettext=lambda context, item, many, n: escape(
            messages.npgettext(context, item, many, n)
        ),
    )
    templating.filters.update(
        listing=language.listing,
        pcs=lambda place: f"{svg.number(place)}%",
        pt=partial(svg.number, decimals=1),
        whole=language.number,
    )
    templating.globals.update(
        chip_text=partial(terms.chip_text, language),
        how_to_read_grades=cache(partial(grades.how_to_read_grades, language)),
        lay_out=layout.lay_out,
        grid=svg.grid,
        bundled=svg.bundled,
        whiskers=svg.whiskers,
        shapes=verbatim(svg.shapes()),
    )
    return templating


def verbatim(asset: str) -> Markup:
    """Return an asset as what may stand in a page as it is."""
    # The only place where text goes into a page unescaped: our own style and script.
    return Markup(asset)  # noqa: S704
