"""The six questions, answered for all Macs or for one chip.

``words`` says them without this: what shows kept facts loads nothing that reads a
database.
"""

from benchdb.report import untrusted
from benchdb.site.answers import gpu, macs, memory, metal, token_speed, watt
from benchdb.site.answers import mac_names as names_of_chips
from benchdb.site.answers.facts import Card
from benchdb.site.answers.lookup import corpus_of
from benchdb.site.content import Site


def cards(site: Site, chip: str | None) -> tuple[Card, ...]:
    """Return the answers for *chip*, for all Macs without one.

    Of what is no chip of a Mac nobody asks what Metal does, or how far a GPU is.
    """
    corpus = corpus_of(site)
    about_macs = chip is None or chip in names_of_chips.macs()
    result = (
        macs.standing(corpus, chip) if chip else macs.which_mac(corpus),
        *((metal.does_metal_help(corpus, chip),) if about_macs else ()),
        *((gpu.how_far(corpus, chip),) if about_macs else ()),
        watt.per_watt(corpus, chip),
        memory.will_it_fit(corpus, chip),
        token_speed.how_many(corpus, chip),
    )
    return untrusted.cleaned(result)


def answered(site: Site, chip: str) -> tuple[object, ...]:
    """Return what the answers for *chip* take from all chips together."""
    corpus = corpus_of(site)
    return (
        tuple(token_speed.usual_models(corpus)),
        token_speed.reported_of(corpus, chip),
        tuple(held for held in watt.known(corpus) if held.other.chip == chip),
        tuple(gain for gain in metal.gains(corpus) if gain.other.chip == chip),
    )
