"""Render a report as one HTML file that needs nothing else.

The templates in ``reports/templates`` hold the markup, ``benchdb.report.wording`` the
sentences, ``benchdb.report.charts`` the places of marks. Same input, same bytes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

from jinja2 import Environment
from markupsafe import Markup, escape

from benchdb.report import bounds, filters, templates, untrusted
from benchdb.report import language as languages_of_reports
from benchdb.report.charts import layout, svg
from benchdb.report.language import Language
from benchdb.report.page_assets import asset, stylesheet
policy=None
from benchdb.report.sections import SECTIONS, words
from benchdb.report.slim import slim
from benchdb.report.value_table import per_run, places_of, runs_of
from benchdb.report.view.atoms import System, parts, unlike_sets
from benchdb.report.view.listed import Note, ValueRow
from benchdb.report.view.page import Report
from benchdb.report.wording import cells, grades, sentences
from benchdb.report.wording.sections import section_chart
from benchdb.report.wording.terms import framework_text

_RUN_LETTERS = 12
_LETTERS_BESIDE = 8  # of the other processes: ``benchdb show`` finds them by these
_ADDRESS = 60  # letters that are shown
_LINKS_BACK = 20  # of a note to its values; each of them links to the note


def render(
    report: Report,
    language: Language,
    *,
    languages: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
) -> str:
    """Return the page of *report* in *language*.

    *languages* are the codes of the pages beside this one (``report.<code>.html``),
    *files* the data beside it: label to file name. *options* are the words of the
    command line that decide what is on it.
    """
    for lines_shown in bounds.LINES:
        shown = untrusted.cleaned(bounds.fitted(report, lines_shown))
        page = _rendered(shown, language, languages, files or {}, options)
        if len(page.encode()) <= bounds.PAGE or report.everything:
            break
    return page


def _rendered(
    report: Report,
    language: Language,
    languages: Sequence[str],
    files: Mapping[str, str],
    options: Sequence[str],
) -> str:
    style = svg.rules() + stylesheet(("tokens.css", "report.css", "chart.css"))
    script = asset("report.js")
    lines, rows = per_run(report.values)

    def anchor(run: str) -> str:
        """Return the id of the row in which *run* is, perhaps with others."""
        return _run_id(rows[run].run if run in rows else run)

    def at(run: str) -> str:
        """Return the id of the row that a figure leads to, if it is on the page."""
        return anchor(run) if run in rows else ""

    named = {
        untrusted.plain(label): untrusted.file_name(name)
        for label, name in files.items()
    }
    return slim(
        environment(language)
        .get_template("report.html.j2")
        .render(
            report=report,
            language=language,
            reading=sentences.how_to_read(language),
            policy=policy(script),
            style=verbatim(style),
            script=verbatim(script),
            links=[(code, languages_of_reports.load(code)) for code in languages],
            files=[(label, name) for label, name in named.items() if name],
            options=filters.typed(options),
            filters=filters.as_line(report.chosen),
            there=filters.as_line(report.there),
            charts={
                name: section_chart(language, report, name) for name in report.sections
            },
            rows=rows,
            lines=lines,
            training=not report.values or sentences.is_about_training(report),
            at=at,
            links_back=partial(_links_back, rows, anchor),
        )
    )


@lru_cache(maxsize=16)
def environment(language: Language) -> Environment:
    """Return the templates of a page with what they need to speak *language*."""
    templating = templates.environment(autoescape=True, extensions=["jinja2.ext.i18n"])
    templating.policies["ext.i18n.trimmed"] = True
    # Jinja takes translations for markup; escaped here, a stray < in one is only text.
    messages = language.catalogue
    templating.install_gettext_callables(  # type: ignore[attr-defined]
        lambda message: escape(messages.gettext(message)),
        lambda one, many, n: escape(messages.ngettext(one, many, n)),
        newstyle=True,
        pgettext=lambda context, message: escape(messages.pgettext(context, message)),
        npgettext=lambda context, one, many, n: escape(
            messages.npgettext(context, one, many, n)
        ),
    )
    templating.filters.update(
        bytes=language.bytes,
        compact=language.compact,
        whole=language.number,
        date=language.date,
        figure=language.figure,
        factor_range=lambda r: language.times_range(r.low, r.high),
        framework=partial(framework_text, language),
        limits=partial(cells.limits, language),
        listing=language.listing,
        places=places_of,
        pcs=lambda place: f"{svg.number(place)}%",
        pt=partial(svg.number, decimals=1),
        percent=language.share,
        place_of=lambda sets, names: sets.index(tuple(sorted(names))) + 1,
        quantity=language.quantity,
        range=partial(cells.measured_limits, language),
        run_id=_run_id,
        run_ids=_run_ids,
        shown=_shown,
        significant=language.significant,
        tag=untrusted.language_tag,
        times=language.times,
        next=next,
    )
    templating.globals.update(
        say=sentences.speaker(language),
        sections=SECTIONS,
        words={name: words(name) for name in SECTIONS},
        lay_out=layout.lay_out,
        strips=svg.strips,
        grid=svg.grid,
        bundled=svg.bundled,
        whiskers=svg.whiskers,
        shapes=verbatim(svg.shapes()),
        unlike=unlike_sets,
        several_frameworks=lambda section: (
            len({system.framework for system in parts(section, System)}) > 1
        ),
        CITED=bounds.CITED,
        # Whether all runs of a note are of the system that its text names.
        one_system=lambda note, rows: (
            len({rows[run].system.key for run in note.runs if run in rows}) == 1
        ),
        around=_around,
        grades=grades.grades,
        grades_of=grades.grades_of,
        grade_mark=grades.grade_mark,
        label_mark=partial(grades.label_mark, language),
        # Whether the grade beside the figure of a row says its label as well.
        label_implied=lambda row, known: (
            row.tier != "smoke"
            and row.quantity is not None
            and len(known.get(row.quantity.grade or "", ())) == 1
        ),
        factor_pattern=language.pgettext("factor", "%(value)s×", value="{}"),
    )
    return templating


def _run_id(run: str) -> str:
    return run[:_RUN_LETTERS]


def _run_ids(line: Sequence[ValueRow]) -> str:
    """Return all runs of a line: the first by its address, the others shorter."""
    first, *others = runs_of(line)
    return " ".join([_run_id(first), *(run[:_LETTERS_BESIDE] for run in others)])


def _shown(url: str) -> str:
    """Return an address as people read it: a long one's host and first two folders."""
    text = url.removeprefix("https://").rstrip("/")
    host, *folders = text.split("/")
    return text if len(text) <= _ADDRESS else "/".join((host, *folders[:2], "…"))


def _links_back(
    rows: Mapping[str, ValueRow], anchor: Callable[[str], str], note: Note
) -> tuple[list[tuple[str, ValueRow]], int]:
    """Return the rows that a note leads back to, and how many more there are."""
    found = {anchor(run): rows[run] for run in note.runs if run in rows}
    shown = list(found.items())[:_LINKS_BACK]
    absent = sum(run not in rows for run in note.runs)
    return shown, len(found) - len(shown) + absent


def _around(text: str, statement: str) -> tuple[str, str, str]:
    """Split *text* around the *statement* in it, which keeps its own language."""
    wanted = statement.rstrip(". ")
    return text.partition(wanted) if wanted else ("", "", text)


def verbatim(asset: str) -> Markup:
    """Return an asset as what may stand in a page as it is."""
    # The only place where text goes into a page unescaped: our own style and script.
    return Markup(asset)  # noqa: S704
