"""What measured a figure again, in words; three commands and pages say it."""

from collections.abc import Iterator

from benchdb.report.language import Language
from benchdb.report.language.arguments import Share
from benchdb.statistics.agreement import rounded_up
from benchdb.store.replications import Replication


def replication_texts(language: Language, replication: Replication) -> Iterator[str]:
    """Yield a sentence for other machines, and for reruns on the figure's own."""
    if replication.agreement is not None:
        share = Share(rounded_up(replication.agreement), 1)
        yield (
            language.ngettext(
                "Replicated on %(n)s machine, agreement ± %(share)s.",
                "Replicated on %(n)s machines, agreement ± %(share)s.",
                replication.machines,
                share=share,
            )
            if replication.replicated
            else language.ngettext(
                "Measured on %(n)s machine, agreement ± %(share)s; not replicated.",
                "Measured on %(n)s machines, agreement ± %(share)s; not replicated.",
                replication.machines,
                share=share,
            )
        )
    if replication.within is not None:
        yield language.ngettext(
            "Reproduced here %(n)s time, within %(share)s.",
            "Reproduced here %(n)s times, within %(share)s.",
            replication.reruns,
            share=Share(rounded_up(replication.within), 1),
        )
    if replication.unlike:
        yield language.ngettext(
            "%(n)s rerun here did not agree.",
            "%(n)s reruns here did not agree.",
            replication.unlike,
        )


def badge_text(language: Language, replication: Replication) -> tuple[str, str] | None:
    """Return both halves of a badge; ``None`` where nothing was confirmed."""
    if replication.replicated and replication.agreement is not None:
        share = language.percent(rounded_up(replication.agreement), 1)
        name = language.pgettext("badge", "replicated")
        return name, f"{language.number(replication.machines)} × ± {share}"
    if replication.within is not None and not replication.unlike:
        share = language.percent(rounded_up(replication.within), 1)
        return language.pgettext("badge", "reproduced"), f"± {share}"
    return None
