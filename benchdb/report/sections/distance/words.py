"""How far away is a reference GPU? The heading names it."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.view.page import Report
from benchdb.report.wording.answers import headlines
from benchdb.report.wording.terms import differs_text, one_class_text, sentence

Figures = Sequence[tuple[Quantity, Ratio | None]]


def title(language: Language, report: Report) -> str:
    """Return the heading, which names the reference."""
    if report.distance is None:
        return language.pgettext("heading", "Distance to a reference GPU")
    return language.gettext(
        "How far away is a %(reference)s?",
        reference=Name(report.distance.reference.chip),
    )


def lead(language: Language, report: Report) -> str:
    """Return the sentence or two under the heading, or nothing."""
    if report.distance is None:
        return ""
    cells = [cell for row in report.distance.rows for cell in row.cells]
    names = sorted({name for c in cells if c.share for name in c.share.differs})
    said = language.gettext(
        "Training throughput as a share of the %(reference)s at the same batch size.",
        reference=Name(report.distance.reference.chip),
    )
    return language.sentences([said, differs_text(language, names)])


def figures(report: Report) -> Figures:
    """Return every figure of the section with its ratio."""
    rows = report.distance.rows if report.distance else ()
    own = [(c.quantity, c.share) for row in rows for c in row.cells if c.quantity]
    like = any(not (share and share.differs) for _, share in own)
    # Where nothing is like the reference, neither is it.
    unlike = next((share for _, share in own if share), None)
    return [*own, *((row.reference, None if like else unlike) for row in rows)]


def remarks(language: Language, report: Report) -> str:
    """Name the precisions that meet in the distance as if they were one."""
    pairs = [
        (cell.way.precision, row.way.precision)
        for row in (report.distance.rows if report.distance else ())
        for cell in row.cells
        if cell.way and row.way
        if cell.share and "precision" not in cell.share.differs
    ]
    return one_class_text(language, pairs)


def alt(language: Language, report: Report) -> str:
    """Describe the chart in words: its finding, with the numbers of the headline."""
    finding = sentence(language, title(language, report))
    return language.sentences([finding, *headlines(language, report, "distance")])
