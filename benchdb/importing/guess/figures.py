"""What the figures of a column are: their metric and unit, where the source says it.

What it does not say is a doubt, with what it may be.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from benchdb.catalogue import metrics
from benchdb.exchange.messages import Scalar
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    HeaderTerms,
    Kind,
    fold,
    header_terms,
    is_zero,
    statistic,
    words,
)
from benchdb.importing.guess.questions import LEAVE_OUT, NOT_SAID, Doubt, Free
from benchdb.importing.mapping.fields import slug
from benchdb.importing.mapping.language import Column, Fields
from benchdb.importing.quantities.tokens import Mark
from benchdb.importing.quantities.unit_names import understood

RATIO = "ratio"  # no metric: what a source computed from two figures
_WORDS = {
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "min": "minutes",
    "h": "hours",
    "share": "shares of 1",
    "%": "percent",
    "ram": "memory that the machine has",
    "gpu_cores": "GPU cores of the machine",
    "cpu_cores": "CPU cores of the machine",
    RATIO: "a ratio that the source computed",
    "setting": "a setting of the runs, not a result",
    "figure": "a result, kept as printed without a unit",
    LEAVE_OUT: "leave it out",
}
# What a time is likely to be of, by its header.
_LIKELY = {
    name: re.compile(rf"(?i){hint}")
    for name, hint in (
        ("time_to_first_token_seconds", "prefill|first|prompt"),
        ("time_per_token_seconds", r"tpot|itl|per.?token|/\s?tok"),
        ("latency_mean_seconds", "latency|e2e|response|per.?example|/example|request"),
        ("work_seconds", "total|wall|elapsed|duration|runtime|minutes?$|mins$"),
        ("load_seconds", r"load"),
        ("operation_seconds", r"runtime|kernel|(?<![a-z])op"),
    )
}
FINAL = ("final_accuracy", "final_loss")
TOKENS = ("tokens_per_second", "tokens_per_joule")
WORKS = {
    "llm-decode": "tokens written, in an answer",
    "llm-prefill": "tokens read, of a prompt",
    "llm-generate": "a request as a whole",
    "llm-train": "tokens trained on",
    LEAVE_OUT: "leave them out",
}
_OF_SIDES = {
    "time_to_first_token_seconds": "prefill",
    "time_per_token_seconds": "decode",
}
_TTFT = "time_to_first_token_seconds"
_TPS = re.compile(r"(?i)(?<![a-z])tps(?![a-z])")
_BRACKET = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_PARTS = re.compile(r"(?i)(?<![a-z])(?:ane|npu|dram|neural engine)(?![a-z])")
_OF_COUNTS = frozenset(
    (
        "token",
        "prefill",
        "decode",
        "answer",
        "setting",
        "total",
        "mean",
        "sample",
        "given",
    )
)
_COUNTED = re.compile(r"(?i)(?<![\w.])(\d{1,6})[ -]?tok(?:en)?s?(?![a-z/])")
_LABEL = re.compile(r"\d{1,9}|[^\W\d].*")
_FIELDS = ("ram", "gpu_cores", "cpu_cores")
_SHOWN = 2  # cells that a question quotes
_QUOTED = 40  # characters of one
_NAMED = (
    "throughput time power energy memory flops bandwidth score accuracy latency fps "
    "ttft loss ratio step epoch token prefill decode total peak mean used"
)
FIGURE_TERMS = frozenset(_NAMED.split())
_UNCLEAR = (
    "memory power energy loss accuracy ratio step token total peak mean used epoch "
    "prefill decode"
)
CLEAR_TERMS = FIGURE_TERMS - frozenset(_UNCLEAR.split())
_SIDES = {"prefill", "decode", "total"}
CODED = re.compile(r"[^\W_][._][^\W_]")
_STATISTICS = {"mean", "peak", "used"}
_STATISTIC = re.compile(
    r"mean|avg|average|median|med|min|max|minimum|maximum|p\d\d|std(?:dev)?|stdev|best"
)
CLEAR_UNITS = frozenset(("s", "1/s", "1/h", "FLOP/s", "B/s"))
# A specification has some of these, and a result may be in them too.
_RATED = frozenset(("FLOP/s", "B/s", "B", "W", "1"))


class Around(msgspec.Struct, frozen=True):
    """What stands around a table: terms and a unit of its headings and its corner.

    *specified* tells that other columns, or the headings, are a specification, *clear*
    that some column is surely one of results, *trained* that something is trained,
    *language* that a column is surely about language models.
    """

    terms: HeaderTerms = frozenset()
    unit: str | None = None
    specified: bool = False
    clear: bool = False
    trained: bool = False
    language: bool = False


class ColumnDraft(msgspec.Struct, eq=False):
    """A column in the making; *column* is there once it is known to be no figures.

    *fields* are what it stands for, *metric* and *unit* what its figures are,
    *left* why it is left out. *asked* is what the answer to an open question may tell,
    *rated* that it is asked whether these are results at all; *aside* that others are;
    *sampled* that equal rows are repetitions of one run.
    """

    looks: ColumnProfile
    line: int
    column: Column | None = None
    fields: Fields = {}
    metric: str | None = None
    unit: str | None = None
    decimal: Mark | None = None
    missing: dict[str, str] = {}
    parts: dict[str, str] = {}
    kinds: frozenset[Kind] = frozenset()
    left: str | None = None
    asked: frozenset[str] = frozenset()
    rated: bool = False
    aside: bool = False
    sampled: bool = False

    @property
    def header(self) -> str:
        """Return the name of the column."""
        return self.looks.header

    @property
    def bare(self) -> str:
        """Return the name of the column without a unit in brackets."""
        return _BRACKET.sub("", self.header) if self.looks.unit else self.header

    @property
    def holds_figures(self) -> bool:
        """Tell whether it is a column of figures, as far as that is known."""
        return self.column is None and (self.looks.figures or bool(self.parts))

    @property
    def holds_words(self) -> bool:
        """Tell whether it is a column of words of which nothing is known."""
        looks = self.looks
        return self.column is None and not looks.figures and not looks.parts

    @property
    def bases(self) -> set[str]:
        """Return the base units of the figures; ``1`` for numbers without any."""
        return {unit for unit, _ in self.kinds} - {"1"} or {"1"}

    def add(self, **fields: Scalar) -> None:
        """Make the column stand for *fields* as well."""
        self.fields = {**self.fields, **fields}

    def leave(self, why: str) -> None:
        """Leave the column out."""
        self.left, self.column = why, Column(is_="ignore")

    def become_field(self, field: str) -> None:
        """Make its cells set *field*."""
        self.column = Column(field=field)

    def take(self, answer: str) -> bool:
        """Enter an answer by which it has no figures of a unit; tell whether it is."""
        if self.column is not None:
            return True
        if answer == NOT_SAID and self.bases == {"1"} and self._may_be_words():
            self.become_field(f"conditions.{slug(self.header)}")
        elif answer in (LEAVE_OUT, NOT_SAID):
            why = "as answered" if answer == LEAVE_OUT else "what it is, is not said"
            self.leave(f"{self.header!r}: {why}")
        elif answer == "setting":
            self.become_field(f"parameters.{slug(self.header)}")
        elif answer in _FIELDS:
            self.become_field(answer)
        elif answer in ("figure", "score"):
            self.metric = "score" if answer == "score" else "reported_value"
            self.unit = None
        else:
            return False
        return True

    def _may_be_words(self) -> bool:
        """Tell whether its cells are whole numbers, words beside them aside."""
        return all(map(_LABEL.fullmatch, self.looks.texts))

    def take_unit(self, text: str) -> None:
        """Make the bare numbers figures in the unit *text*."""
        unit = understood("%" if text == "share" else text)
        if unit is not None:
            self.unit = "1" if text == "share" else text
            self.kinds = frozenset([(unit.base, unit.per)])

    def finished(self) -> Column:
        """Return the column as the map has it; what stays open is left out."""
        if self.column is not None:
            return self.column
        if self.asked:  # equal columns would be the same figure twice
            return Column(is_="ignore")
        if self.parts:
            return Column(is_="value", parts=self.parts, set=self.fields)
        if self.metric is None:
            return Column(is_="ignore")
        if self.metric == RATIO:
            return Column(is_="ratio", unit=self.unit, set=self.fields)
        return Column(
            is_="samples" if self.sampled else "value",
            metric=self.metric,
            unit=self.unit,
            decimal=self.decimal,
            set=self.fields,
            missing=self.missing,
        )


def quoted(draft: ColumnDraft) -> str:
    """Return a column as a question names it: ``'Time' (3.2, 4.5 …)``."""
    texts = draft.looks.texts
    shown = ", ".join(text[:_QUOTED] for text in texts[:_SHOWN])
    more = " …" if len(texts) > _SHOWN else ""
    return f"{draft.header[:80]!r} ({shown}{more})" if shown else f"{draft.header!r}"


def column_doubt(
    drafts: Sequence[ColumnDraft],
    topic: str,
    text: str,
    choices: Mapping[str, str] | Iterable[str],
    **more: object,
) -> Doubt:
    """Return a doubt about columns; *choices* without words of their own have ours."""
    first = drafts[0]
    subject = ", ".join(f"{one.header[:40]!r}" for one in drafts[:4])
    subject += f" and {len(drafts) - 4} more" if len(drafts) > 4 else ""
    named = choices if isinstance(choices, Mapping) else {}
    facts = {
        "name": first.header[:30],
        "subject": quoted(first) if len(drafts) == 1 else subject,
        "line": first.line,
        "choices": named or {key: _title(key) for key in choices},
        "likeness": _likeness(first, topic),
    }
    if any(one.holds_figures for one in drafts):
        facts["columns"] = lambda: counted(drafts)
    return Doubt(topic=topic, text=text, **{**facts, **more})  # type: ignore[arg-type]


def counted(drafts: Iterable[ColumnDraft], most: int | None = None) -> dict[int, int]:
    """Return how many figures are in columns that hold some, *most* in each.

    Numbers that may be anything count for half: they are settings more often.
    """
    return {
        id(one): len(one.looks.texts[:most:step])
        for one in drafts
        if one.holds_figures
        for step in (2 - bool(one.looks.terms & CLEAR_TERMS or one.bases != {"1"}),)
    }


def _likeness(draft: ColumnDraft, topic: str) -> object:
    """Return what columns share about which one answer may hold.

    Those that stand for something (a machine, a side) need the same. Others may be
    different things where their headers name units or are names in a program.
    """
    looks = draft.looks
    terms = looks.terms & FIGURE_TERMS - _SIDES
    if topic in ("unit", "numbers"):
        terms -= _STATISTICS
        alike = looks.integers if not looks.terms and not draft.fields else None
    alike = None
    own = CODED.search(looks.header) or (topic in ("time", "meaning") and looks.unit)
    stem = stem_of(looks.header) if own and not draft.fields else None
    return topic, tuple(sorted(terms)), alike, stem


def stem_of(header: str) -> str:
    """Return *header* without words for a statistic."""
    parts = fold(header).split()
    return " ".join(word for word in parts if not _STATISTIC.fullmatch(word))


def _title(key: str) -> str:
    return metrics()[key].title if key in metrics() else _WORDS.get(key, key)


def metric_of(
    kinds: Collection[Kind], header: HeaderTerms, around: HeaderTerms = frozenset()
) -> str | None:
    """Return the metric of figures of *kinds*, if words of the header say it."""
    units = {unit for unit, _ in kinds} - {"1"} or {"1"}
    counted = {per for _, per in kinds if per}
    terms = header | {f"/{one}" for one in counted} | (counted & {"step", "epoch"})
    terms |= {"step"} if counted & {"it", "batch"} else set()
    for rule in words().by_unit.get(units.pop() if len(units) == 1 else "", ()):
        if (
            terms.issuperset(rule.terms.split())
            and (terms | around).issuperset(rule.above.split())
            and (terms | around).isdisjoint(rule.without.split())
        ):
            return rule.name if rule.name in (*metrics(), RATIO) else None
    return None


def leave_statistics(drafts: Sequence[ColumnDraft], around: Around) -> None:
    """Leave columns out that say in other words what a column beside them says.

    That is another statistic, and the time from token to token beside that per token.
    What has a metric of its own stays, and so does a minimum or a maximum alone.
    """
    if any("tpot" in one.looks.terms for one in drafts):
        for one in drafts:
            if "itl" in one.looks.terms:
                one.leave(f"{one.header!r}: times per token stand beside it")
    groups: dict[str, dict[str, ColumnDraft]] = {}
    for one in drafts:
        name, rest = statistic(one.header)
        twin = groups.setdefault(rest, {}).setdefault(name, one)
        if name and twin is not one and twin.looks.texts == one.looks.texts:
            one.leave(f"{one.header!r}: as {twin.header!r}, which is the {name} too")
    for group in groups.values():
        first = next((name for name in ("mean", "median") if name in group), None)
        own = {name: _own_metric(one, around) for name, one in group.items()}
        for name, one in group.items():
            metric = own[name] if name[:1] != "p" or name in (own[name] or "") else None
            if name in ("", first) or (metric and metric != own.get(first or "")):
                continue
            of = f" of what {group[first].header!r} is the {first} of" if first else ""
            if one.left is None and (first or name.startswith("p")):
                one.leave(
                    f"{one.header!r}: the {name}{of}, which has no metric of ours"
                )


def _own_metric(draft: ColumnDraft, around: Around) -> str | None:
    terms = draft.looks.terms | around.terms
    times = draft.looks.unit is None and terms & {"time", "latency", "ttft"}
    kinds = draft.looks.kinds if not times else frozenset([("s", None)])
    return metric_of(kinds, terms)


def leave_parts(drafts: Sequence[ColumnDraft]) -> None:
    """Leave columns of the power of parts out, beside one of the whole."""
    power = [one for one in drafts if {unit for unit, _ in one.looks.kinds} == {"W"}]
    whole = [one for one in power if one.looks.terms & {"total", "soc"}]
    for one in power if whole else ():
        part = one.looks.terms & {"cpu", "gpu"} or _PARTS.search(one.header)
        if one not in whole and part:
            one.leave(f"{one.header!r}: of a part of what {whole[0].header!r} is of")


def enter_counts(drafts: Sequence[ColumnDraft], around: Around) -> None:
    """Enter numbers of tokens beside their rates and times."""
    of_tokens = "ttft" in around.terms or any(
        "ttft" in one.looks.terms or ("1/s", "token") in one.looks.kinds
        for one in drafts
    )
    for one in drafts if of_tokens else ():
        terms, bare = one.looks.terms, not one.looks.unit and one.looks.integers
        if bare and "token" in terms and terms <= _OF_COUNTS and one.column is None:
            one.become_field(f"conditions.{slug(one.header)}")


def figure_doubts(draft: ColumnDraft, around: Around) -> list[Doubt]:
    """Return what is in doubt of a column of figures; what is not enters *draft*."""
    looks = draft.looks
    commas = looks.decimal == "," or any("," in text for text in looks.texts)
    draft.decimal = looks.decimal if commas else None
    draft.unit, draft.kinds = looks.unit, looks.kinds
    if around.unit and not looks.unit and draft.bases == {"1"}:
        draft.take_unit(around.unit)
    doubts = _cell_doubts(draft)
    rated = around.specified and draft.bases & _RATED
    if (rated or looks.terms & {"spec", "given"}) and "score" not in looks.terms:

        def settle(answer: str) -> list[Doubt]:
            draft.rated = False
            return [] if draft.take(answer) else _kind_doubts(draft, around)

        draft.rated = True
        choices = {
            "results": "results, measured",
            LEAVE_OUT: "a specification: leave it out",
            "setting": _WORDS["setting"],
        }
        text = "Are {} results, or a specification?"
        more = {"settle": settle, "likeness": None}
        return [*doubts, column_doubt([draft], "results", text, choices, **more)]
    return doubts + _kind_doubts(draft, around)


def _cell_doubts(draft: ColumnDraft) -> list[Doubt]:
    """Return the doubts about cells that can be two numbers, and about noughts."""
    looks, doubts = draft.looks, []
    zeros = [text for text in looks.texts if is_zero(text)]

    def settle_mark(answer: str) -> None:
        if not draft.take(answer):
            draft.decimal = "." if answer == "point" else ","

    def settle_zero(answer: str) -> None:
        if answer == "not-run":
            draft.missing = dict.fromkeys(zeros, "not measured")
        elif answer != "zero":
            draft.missing = dict.fromkeys(zeros, "")
            why = "whether it was measured is not said: its cells are left out"
            draft.left = f"{draft.header!r}: {looks.zero!r}: {why}"

    if looks.ambiguous and not looks.decimal:  # else no mark helps
        choices = {"point": "the point", "comma": "the comma"}
        choices[LEAVE_OUT] = _WORDS[LEAVE_OUT]
        more: dict[str, object] = {"settle": settle_mark, "likeness": None}
        more |= {"subject": f"{draft.header[:40]!r} ({looks.ambiguous})"}
        text = "Which mark is decimal in {}?"
        doubts.append(column_doubt([draft], "mark", text, choices, **more))
    if looks.zero and not looks.terms & {"loss", "ratio"}:
        choices = {"not-run": "not run, or no figure", "zero": "a result of nought"}
        choices[LEAVE_OUT] = "leave these cells out"
        text = f"What does {looks.zero!r} mean in {{}}?"
        more = {"settle": settle_zero, "likeness": None}
        more |= {"columns": lambda: counted([draft], 1), "blocks": False}
        doubts.append(column_doubt([draft], "zeros", text, choices, **more))
    return doubts


def _kind_doubts(draft: ColumnDraft, around: Around) -> list[Doubt]:
    """Return what is in doubt of the unit and of the metric."""
    looks = draft.looks
    tps = any(map(_TPS.search, (looks.header, *looks.texts[:_SHOWN])))
    if tps and (around.language or looks.terms & {"prefill", "decode"}):
        draft.take_unit("tokens/s")  # what else may be counted has no sides
    _enter_metric(draft, around)
    if draft.metric is not None:
        return []
    if draft.bases != {"1"}:
        return _meaning_doubts(draft, around)
    terms = looks.terms or around.terms
    numbers = words().numbers
    keys = next(numbers[term] for term in numbers if term in terms or not term).split()
    times = all((unit := understood(key)) and unit.base == "s" for key in keys)

    def settle(answer: str) -> list[Doubt]:
        draft.rated = False
        if draft.take(answer):
            return []
        draft.take_unit(answer)
        if times and draft.bases == {"s"}:
            return []  # what is timed is known, or asked as well
        _enter_metric(draft, around)
        return [] if draft.metric else _meaning_doubts(draft, around)

    text = "In which unit are the numbers in {}?" if terms else "What are {}?"
    free = Free("a unit, such as ms, tok/s or GB", _unit_fault)
    draft.aside = around.clear and not (looks.terms & CLEAR_TERMS or draft.fields)
    more: dict[str, object] = {"settle": settle, "free": free}
    if draft.aside and looks.integers:  # a count of something, nearly always
        more["columns"] = lambda: counted([draft], 1)
    if not terms:  # numbers without a unit are more often no measured ones
        draft.rated = looks.integers and not draft.fields and not around.clear
        keys = sorted(keys, key=lambda key: key != "score")
    choices = (*keys, "setting", "figure", LEAVE_OUT)
    topic = "unit" if terms else "numbers"
    doubts = [column_doubt([draft], topic, text, choices, **more)]
    if times:
        draft.kinds = frozenset([("s", None)])
        _enter_metric(draft, around)
        doubts += [] if draft.metric else _meaning_doubts(draft, around)
    return doubts


def _enter_metric(draft: ColumnDraft, around: Around) -> None:
    """Enter the metric, if words say it; what is not trained has no last epoch."""
    terms = draft.looks.terms
    draft.metric = metric_of(draft.kinds, terms, around.terms)
    if draft.metric in FINAL and not around.trained and "final" not in terms:
        draft.metric = None


def _unit_fault(answer: str) -> str | None:
    return None if understood(answer) else "it is no unit that can be understood"


def _meaning_doubts(draft: ColumnDraft, around: Around) -> list[Doubt]:
    """Return the doubt what figures in a known unit are."""
    bases = draft.bases
    known = (*metrics(), *_FIELDS, RATIO)
    candidates = words().candidates
    likely = [name for name, hint in _LIKELY.items() if hint.search(draft.header)]
    likely = [_TTFT] if "ttft" in around.terms else likely
    names = [
        n for unit in sorted(bases) for n in candidates.get(unit, ()) if n in known
    ]
    if bases == {"s"}:
        names = list(dict.fromkeys([*likely, *names]))
    listed = ", ".join(sorted(bases))
    if not names:
        draft.leave(f"{draft.header!r}: no metric of ours is in {listed}")
        return []

    def settle(answer: str) -> None:
        if bases & draft.bases and not draft.take(answer):
            draft.metric = answer

    def fault(answer: str) -> str | None:
        unit = metrics()[answer].unit if answer in metrics() else None
        fits = unit in bases or (unit, *bases) in (("TFLOP/s", "FLOP/s"),)
        return None if fits else f"it is no metric of schema/metrics.json in {listed}"

    times = bases == {"s"}
    text = "What is timed in {}?" if times else "What are the figures in {}?"
    free = Free(f"a metric of schema/metrics.json in {listed}", fault)
    choices = (*names, "setting", LEAVE_OUT)
    topic = "time" if times else "meaning"
    return [column_doubt([draft], topic, text, choices, settle=settle, free=free)]


def enter_language_model(draft: ColumnDraft, beside: HeaderTerms) -> None:
    """Enter which side of a language model a column says that it is about.

    Output a second is that of a whole request, unless figures of the prompt stand
    *beside* it.
    """
    if "workload" in draft.fields or draft.metric not in (*TOKENS, *_OF_SIDES):
        return
    terms = draft.looks.terms
    said = "decode" in terms and ("answer" not in terms or "prefill" in beside)
    side = "prefill" if "prefill" in terms else "decode" if said else None
    if "total" in terms and not terms & {"prefill", "decode"}:
        side = "generate"
    if side := _OF_SIDES.get(draft.metric or "", side):
        draft.add(workload=f"llm-{side}")
        if count := _COUNTED.search(draft.header):
            name = "prompt" if side == "prefill" else "generated"
            draft.add(**{f"parameters.{name}_tokens": int(count[1])})


def speaks_of_figures(text: str) -> bool:
    """Tell whether *text* names a kind of figure rather than a thing."""
    named = header_terms(text) & FIGURE_TERMS
    return bool(named - {"prefill", "decode", "total", "peak", "mean", "step", "token"})
