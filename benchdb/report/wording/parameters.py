"""Parameters of work beside a figure: those that readers meet often have words."""

from collections.abc import Callable, Mapping

from benchdb.report.language import Language, fixed

# What says by itself what it is.
PLAIN = frozenset({"model", "operation", "quantization"})

KNOWN: Mapping[str, Callable[[Language, str], str]] = {
    # TRANSLATORS: of a transformer: how it is computed, such as sdpa
    "attention": lambda it, n: it.pgettext("parameter", "attention %(n)s", n=n),
    # TRANSLATORS: how long the sound is that is transcribed
    "audio_seconds": lambda it, n: it.pgettext("parameter", "%(n)s s of sound", n=n),
    "batch_size": lambda it, n: it.pgettext("work", "batch %(n)s", n=n),
    "channels": lambda it, n: it.pgettext("parameter", "channels: %(n)s", n=n),
    # TRANSLATORS: of Core ML: CPU, GPU or neural engine
    "compute_units": lambda it, n: it.pgettext("parameter", "compute units %(n)s", n=n),
    # TRANSLATORS: the share of a layer's outputs that training leaves out
    "dropout": lambda it, n: it.pgettext("parameter", "dropout %(n)s", n=n),
    # TRANSLATORS: the epoch that was timed
    "epoch": lambda it, n: it.pgettext("parameter", "epoch %(n)s", n=n),
    "files": lambda it, n: it.pgettext("parameter", "files: %(n)s", n=n),
    # TRANSLATORS: of attention: width of a head
    "head_size": lambda it, n: it.pgettext("parameter", "head size %(n)s", n=n),
    # TRANSLATORS: of attention
    "heads": lambda it, n: it.pgettext("parameter", "heads: %(n)s", n=n),
    "input": lambda it, n: it.pgettext("parameter", "input %(n)s", n=n),
    # TRANSLATORS: a program for one operation
    "kernel": lambda it, n: it.pgettext("parameter", "kernel %(n)s", n=n),
    # TRANSLATORS: of a convolution
    "kernel_size": lambda it, n: it.pgettext("parameter", "kernel size %(n)s", n=n),
    # TRANSLATORS: processes that read training data
    "loader": lambda it, n: it.pgettext("parameter", "loading processes: %(n)s", n=n),
    "loader_processes": lambda it, n: it.pgettext(
        "parameter", "loading processes: %(n)s", n=n
    ),
    # TRANSLATORS: which of several prompts
    "prompt": lambda it, n: it.pgettext("parameter", "prompt: %(n)s", n=n),
    # TRANSLATORS: of a tensor
    "shape": lambda it, n: it.pgettext("parameter", "shape %(n)s", n=n),
    # TRANSLATORS: what a model is trained to do, such as pre-training
    "task": lambda it, n: it.pgettext("parameter", "task %(n)s", n=n),
    "test": lambda it, n: it.pgettext("parameter", "test %(n)s", n=n),
    "text": lambda it, n: it.pgettext("parameter", "text: %(n)s", n=n),
    # TRANSLATORS: of a layer of a network
    "units": lambda it, n: it.pgettext("parameter", "units: %(n)s", n=n),
    "warmup_epochs": lambda it, n: it.pgettext(
        "parameter", "warm-up epochs: %(n)s", n=n
    ),
    "accumulators": lambda it, n: it.pgettext("parameter", "accumulators %(n)s", n=n),
    "classes": lambda it, n: it.pgettext("parameter", "classes: %(n)s", n=n),
    "data": lambda it, n: (
        it.pgettext("parameter", "synthetic data")
        if n == "synthetic"
        else it.pgettext("parameter", "data %(n)s", n=n)
    ),
    "dataset": lambda it, n: it.pgettext("parameter", "dataset %(n)s", n=n),
    # TRANSLATORS: tokens that a language model has read before
    "depth": lambda it, n: it.pgettext("parameter", "depth %(n)s", n=n),
    "epochs": lambda it, n: it.pgettext("parameter", "epochs: %(n)s", n=n),
    # TRANSLATORS: of a transformer: 0 is off, 1 is on
    "flash_attention": lambda it, n: it.pgettext(
        "parameter", "flash attention %(n)s", n=n
    ),
    "flash_attn": lambda it, n: it.pgettext("parameter", "flash attention %(n)s", n=n),
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


def tier_text(language: Language, tier: str) -> str:
    """Say how thorough a measurement was."""
    known = {
        # TRANSLATORS: how thorough a measurement is: it shows only that it works
        "smoke": language.pgettext("tier", "smoke"),
        # TRANSLATORS: how thorough a measurement is: short
        "quick": language.pgettext("tier", "quick"),
        # TRANSLATORS: how thorough a measurement is: the usual one
        "standard": language.pgettext("tier", "standard"),
        # TRANSLATORS: how thorough a measurement is: the longest, for figures to cite
        "reference": language.pgettext("tier", "reference"),
    }
    return known.get(tier, tier)


def distinction_text(language: Language, text: str) -> str:
    """Say what tells a figure from its like, ``optimizer SGD · standard``."""
    parts = (part.partition(" ") for part in text.split(" · "))
    return " · ".join(
        language.isolate(
            parameter_text(language, name, fact) if gap else tier_text(language, name)
        )
        for name, gap, fact in parts
    )


def parameter_text(language: Language, name: str, fact: str) -> str:
    """Say a parameter with its value; one without words has its name as it is."""
    if name in PLAIN:
        return fact
    if say := KNOWN.get(name):
        return say(language, fixed(language.locale, fact) if "." in fact else fact)
    return f"{name.replace('_', ' ')} {fact}"
