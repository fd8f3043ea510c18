"""Parameters of work beside a figure: those that readers meet often have words."""

from collections.abc import Callable, Mapping

from benchdb.report.language import Language

# What says by itself what it is.
PLAIN = frozenset({"model", "operation", "quantization"})

KNOWN: Mapping[str, Callable[[Language, str], str]] = {
    "accumulators": lambda it, n: it.pgettext("parameter", "accumulators %(n)s", n=n),
    "classes": lambda it, n: it.pgettext("parameter", "classes: %(n)s", n=n),
    "data": lambda it, n: it.pgettext("parameter", "data %(n)s", n=n),
    "dataset": lambda it, n: it.pgettext("parameter", "dataset %(n)s", n=n),
    # TRANSLATORS: tokens that a language model has read before
    "depth": lambda it, n: it.pgettext("parameter", "depth %(n)s", n=n),
    "epochs": lambda it, n: it.pgettext("parameter", "epochs: %(n)s", n=n),
    # TRANSLATORS: tokens that a language model writes
    "generated_tokens": lambda it, n: it.pgettext("parameter", "answer %(n)s", n=n),
    # TRANSLATORS: width of the hidden layers of a network
    "hidden": lambda it, n: it.pgettext("parameter", "hidden size %(n)s", n=n),
    "image_size": lambda it, n: it.pgettext("parameter", "image size %(n)s", n=n),
    "layers": lambda it, n: it.pgettext("parameter", "layers: %(n)s", n=n),
    "learning_rate": lambda it, n: it.pgettext("parameter", "learning rate %(n)s", n=n),
    # TRANSLATORS: of arrays in memory: contiguous, channels last
    "layout": lambda it, n: it.pgettext("parameter", "memory layout %(n)s", n=n),
    "memory_format": lambda it, n: it.pgettext("parameter", "memory layout %(n)s", n=n),
    "optimizer": lambda it, n: it.pgettext("parameter", "optimizer %(n)s", n=n),
    "optimizer_implementation": lambda it, n: it.pgettext(
        "parameter", "optimizer implementation %(n)s", n=n
    ),
    # TRANSLATORS: direction of the work: forward, backward
    "pass": lambda it, n: it.pgettext("parameter", "pass %(n)s", n=n),
    # TRANSLATORS: tokens of the prompt that a language model reads
    "prompt_tokens": lambda it, n: it.pgettext("parameter", "prompt %(n)s", n=n),
    "sequence_length": lambda it, n: it.pgettext(
        "parameter", "sequence length %(n)s", n=n
    ),
    "size": lambda it, n: it.pgettext("parameter", "size %(n)s", n=n),
    "steps": lambda it, n: it.pgettext("parameter", "steps: %(n)s", n=n),
    "threads": lambda it, n: it.pgettext("parameter", "threads: %(n)s", n=n),
    # TRANSLATORS: which weights are trained: all, lora
    "trainable": lambda it, n: it.pgettext("parameter", "trained weights %(n)s", n=n),
}


def apart_text(language: Language, apart: str) -> str:
    """Say what tells a figure from its like, ``optimizer SGD · standard``."""
    parts = (part.partition(" ") for part in apart.split(" · "))
    return " · ".join(
        language.isolate(
            KNOWN[name](language, fact) if name in KNOWN else f"{name}{gap}{fact}"
        )
        for name, gap, fact in parts
    )


def parameter_text(language: Language, name: str, fact: str) -> str:
    """Say a parameter with its value; one without words has its name as it is."""
    if name in PLAIN:
        return fact
    if say := KNOWN.get(name):
        return say(language, fact)
    return f"{name.replace('_', ' ')} {fact}"
