"""The facts of runs that a card shows, by name, and what is typed to correct them."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache

import msgspec

from benchdb.catalogue import metrics, workloads
from benchdb.errors import UsageError, suggestion
from benchdb.exchange.validation import RefusedError
from benchdb.importing import naming
from benchdb.importing.guess.column_profile import words
from benchdb.importing.mapping.fields import DEVICES, machine, scalar, slug
from benchdb.importing.mapping.language import (
    OF_MACHINES,
    PREFIXES,
    Column,
    Fields,
    Named,
)
from benchdb.importing.mapping.recognition import GPU, device_in, recognised
from benchdb.importing.quantities.missing_values import missing_of
from benchdb.importing.quantities.unit_names import understood

NEW_WORK = "as 'new: a-name' (letters and digits, 40 characters at most)"
_NEW = "new:"  # before the name of work, and of nothing else
_NAME = re.compile(rf"(?!{_NEW})(?=.*[^\W_]{{2}})[^\W_].{{0,119}}")
_MACHINE = re.compile(rf"(?!{_NEW})(?=.*[^\W\d_]{{2}})[^\W_].{{0,119}}")
_SIZE = re.compile(r"\d[\d.,]*\s?[GT]i?B(?![\w/])")
_VERSION = re.compile(r"(?=.*\d)[\w.+-]{1,60}")
_BUILD = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,3}")  # behind a name that we know
_VALUE = re.compile(rf"(?!{_NEW})[^\W_].{{0,119}}")
_COUNT = re.compile(r"\d{1,9}")
_LISTED = 8
_SETTING_IN = re.compile(r"[^\W\d_][^\W\d]{2,39} \d[\w.,]*")
_MODES = re.compile(r"training|inference")
_SETTING = "setting "  # before the name of what no other fact is about


class AnswerError(UsageError):
    """Answers make no sense: says of each, in a line, which would."""

    @property
    def lines(self) -> list[str]:
        """Return what is wrong with each answer."""
        return str(self).splitlines()


class Faults(dict[str, str]):
    """What is wrong with answers, by their keys.

    *typed* is the part of an answer to a card that a key was given by.
    """

    def __init__(self) -> None:
        """Begin with nothing wrong."""
        super().__init__()
        self.typed: dict[str, str] = {}

    @contextmanager
    def of(self, key: str) -> Iterator[None]:
        """Take down what is wrong with the answer *key*, and go on."""
        try:
            yield
        except AnswerError as error:
            self.setdefault(key, str(error))

    def check(self) -> None:
        """Raise ``AnswerError`` if something is wrong: once for each part."""
        parts: dict[str, str] = {}
        for key, fault in self.items():
            part = self.typed.get(key, "")
            number = part.partition(":")[0]
            shown = f"{number}: {fault}" if number.isdecimal() else fault
            parts.setdefault(part or key, shown)
        if parts:
            raise AnswerError("\n".join(dict.fromkeys(parts.values())))


class Fact(msgspec.Struct, frozen=True):
    """Something known of a run: its *fields*, and by which words texts name it.

    *read* returns the fields that a typed text sets, none where it makes no sense;
    *example* is one that does.
    """

    name: str
    fields: frozenset[str]
    named: tuple[Named, ...]
    read: Callable[[str], Fields]
    example: str

    @property
    def is_setting(self) -> bool:
        """Tell whether it is what no other fact is about."""
        return self.name.startswith(_SETTING)


def work_of(text: str) -> str:
    """Return the name of the work that was typed, ours where we have one.

    What is said to be new goes by the name typed.
    """
    new = text.removeprefix(_NEW).strip()
    known = text if text in workloads() else naming.workload(text)
    return known or slug(new, "-")


def work_fault(answer: str) -> str | None:
    """Return why *answer* names no work, ``None`` where it does."""
    new = answer.removeprefix(_NEW).strip()
    if answer in workloads() or naming.workload(answer):
        return None
    if answer != new and len(new) <= 40 and _MACHINE.fullmatch(new):
        return None
    near = suggestion(answer, workloads())
    near = near if "mean" in near else ""
    return f"it is no work that is known{near}, and new work is typed {NEW_WORK}"


def _machine(text: str) -> Fields:
    chip = naming.chip(text)
    if chip and (size := _SIZE.search(chip.rest)):
        why = f"no memory of it that is known; say it as 'memory: {size[0]}'"
        if chip.count > 1:
            why = f"of one or of all; give that of one, '{chip.count}x NAME 96 GB'"
        raise AnswerError(f"{text!r}: {size[0]!r} is {why}")
    known = chip or naming.model(text)
    # One that we do not know goes by its name; what is another fact does not.
    if not known and (_MACHINE.fullmatch(text) is None or _is_other(text)):
        return {}
    return recognised(text, ["machine"], whole=True).set


def _is_other(text: str) -> bool:
    other = naming.framework(text) or naming.precision(text) or missing_of(text)
    return bool(other) or text.casefold() in (*DEVICES, GPU)


def _part(field: str) -> Callable[[str], Fields]:
    def read(text: str) -> Fields:
        with suppress(RefusedError):
            chip = machine({field: text}, {}).chip
            known = chip.ram_bytes or chip.gpu_cores or chip.cpu_cores
            return {field: text} if known else {}
        return {}

    return read


def _device(text: str) -> Fields:
    plain = text.casefold()
    known = plain if plain in (*DEVICES, GPU) else device_in(text)
    return {"device": known} if known and len(text.split()) == 1 else {}


def _framework(text: str) -> Fields:
    known, version = naming.framework_typed(text), naming.framework_version(text)
    name, _, last = text.rpartition(" ")
    typed = _VERSION if known is None else _BUILD
    if version is None and name and typed.fullmatch(last):
        text, version = name, last
    known = known or (slug(text, "-") if _NAME.fullmatch(text) else None)
    facts: Fields = {"framework": known} if known else {}
    return facts | ({"framework_version": version} if known and version else {})


def _work(text: str) -> Fields:
    return {} if work_fault(text) else {"workload": work_of(text)}


def _text(field: str, pattern: re.Pattern[str]) -> Callable[[str], Fields]:
    return lambda text: (
        {field: scalar(field, text)}
        if pattern.fullmatch(text) and missing_of(text) is None
        else {}
    )


def _named(name: Named) -> Callable[[str], Fields]:
    return lambda text: recognised(text, [name]).set


def _fact(
    name: str, fields: str, read: Callable[[str], Fields], example: str, *named: Named
) -> tuple[str, Fact]:
    return name, Fact(name, frozenset(fields.split()), named, read, example)


def _texts(
    name: str, field: str, pattern: re.Pattern[str], example: str, *named: Named
) -> tuple[str, Fact]:
    return _fact(name, field, _text(field, pattern), example, *named)


_MODEL, _QUANTIZATION = "parameters.model", "parameters.quantization"
_BATCH = "parameters.batch_size"
FACTS = dict(
    (
        _fact("machine", " ".join(OF_MACHINES), _machine, "M1 Max 64 GB", "machine"),
        _fact("device", "device", _device, GPU, "device"),
        _fact("framework", "framework", _framework, "mlx", "framework"),
        _texts("version", "framework_version", _VERSION, "0.21.1"),
        _fact("os", "os_name os_version os_build", _named("os"), "macOS 15.1", "os"),
        _texts("python", "python", _VERSION, "3.12"),
        _fact("work", "workload", _work, "llm-decode", "workload"),
        _texts("model", _MODEL, _NAME, "Llama 3.1 8B", "network"),
        _texts("quantization", _QUANTIZATION, _NAME, "Q4_K_M", "quantization"),
        _fact("precision", "precision", _named("precision"), "fp16", "precision"),
        _texts("batch size", _BATCH, _COUNT, "64", "batch_size"),
    )
)
# What is known of a machine beside its name: it is corrected without it.
_PARTS = dict(
    (
        _fact("memory", "ram", _part("ram"), "64 GB"),
        _fact("gpu cores", "gpu_cores", _part("gpu_cores"), "40"),
        _fact("cpu cores", "cpu_cores", _part("cpu_cores"), "16"),
    )
)
# What is done with models that are trained or applied: a part of their work.
_, MODE = _texts("work", "mode", _MODES, "training")


def _plain(name: str) -> str:
    return " ".join(re.sub(r"[_-]", " ", name.casefold()).split())


def fact_named(name: str) -> Fact | None:
    """Return the fact that goes by *name*, as people and as maps write it."""
    plain = _plain(name)
    if plain in (*words().settings_called, "statistic") or plain.startswith(_SETTING):
        return setting(plain.removeprefix(_SETTING))
    name = words().facts_called.get(plain, plain)
    return FACTS.get(name) or _PARTS.get(name)


def setting(name: str) -> Fact:
    """Return the fact that the setting *name* is, which may be any text."""
    called = words().settings_called.get(_plain(name), slug(name))
    return fact_of(f"parameters.{called}")


def setting_field(answer: str) -> str | None:
    """Return the field that numbers tell by *answer*: ``prompt_tokens``, ``repeat``.

    With a value it is what a column has, and not what its cells are.
    """
    valued = _SETTING_IN.fullmatch(answer.removeprefix(_SETTING))
    role, fact = column_of(answer, answer), fact_named(answer)
    counts = fact is None or fact.name not in FACTS or bool(fact.read("1"))
    return role.field if role and counts and not valued else None


def fact_in(answer: str, likely: Fact | None = None) -> tuple[Fact, Fields] | None:
    """Return the fact that *answer* is, and what it sets.

    That is the name of a fact and a value of it (``batch size 8``), or a word of which
    benchdb knows what it is: ``fp16``, ``cuda``, ``M2 Max``. A word that may be several
    facts, or none, is of the *likely* one. ``None`` for any other.
    """
    fact, value = _named_value(answer)
    if fact is not None:
        facts = fact.read(value)
        return (fact, facts) if facts else None
    if _MODES.fullmatch(answer):
        return MODE, MODE.read(answer)
    known = {
        "device": _device(answer),
        "precision": naming.precision(answer),
        "framework": naming.framework(answer),
        "machine": naming.chip(answer) or naming.model(answer),
        "work": answer in workloads() or naming.workload(answer),
        "quantization": naming.quantization(answer),
        "os": naming.os(answer),
    }
    names = [name for name, it in known.items() if it]
    fact = FACTS[names[0]] if names else likely
    fact = likely if likely is not None and likely.name in names else fact
    facts = fact.read(answer) if fact is not None else {}
    return (fact, facts) if fact is not None and facts else None


def _named_value(answer: str) -> tuple[Fact | None, str]:
    """Return the fact whose name *answer* begins with, and what stands behind it."""
    texts = re.sub(r"(?<!\bnew):", " ", answer).split()
    for n in range(min(3, len(texts) - 1), 0, -1):
        if fact := fact_named(" ".join(texts[:n])):
            return fact, " ".join(texts[n:])
    return None, answer


def unread(fact: Fact, answer: str) -> list[str]:
    """Return a note on words of *answer* without which it says the same of *fact*.

    Or on the work of ours that goes by the name of what is new.
    """
    named, value = _named_value(answer.rpartition("->")[2])
    if (new := value.removeprefix(_NEW)) != value:
        known = fact.read(new.strip()).get("workload")
        return [f"{value!r}: known work of that name is {known!r}"] if known else []
    texts, idle, whole = value.split(), list[str](), fact.read(value)
    kept = " ".join(map(str, whole.values())).casefold().split()  # RTX of a 2080
    for n, text in enumerate(texts) if named in (None, fact) else ():
        rest = " ".join((*texts[:n], *texts[n + 1 :]))
        with suppress(AnswerError):  # it would make no sense
            idle += [text] if rest and whole.items() <= fact.read(rest).items() else []
    rest = " ".join(it for it in idle if it.casefold() not in kept)
    return [f"{answer!r}: nothing of the {fact.name} is {rest!r}"] if rest else []


def setting_in(answer: str) -> tuple[Fact, Fields] | None:
    """Return the setting and its value that *answer* is: ``concurrency 32``."""
    typed = _SETTING_IN.fullmatch(answer)
    return fact_in(f"{_SETTING}{answer}") if typed else None


def unit_and_metric(answer: str) -> tuple[str | None, str | None]:
    """Return the unit and the metric that *answer* is: ``tokens_per_second in tok/s``.

    Either may stand alone. ``figure`` is what lines call a result without a unit.
    """
    answer = "reported_value" if answer.casefold() == "figure" else answer
    parts = [it for it in re.split(r"\s*[;,]\s*|\s+in\s+|\s+", answer) if it]
    metric = next((it for it in parts if it in metrics()), None)
    rest = " ".join(it for it in parts if it != metric)
    unit = understood(rest)
    if rest and unit is None:
        return None, None  # rather than a part of it
    return (rest if unit and unit.base != "1" else None), metric


def check_metric(key: str, answer: str) -> None:
    """Raise ``AnswerError``, with those that fit, for a metric that is none of ours."""
    parts = answer.partition(" ")[0].split("_")
    like = [it for it in metrics() if len(parts) > 2 and it.endswith(f"_{parts[-1]}")]
    like.sort(key=lambda it: -len({*parts} & {*it.split("_")}))
    if like and answer not in metrics():
        why = f"no metric of schema/metrics.json; allowed: {', '.join(like[:_LISTED])}"
        raise AnswerError(f"{key!r}: {answer!r} is {why} …")


def column_of(answer: str, header: str) -> Column | None:
    """Return what a column below *header* is by an *answer*: ``batch size``, ``chip``.

    ``None`` where the answer names nothing that a column can be.
    """
    field = _plain(answer).replace(" ", "_")
    if field == "setting":
        return Column(field=f"parameters.{slug(header)}")
    if field == "repeat":  # the word of lines
        return Column(field="conditions.repeat")
    if field in OF_MACHINES[1:] and field != "model":
        return Column(field=field)
    if (fact := fact_named(answer)) is None:
        return None
    alone = len(fact.fields) == 1
    return Column(field=min(fact.fields)) if alone else Column(names=fact.named)


def fact_of_cells(column: Column) -> Fact | None:
    """Return the fact that the cells of *column* tell, if they tell one that is."""
    return next(
        (
            fact
            for fact in FACTS.values()
            if column.field in fact.fields or {*fact.named} & {*column.names}
        ),
        None,
    )


@lru_cache(maxsize=1024)
def fact_of(field: str) -> Fact:
    """Return the fact that *field* is a part of: a setting is one by itself."""
    known = next((fact for fact in FACTS.values() if field in fact.fields), None)
    if known is not None:
        return known
    name = next(
        (field.removeprefix(it) for it in PREFIXES if field.startswith(it)), field
    )
    counts = name in words().settings_called.values()
    read, example = (_COUNT, "128") if counts else (_VALUE, "on")
    return Fact(_SETTING + name, frozenset({field}), (), _text(field, read), example)
