"""Short terms of a report: devices, labels, statuses, metrics, conditions, ratios.

Each has a context, so that translators see where a bare word stands.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from benchdb.conditions import LENGTHS
from benchdb.report.language import Language
from benchdb.report.language.arguments import Argument, Name
from benchdb.report.view.atoms import Quantity, Ratio, System, Workload
from benchdb.report.view.listed import ValueRow
from benchdb.report.wording.facts import reason_text
from benchdb.report.wording.parameters import parameter_text
from benchdb.titles import device_title, framework_title

# What is told of a model beside the name of the work.
OF_A_MODEL = ("model", "quantization", "prompt_tokens", "generated_tokens", "depth")
_STATUSES = ("failed", "out of memory")  # reasons that say no more than a status


def device_text(language: Language, device: str) -> str:
    """Name a device: technologies keep their names in every language."""
    if device == "unknown":
        return language.pgettext("device", "device not stated")
    return device_title(device)


def chip_text(language: Language, chip: str) -> str:
    """Name a chip: as it is called, or that nobody says which one it is."""
    if chip == "unknown":
        return language.pgettext("chip", "chip not stated")
    return chip


def framework_text(language: Language, framework: str) -> str:
    """Name a framework as its makers write it; a version may follow the token."""
    if framework.partition(" ")[0] == "unknown":
        return language.pgettext("framework", "framework not stated")
    return framework_title(framework)


def system_text(language: Language, system: System) -> str:
    """Name a system in a row or sentence: chip and device."""
    chip = chip_text(language, system.chip)
    return f"{chip} · {device_text(language, system.device)}"


def condition(language: Language, name: str) -> str:
    """Name a condition that a comparison depends on."""
    known = {
        # TRANSLATORS: of a transformer: how its layers compute what belongs together
        "attention": language.pgettext("condition", "attention implementation"),
        "batch": language.pgettext("condition", "batch size"),
        "compiler": language.pgettext("condition", "compiler"),
        "data": language.pgettext("condition", "data"),
        # TRANSLATORS: of a graphics card
        "driver": language.pgettext("condition", "driver"),
        "framework": language.pgettext("condition", "framework"),
        # TRANSLATORS: the order of images in memory, such as channels last
        "layout": language.pgettext("condition", "memory layout"),
        # TRANSLATORS: how busy the machine was with other work
        "load": language.pgettext("condition", "load of the machine"),
        # TRANSLATORS: the processes that read the training data
        "loader": language.pgettext("condition", "data loading"),
        "optimizer": language.pgettext("condition", "optimizer implementation"),
        # TRANSLATORS: what was set beside the model, such as threads or flash attention
        "options": language.pgettext("condition", "options of the runtime"),
        # TRANSLATORS: what computed inside: a kernel, a graph, Core ML or Metal
        "path": language.pgettext("condition", "path of execution"),
        # TRANSLATORS: how the electric power was read: mean or peak, of chip or card
        "power": language.pgettext("condition", "power reading"),
        "precision": language.pgettext("condition", "precision"),
        "protocol": language.pgettext("condition", "protocol"),
        "size": language.pgettext("condition", "size"),
        # TRANSLATORS: conditions that neither of two documents states
        "source": language.pgettext("condition", "source"),
        "system": language.pgettext("condition", "operating system"),
        # TRANSLATORS: how many threads of a CPU computed
        "threads": language.pgettext("condition", "number of threads"),
        # TRANSLATORS: how long and how often our own programs measured
        "tier": language.pgettext("condition", "thoroughness of the measurement"),
        "variables": language.pgettext("condition", "environment variables"),
        "version": language.pgettext("condition", "framework version"),
        # TRANSLATORS: how the weights of a model are stored, such as in 4 bits
        "weights": language.pgettext("condition", "weights"),
        # TRANSLATORS: what was computed
        "work": language.pgettext("condition", "work"),
        **dict.fromkeys(LENGTHS, language.pgettext("condition", "length of the run")),
    }
    return known.get(name, name)


def conditions(language: Language, names: Sequence[str]) -> str:
    """Enumerate conditions."""
    texts = [condition(language, name) for name in names]
    return language.listing(list(dict.fromkeys(texts)))


def unstated_text(language: Language, names: Sequence[str]) -> str:
    """Say which conditions a side of a comparison leaves out; nothing if none."""
    if not names:
        return ""
    return language.gettext(
        "Not stated by the sources: %(conditions)s.",
        conditions=conditions(language, names),
    )


def load_text(language: Language, state: str) -> str:
    """Say how busy a machine was with other work, as sessions have it."""
    if state.startswith("busy "):
        # TRANSLATORS: a machine that other work keeps busy; each step is twice as busy
        return language.pgettext(
            "load", "busy, step %(n)s", n=Name(state.removeprefix("busy "))
        )
    return language.pgettext("load", "quiet") if state == "quiet" else state


def label_text(
    language: Language, label: str, tier: str | None = None, *, mine: bool = False
) -> str:
    """Say how far a figure is from its measurement, and whether it was a trial.

    Of a measurement, whose it is: *mine*, or one that others contributed.
    """
    known = {
        "measured": language.pgettext("label", "measured here")
        if mine
        else language.pgettext("label", "measured, contributed"),
        "imported": language.pgettext("label", "imported"),
        "aggregate": language.pgettext("label", "aggregate only"),
        "transcribed": language.pgettext("label", "transcribed"),
        "claimed": language.pgettext("label", "claimed"),
    }
    text = known.get(label, label)
    trial = tier == "smoke"
    if not trial:
        return text
    return text + language.comma + language.pgettext("condition", "trial run")


def counted_label(language: Language, label: str, count: int) -> str:
    """Say how many figures have a label, in words that agree with no number."""
    text = label_text(language, label, mine=True)
    return beside(language, text, language.number(count))


def status_text(language: Language, status: str) -> str:
    """Say how a run ended."""
    known = {
        "ok": language.pgettext("status", "completed"),
        "failed": language.pgettext("status", "failed"),
        "oom": language.pgettext("status", "out of memory"),
        "unsupported": language.pgettext("status", "not supported"),
        "interrupted": language.pgettext("status", "interrupted"),
        "not-measured": language.pgettext("status", "not measured"),
        # TRANSLATORS: of a run: whoever measured it takes it back
        "withdrawn": language.pgettext("status", "withdrawn"),
        # TRANSLATORS: of a check
        "passed": language.pgettext("status", "passed"),
        "not-checked": language.pgettext("status", "not checked"),
        "not-applicable": language.pgettext("status", "not applicable"),
    }
    return known.get(status, status)


def missing_text(
    language: Language, reason: str | None, status: str = "not-measured"
) -> str:
    """Say that a figure is missing, and why if that is known; never a zero."""
    text = status_text(language, "not-measured" if status == "ok" else status)
    if not reason or reason in _STATUSES:
        return text
    return language.pgettext(
        "missing value",
        "%(status)s: %(reason)s",
        status=text,
        reason=reason_text(language, reason),
    )


def verdict_text(
    language: Language, ratio: Ratio | None, factor: str | None = None
) -> str:
    """Say a ratio in words: so many times as fast, or as long; never per cent.

    *factor* stands in them where digits are yet to come.
    """
    if ratio is None:
        return ""
    slower = ratio.value < 1
    if factor is None:
        factor = times_text(language, 1 / ratio.value if slower else ratio.value)
    if ratio.differs:
        text = _unlike(language, factor, slower=slower)
        return _unclear(language, text) if ratio.verdict == "unclear" else text
    if ratio.verdict == "even":
        return language.pgettext("verdict", "about even")
    if slower:
        text = language.pgettext("verdict", "%(times)s as long", times=factor)
    else:
        text = language.pgettext("verdict", "%(times)s as fast", times=factor)
    if ratio.verdict == "unclear":
        return _unclear(language, text)
    if ratio.verdict == "insufficient":
        return insufficient_text(language, text)
    return text


def _unclear(language: Language, text: str) -> str:
    return language.pgettext("verdict", "unclear: %(ratio)s", ratio=text)


def insufficient_text(language: Language, text: str) -> str:
    """Return what is *text*, marked: its evidence leads nothing."""
    return language.pgettext("verdict", "insufficient evidence: %(ratio)s", ratio=text)


def _unlike(language: Language, factor: str, *, slower: bool) -> str:
    if slower:
        return language.pgettext("verdict", "≠ %(times)s as long", times=factor)
    return language.pgettext("verdict", "≠ %(times)s as fast", times=factor)


def times_text(language: Language, value: float) -> str:
    """Return a factor that keeps its order in a sentence of any direction."""
    return language.isolate(language.times(value))


def beside(language: Language, name: str, more: str) -> str:
    """Return a name or figure with what belongs to it."""
    return language.pgettext(
        "name and what belongs to it",
        "%(name)s (%(more)s)",
        name=Name(name),
        more=Name(more),
    )


def mean_text(
    language: Language, mean: float | None, spread: tuple[float, float] | None
) -> str:
    """Return a mean factor with the range that it is of; or that range alone."""
    if spread is None:
        return times_text(language, mean or 1.0)
    ends = language.times_range(*spread)
    if mean is None or ends == language.times(mean):
        return language.isolate(ends)
    return beside(language, language.times(mean), ends)


def repeats_text(language: Language, quantity: Quantity) -> str:
    """Say how many runs are behind a figure."""
    text = language.pgettext("repetitions", "n = %(n)s", n=language.number(quantity.n))
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def derived_text(language: Language) -> str:
    """Say that a figure was computed from another one that was measured."""
    return language.pgettext("figure", "derived")


def trials_text(language: Language, row: ValueRow) -> str:
    """Say of how many runs the source printed the mean, if it did."""
    if row.trials is None:
        return ""
    return language.pgettext(
        "repetitions", "mean of %(n)s", n=language.number(row.trials)
    )


def title_text(language: Language, workload: Workload) -> str:
    """Name a workload; models keep their names, operations are words."""
    return work_named(language, workload.name, workload.title)


def work_named(language: Language, name: str, title: str) -> str:
    """Return the *title* of the workload *name*, translated where it is a word."""
    model, _, kind = title.rpartition(" ")
    if title == name:  # of work without an entry in a catalogue
        model, _, end = name.rpartition("-")
        kind = {"train": "training"}.get(end, end)
    named = _network(language, model)
    if name.endswith("-inference") and kind == "inference":
        return language.pgettext("workload", "%(model)s inference", model=named)
    if name.endswith("-train") and kind == "training":
        return language.pgettext("workload", "%(model)s training", model=named)
    return _work_in_words(language).get(name, title)


def _network(language: Language, model: str) -> Argument:
    """Return what a network is called; most have names, which are in no language."""
    known = {
        "Image classifier": language.pgettext("network", "Image classifier"),
        # TRANSLATORS: a transformer that spots spoken words
        "Keyword transformer": language.pgettext("network", "Keyword transformer"),
        "Vision transformer": language.pgettext("network", "Vision transformer"),
    }
    return known.get(model) or Name(model)


@lru_cache(maxsize=32)
def _work_in_words(language: Language) -> dict[str, str]:
    """Return what workloads are called whose titles are words, not names."""
    pgettext = language.pgettext
    return {
        "matmul": pgettext("workload", "Matrix product"),
        "bandwidth": pgettext("workload", "Memory bandwidth"),
        "elementwise": pgettext("workload", "Elementwise addition"),
        "conv": pgettext("workload", "Convolution"),
        # TRANSLATORS: a language model reads the prompt
        "llm-prefill": pgettext("workload", "LLM prefill"),
        # TRANSLATORS: a language model writes its answer, token by token
        "llm-decode": pgettext("workload", "LLM decode"),
        # TRANSLATORS: a whole request to a language model, prompt and answer
        "llm-generate": pgettext("workload", "LLM answer"),
        "whisper-transcribe": pgettext("workload", "Whisper transcription"),
        # TRANSLATORS: the first half of the network, which reads the sound
        "whisper-encode": pgettext("workload", "Whisper encoder"),
        # TRANSLATORS: a whole image made by a diffusion model
        "diffusion-image": pgettext("workload", "Diffusion image"),
        # TRANSLATORS: one denoising step of a diffusion model
        "diffusion-step": pgettext("workload", "Diffusion step"),
        # TRANSLATORS: texts turned into vectors
        "embedding": pgettext("workload", "Text embedding"),
        "tensor-operation": pgettext("workload", "Tensor operation"),
        "attention": pgettext("workload", "Scaled dot-product attention"),
        # TRANSLATORS: the network of a program that plays Go or chess
        "game-network": pgettext("workload", "Game network"),
    }


def workload_text(language: Language, title: str, batch_size: int | None) -> str:
    """Name a workload, with its batch size where one is known."""
    if batch_size is None:
        return language.isolate(title)
    return language.pgettext(
        "workload", "%(title)s, batch %(batch)s", title=Name(title), batch=batch_size
    )


def model_text(language: Language, facts: Mapping[str, str]) -> str:
    """Name a model with its quantisation, and how many tokens it read and wrote."""
    names = [name for name in OF_A_MODEL if name in facts]
    names += [name for name in facts if name not in OF_A_MODEL]
    parts = (parameter_text(language, name, facts[name]) for name in names)
    return " · ".join(map(language.isolate, filter(None, parts)))


def row_model(language: Language, row: ValueRow) -> str:
    """Name the model of a figure, with what it read or wrote; nothing without one."""
    facts = {name: fact for name, fact in row.parameters if name in OF_A_MODEL}
    return model_text(language, facts) if "model" in facts else ""


def cores_text(language: Language, cores: int) -> str:
    """Count the cores of a GPU."""
    return language.ngettext("%(n)s GPU core", "%(n)s GPU cores", cores)


def memory_text(language: Language, low: int, high: int) -> str:
    """Write an amount of memory in GiB, or a range of them, as people say it."""
    if low == high:
        return language.bytes(low * 2**30)
    ends = language.pgettext(
        "interval",
        "%(low)s–%(high)s",
        low=language.number(low),
        high=language.number(high),
    )
    return language.measure(ends, "GB")


def sentence(language: Language, text: str) -> str:
    """End *text* with a full stop, unless it ends by itself."""
    if text.endswith((".", "?", "!", "…", "。", "？")):
        return text
    return language.pgettext("sentence", "%(text)s.", text=text)
