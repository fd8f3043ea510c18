"""What measured a figure again, in words; three commands and pages say it."""

import math
from collections.abc import Iterator

from benchdb.report.language import Language
from benchdb.report.language.arguments import Share
from benchdb.store.replications import Replication


def replication_texts(language: Language, found: Replication) -> Iterator[str]:
    """Yield a sentence for other machines, and for reruns on the figure's own."""
    if found.agreement is not None:
        share = rounded_up(found.agreement)
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
            found.reruns - found.unlike,
            share=rounded_up(found.within),
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
        share = language.percent(rounded_up(found.agreement).value, 1)
        name = language.pgettext("badge", "replicated")
        return name, f"{language.number(found.machines)} × ± {share}"
    if found.within is not None and not found.unlike:
        share = language.percent(rounded_up(found.within).value, 1)
        return language.pgettext("badge", "reproduced"), f"± {share}"
    return None


def rounded_up(share: float) -> Share:
    """Return *share* in tenths of a per cent, none of which is too small."""
    return Share(math.ceil(1000 * share) / 1000, 1)
