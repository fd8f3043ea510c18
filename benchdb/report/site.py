"""The first page of a site: it leads to the report in the reader's language."""

from collections.abc import Sequence

from benchdb.report import html, language, templates, untrusted
from benchdb.report.sealed import asset, policy
from benchdb.report.view.page import Report
from benchdb.report.wording import sentences


def index(report: Report, codes: Sequence[str]) -> str:
    """Return a page that links to ``report.<code>.html`` for each of *codes*.

    Its script opens the one that the reader's browser asks for; without JavaScript it
    is a list of links. It asks nothing of any server.
    """
    environment = templates.environment(autoescape=True)
    script, shown = asset("index.js"), untrusted.cleaned(report)
    languages = [language.load(code) for code in codes]
    first = languages[0]
    return environment.get_template("index.html.j2").render(
        policy=policy(script),
        style=html.verbatim(asset("report.css")),
        script=html.verbatim(script),
        first=first,
        heading=first.gettext("Languages"),
        pages=[(one, sentences.title(one, shown)) for one in languages],
    )
