"""What measured a figure again, in words; three commands and pages say it."""

from collections.abc import Iterator

from benchdb.report.language import Language
from benchdb.report.language.arguments import Share
from benchdb.statistics.agreement import rounded_up
from benchdb.store.replications import Replication


def replication_texts(language: Language, found: Replication) -> Iterator[str]:
    """Yield a sentence for other machines, and for reruns on the figure's own."""
    if found.agreement is not None:
        share = Share(rounded_up(found.agreement), 1)
        yield (
            language.ngettext(
                "Replicated on %(n)s machine, agreement ± %(share)s.",
                "Replicated on %(n)s machines, agreement ± %(share)s.",
                found.machines,
                share=share,
            )
            if found.replicated
            else language.ngettext(
                "Measured on %(n)s machine, agreement ± %(share)s; not replicated.",
                "Measured on %(n)s machines, agreement ± %(share)s; not replicated.",
                found.machines,
                share=share,
            )
        )
    if found.within is not None:
        yield language.ngettext(
            "Reproduced here %(n)s time, within %(share)s.",
            "Reproduced here %(n)s times, within %(share)s.",
            found.reruns,
            share=Share(rounded_up(found.within), 1),
        )
    if found.unlike:
        yield language.ngettext(
            "%(n)s rerun here did not agree.",
            "%(n)s reruns here did not agree.",
            found.unlike,
        )


def badge_text(language: Language, found: Replication) -> tuple[str, str] | None:
    """Return both halves of a badge; ``None`` where nothing was confirmed."""
    if found.replicated and found.agreement is not None:
        share = language.percent(rounded_up(found.agreement), 1)
        name = language.pgettext("badge", "replicated")
        return name, f"{language.number(found.machines)} × ± {share}"
    if found.within is not None and not found.unlike:
        share = language.percent(rounded_up(found.within), 1)
        return language.pgettext("badge", "reproduced"), f"± {share}"
    return None
