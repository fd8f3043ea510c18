"""Flags: what speaks against a figure, in two or three words for a table or a tag."""

from functools import lru_cache

from benchdb.report.language import Language


def flag_text(language: Language, code: str) -> str:
    """Name what was noted on a figure; ``notes`` has the whole sentence."""
    return _known(language).get(code, code.replace("-", " "))


@lru_cache(maxsize=32)  # each row of a table names some
def _known(language: Language) -> dict[str, str]:
    pgettext = language.pgettext
    return {
        "above-peak": pgettext("flag", "above the chip's peak"),
        "approximate": pgettext("flag", "rounded by the source"),
        "batch-differs-from-command": pgettext("flag", "batch size contradicted"),
        "claim-exceeded": pgettext("flag", "claim exceeded"),
        "contradicting-copies": pgettext("flag", "copies contradict"),
        "contradicting-names": pgettext("flag", "names contradict"),
        "contradicting-signers": pgettext("flag", "signers contradict"),
        "copied-samples": pgettext("flag", "samples of another run"),
        "cpu-percent-mismatch": pgettext("flag", "CPU use does not add up"),
        "duplicate-key": pgettext("flag", "printed twice, differently"),
        "foreign-id": pgettext("flag", "id of another machine"),
        "future-date": pgettext("flag", "date in the future"),
        "hearsay": pgettext("flag", "document not read here"),
        "impossible-device": pgettext("flag", "device impossible"),
        "impossible-figure": pgettext("flag", "figure impossible"),
        "impossible-memory": pgettext("flag", "memory impossible"),
        "impossible-os": pgettext("flag", "macOS impossible"),
        # TRANSLATORS: a GPU that waits for the host, which starts (launches) its work
        "launch-bound": pgettext("flag", "launch-bound"),
        # TRANSLATORS: two workloads stand in the reverse order of all other machines
        "order-inverted": pgettext("flag", "order inverted"),
        "out-of-bin": pgettext("flag", "unlike this variant of the chip"),
        "outlier": pgettext("flag", "outlier among peers"),
        # TRANSLATORS: nobody says of what the electric power was read
        "power-scope-unknown": pgettext("flag", "scope of power unknown"),
        "ratio-mismatch": pgettext("flag", "ratio does not add up"),
        "same-figures": pgettext("flag", "same figures as another"),
        "samples-disagree": pgettext("flag", "samples disagree"),
        "self-test": pgettext("flag", "from a test of ours"),
        "slower-in-larger-batches": pgettext("flag", "slower in larger batches"),
        "speedup-wording": pgettext("flag", "wording of a speed-up"),
        "superseded": pgettext("flag", "superseded"),
        "unit-contradiction": pgettext("flag", "units contradict"),
        "unit-unclear": pgettext("flag", "unit unclear"),
        "unknown-chip": pgettext("flag", "unknown chip"),
        "unlike-conditions": pgettext("flag", "unlike conditions"),
        "zero-power": pgettext("flag", "power of zero"),
    }
