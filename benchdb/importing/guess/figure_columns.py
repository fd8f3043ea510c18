"""What the figures of a column are: their metric and unit, where the source says it.

What it does not say is a doubt, with what it may be.
"""

import re
from collections.abc import Collection, Sequence

import msgspec

from benchdb.catalogue import metrics
from benchdb.importing.guess.column_draft import (
    CLEAR_TERMS,
    FIGURE_TERMS,
    RATIO,
    SHOWN,
    STATISTIC,
    STATISTICS,
    ColumnDraft,
    column_doubt,
    named_figure,
)
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    HeaderTerms,
    Kind,
    MetricRule,
    amounts,
    header_terms,
    is_zero,
    pattern,
    says_only,
    statistic,
    words,
)
from benchdb.importing.guess.doubts import Doubt, Free
from benchdb.importing.guess.facts import (
    AnswerError,
    setting_field,
    unit_and_metric,
)
from benchdb.importing.guess.questions import (
    LEAVE_OUT,
)
from benchdb.importing.mapping.language import PARTS
from benchdb.importing.quantities.unit_names import COUNTED, understood

FINAL = ("final_accuracy", "final_loss")
TOKENS = ("tokens_per_second", "tokens_per_joule")
WORKS = words().works
OF_SIDES = {
    "time_to_first_token_seconds": "prefill",
    "time_per_token_seconds": "decode",
}
_USUAL = {"s": "ms", "B": "GB"}  # for examples
# Figures of so many are in the smaller unit more often.
_BY_SIZE = (("s", "ms", 100), ("GB", "MB", 256))
TTFT = "time_to_first_token_seconds"
CLEAR_UNITS = frozenset(("s", "1/s", "1/h", "FLOP/s", "B/s"))
# A specification has some of these, and a result may be in them too.
_MEASURED = CLEAR_TERMS | {"power", "energy"}
_OF_RATES = {"throughput", "fps", "flops", "bandwidth", "operation"}
_OF_TIMES = {"time", "latency", "ttft", "tpot", "itl", "e2e"}
_OF_ONE = frozenset(("1/s", "1/h", "1/J", "FLOP/s", "B/s", "J"))  # with what they count
_PLAIN = FIGURE_TERMS | {"sample", "answer", "operation"}
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


def metric_of(
    kinds: Collection[Kind], header: HeaderTerms, around: HeaderTerms = frozenset()
) -> str | None:
    """Return the metric of figures of *kinds*, if words of the header say it."""
    rule = _rule_of(kinds, header, around)
    return rule.name if rule and rule.name in (*metrics(), RATIO) else None


def _rule_of(
    kinds: Collection[Kind], header: HeaderTerms, around: HeaderTerms
) -> MetricRule | None:
    units = {unit for unit, _ in kinds} - {"1"} or {"1"}
    counted = {per for _, per in kinds if per}
    if units == {"1/s", "s"} and len(kinds) == 2 and len(counted) == 1:
        units = {"1/s"}  # of slow steps, tqdm prints the time of each
    terms = header | {f"/{text}" for text in counted} | (counted & {"step", "epoch"})
    terms |= {"step"} if counted & {"it", "batch"} else set()
    for rule in words().by_unit.get(units.pop() if len(units) == 1 else "", ()):
        if (
            terms.issuperset(rule.terms.split())
            and (terms | around).issuperset(rule.above.split())
            and (terms | around).isdisjoint(rule.without.split())
        ):
            return rule
    return None


def _is_printed(draft: ColumnDraft, around: Around) -> bool:
    """Tell whether a header and a unit say the metric, and no rule has to guess it."""
    rule = _rule_of(draft.kinds, draft.looks.terms, around.terms)
    if rule is None or draft.metric == RATIO:
        return True
    unsaid = rule.name == "latency_mean_seconds" and "mean" not in draft.looks.terms
    if unsaid or draft.fields.get(STATISTIC) not in (None, statistic(draft.header)[0]):
        return False  # a mean that nothing says, or the best or the peak of a cell
    if draft.bases <= _OF_ONE and all(it[0] == "/" for it in rule.terms.split()):
        # The unit alone says it, if no other word of the header does: "warm tok/s".
        unit = draft.looks.unit
        return not unit or bool(draft.fields) or says_only(draft.header, unit, _PLAIN)
    above = {*rule.above.split()}
    own = {unit for unit, _ in draft.looks.kinds} - {"1"} or {"1"}
    of_heading = own != draft.bases and draft.unit is not None
    if (of_heading and draft.unit == around.unit) or not above <= draft.looks.terms:
        return False
    terms = {*rule.terms.split()} | above
    # "Max memory" is what a machine has more often.
    peak = terms == {"peak"} and draft.bases == {"B"} and not statistic(draft.header)[0]
    terms |= {"memory"} if peak else {"time", "latency"}
    return says_only(draft.header, draft.looks.unit, terms)


def figure_doubts(draft: ColumnDraft, around: Around) -> list[Doubt]:
    """Return what is in doubt of a column of figures; what is not enters *draft*."""
    looks, around = draft.looks, around if draft.varied is None else Around()
    commas = looks.decimal == "," or any("," in text for text in looks.texts)
    draft.decimal = looks.decimal if commas else None
    draft.unit, draft.kinds = looks.unit, looks.kinds
    above = understood(around.unit or "")
    other = above and above.base == "s" and looks.terms & _OF_RATES
    if around.unit and not (looks.unit or other) and draft.bases == {"1"}:
        draft.take_unit(around.unit)
    doubts = _cell_doubts(draft)
    named = looks.terms & {"spec", "given"} and draft.bases != {"s"}
    # Beside what a language model does, that of memory is a data sheet's.
    of_chip = around.language and "memory" in looks.terms and draft.bases == {"B/s"}
    timed = looks.terms & _OF_TIMES and draft.bases == {"1"}  # in no data sheet
    rated = of_chip or (around.specified and draft.bases & _RATED and not timed)
    draft.given = bool(rated or named) and "score" not in looks.terms
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
        choices[LEAVE_OUT] = words().choices[LEAVE_OUT]
        more: dict[str, object] = {"settle": settle_mark}
        more |= {"subject": f"{draft.header[:40]!r} ({looks.ambiguous})"}
        text = "Which mark is decimal in {}?"
        doubts.append(column_doubt([draft], "mark", text, choices, **more))
    if looks.zero and not looks.terms & {"loss", "ratio"}:
        choices = {"not-run": "not run, or no figure"}
        if draft.bases != {"s"}:  # no work takes no time: it was rounded
            choices["zero"] = "a result of nought"
        choices[LEAVE_OUT] = "leave these cells out"
        text = f"What does {looks.zero!r} mean in {{}}?"
        more = {"settle": settle_zero}
        doubts.append(column_doubt([draft], "zeros", text, choices, **more))
    return doubts


def _kind_doubts(draft: ColumnDraft, around: Around) -> list[Doubt]:
    """Return what is in doubt of the unit and of the metric."""
    looks = draft.looks
    tps = any(map(pattern("tps").search, (looks.header, *looks.texts[:SHOWN])))
    if tps and (around.language or looks.terms & {"prefill", "decode"}):
        draft.take_unit("tokens/s")  # what else may be counted has no sides
    _enter_metric(draft, around)
    if draft.metric is not None or draft.bases != {"1"}:
        return _metric_doubts(draft, around)
    terms = _spoken_of(looks) or around.terms
    numbers = words().numbers
    keys = next(numbers[term] for term in numbers if term in terms or not term).split()
    times = all((unit := understood(key)) and unit.base == "s" for key in keys)

    def settle(answer: str) -> list[Doubt]:
        draft.rated = draft.given = False
        if draft.take(answer) or take_figures(draft, answer):
            return []
        draft.take_unit(answer)
        if times and draft.bases == {"s"}:
            return []  # what is timed is known, or asked as well
        _enter_metric(draft, around)
        return _metric_doubts(draft, around)

    text = "In which unit are the numbers in {}?" if terms else "What are {}?"
    no_unit = "it is no unit that can be understood"
    free = Free(
        "a unit, such as ms, tok/s or GB",
        lambda it: (
            None if understood(it) or setting_field(it) or of_one(it) else no_unit
        ),
    )
    draft.aside = around.clear and not (looks.terms & CLEAR_TERMS or draft.fields)
    more: dict[str, object] = {"settle": settle, "free": free}
    if draft.aside and looks.integers:  # a count of something, nearly always
        more |= {} if looks.terms else {"figures": lambda: False}
    if not terms:  # numbers without a unit are more often no measured ones
        draft.rated = looks.integers and not draft.fields and not around.clear
        keys = sorted(keys, key=lambda key: key != "score")
    choices = (*keys, "setting", "figure", LEAVE_OUT)
    topic = "unit" if terms else "numbers"
    # Beside results, what no word explains is none of ours: one line for all.
    unsaid = draft.aside and not terms and not looks.integers
    more["guess"] = _likely_unit(keys, draft, around)
    if draft.given or unsaid:
        more["guess"] = LEAVE_OUT
    doubts = [column_doubt([draft], topic, text, choices, **more)]
    if times:
        draft.kinds = frozenset([("s", None)])
        _enter_metric(draft, around)
        doubts += _metric_doubts(draft, around)
    return doubts


def _metric_doubts(draft: ColumnDraft, around: Around) -> list[Doubt]:
    """Return what is in doubt of the metric, nothing where it is printed.

    The header of cells with two numbers may be that of the other one.
    What words of the column say is the likeliest of what it may be; it then may have
    another unit as well.
    """
    metric, bases = draft.metric, draft.bases
    sure = not (draft.pattern or draft.given)
    if metric is not None and sure and _is_printed(draft, around):
        return []
    names = _candidates(draft, around)
    listed = ", ".join(sorted(bases))
    if not names and metric is None:
        draft.leave(f"{draft.header!r}: no metric of ours is in {draft.unit or listed}")
        return []

    def settle(answer: str) -> list[Doubt]:
        taken = not bases & draft.bases or draft.take(answer)
        if taken or take_figures(draft, answer):
            return []
        if answer in (*metrics(), *PARTS, RATIO):
            draft.take_metric(answer)
            return []
        draft.given = False
        draft.take_unit(answer)
        _enter_metric(draft, around)
        return [] if draft.metric else _metric_doubts(draft, around)

    def fault(answer: str) -> str | None:
        unit = understood(answer)
        kinds = [(unit.base, unit.per)] if unit else []
        result = metric or metric_of(kinds, draft.looks.terms, around.terms)
        known = fits(answer, bases) or setting_field(answer) or of_one(answer)
        if (unit and result) or known:
            return None
        return f"it is no unit, and no metric of schema/metrics.json in {listed}"

    titles = {it: words().choices.get(it, it) for it in (*names, "setting", LEAVE_OUT)}
    titles |= {it: metrics()[it].title for it in names if it in metrics()}
    more: dict[str, object] = {"settle": settle}
    if metric is None:
        topic, text = "meaning", "What are the figures in {}?"
        if bases == {"s"}:
            topic, text = "time", "What is timed in {}?"
        more["free"] = Free(f"a metric of schema/metrics.json in {listed}", fault)
    else:
        unit = draft.unit or draft.looks.unit
        topic, text = "metric", "What are the figures in {}?"
        title = metrics()[metric].title + (f", in {unit}" if unit else "")
        ours = {it: titles[it] for it in titles if it not in (*PARTS, RATIO)}
        titles = {metric: title} | {n: it for n, it in ours.items() if n != metric}
        more["free"] = Free("another metric, or a unit, such as ms, tok/s or GB", fault)
        more["guess"] = metric
    topic = "results" if draft.given else topic
    more |= _of_no_speed(draft)
    return [column_doubt([draft], topic, text, titles, **more)]


def of_one(answer: str) -> bool:
    """Tell whether *answer* is a metric in a unit, and the one is in the other."""
    unit, metric = unit_and_metric(answer)
    of = understood(unit or "")
    return metric is not None and of is not None and fits(metric, [of.base])


def take_figures(draft: ColumnDraft, answer: str) -> bool:
    """Make figures those of a metric in a unit; tell whether *answer* is these.

    Raise ``AnswerError`` where they cannot be.
    """
    unit, metric = unit_and_metric(answer)
    if unit is None or metric is None:
        return False
    draft.given = False
    draft.take_unit(unit)
    state_metric(draft, metric)
    return True


def state_metric(draft: ColumnDraft, metric: str) -> None:
    """Make figures those of *metric*; raise ``AnswerError`` where they cannot be."""
    counts = metrics()[metric].counts
    of = {per for _, per in draft.looks.kinds if per and counts}
    if odd := of & COUNTED - {*counts}:
        why = f"it counts {', '.join(sorted(odd))}, and not {', '.join(counts)}"
        raise AnswerError(f"{draft.header!r}: {metric}: {why}")
    draft.kinds = draft.kinds if draft.unit else draft.looks.kinds
    if metrics()[metric].unit == "1":  # its whole name says then what it is
        draft.unit = "x" if draft.bases == {"x"} else "1"
        draft.kinds = frozenset([("1", None)])
        draft.fields = {**named_figure(draft.header), **draft.fields}
    draft.take_metric(metric)
    if draft.bases == {"1"} and counts:
        draft.take_unit(f"{counts[0]}{metrics()[metric].unit.removeprefix('1')}")
    if not fits(metric, draft.bases):
        why = f"its figures are in {draft.unit or ', '.join(sorted(draft.bases))}"
        if draft.bases == {"1"}:
            unit = metrics()[metric].unit
            such = f"{draft.header}: {metric} in {_USUAL.get(unit, unit)}"
            why = f"in which unit, is not said; give both, as {such!r}"
        raise AnswerError(f"{draft.header!r}: {metric}: {why}")


def _of_no_speed(draft: ColumnDraft) -> dict[str, object]:
    """Return that a specification is left out, and a size or share of nothing named.

    A first of something is no usual time of it, nor one of warming up.
    """
    named = any(re.search(it, draft.header) for it in words().likely.values())
    first = bool(draft.looks.terms & {"first", "warmup"}) and not named
    unsaid = draft.metric is None and (draft.bases <= {"%", "B"} or first)
    return {"guess": LEAVE_OUT} if draft.given or unsaid else {}


def _candidates(draft: ColumnDraft, around: Around) -> list[str]:
    """Return what figures in their unit may be, the likeliest first.

    Of a rate that says what it counts, they are metrics that count it.
    """
    known = (*metrics(), *PARTS, RATIO)
    likely = [n for n, it in words().likely.items() if re.search(it, draft.header)]
    likely = [TTFT] if "ttft" in around.terms else likely
    every = words().candidates
    names = [n for it in sorted(draft.bases) for n in every.get(it, ()) if n in known]
    per = {per for _, per in draft.kinds}
    if draft.metric is None and draft.bases == {"s"}:
        return list(dict.fromkeys([*likely, *names]))
    if per == {"token"}:
        return [it for it in names if it in TOKENS]
    if draft.metric is None and per and None not in per:
        if draft.bases == {"1/s"} and per & COUNTED:
            return [it for it in names if per & {*metrics()[it].counts}]
        return [it for it in names if it not in TOKENS]  # of other things
    return names


def fits(metric: str, bases: Collection[str]) -> bool:
    """Tell whether figures in one of *bases* may be of *metric*."""
    unit = metrics()[metric].unit if metric in metrics() else ""
    large = {"TFLOP/s": "FLOP/s", "GB/s": "B/s"}
    return unit in bases or large.get(unit) in bases


def _likely_unit(keys: Sequence[str], draft: ColumnDraft, around: Around) -> str:
    """Return the unit that numbers of their size are in more often, of *keys*.

    Those of a test of a language model are rates. Of a whole number of which
    nothing is said it is none, and of tokens it is a count; what a rate counts that no
    language model has, nobody can guess, nor what figures of a machine are.
    """
    looks, terms = draft.looks, _spoken_of(draft.looks)
    machine = draft.fields.keys() & {"chip", "accelerator", "machine"}
    terms = terms or (around.terms if machine else terms)
    sided = str(draft.fields.get("workload")).startswith("llm-")
    if "tokens/s" in keys and (pattern("tps").search(looks.header) or sided):
        return "tokens/s"
    of_tokens = around.language or terms & {"prefill", "decode", "token"}
    if (machine and not terms) or ("throughput" in terms and not of_tokens):
        return ""
    counts = looks.integers or draft.varied is not None
    counted_ = counts and ("token" in terms or not terms & _MEASURED)
    if counted_ or not terms:
        return "setting" if counted_ else "figure"
    if "throughput" in terms:
        return keys[0]
    sizes = amounts(looks.texts[:SHOWN], "s")
    for large, small, limit in _BY_SIZE:
        if {large, small} <= {*keys}:
            return small if sizes and min(sizes) >= limit else large
    return keys[0]


def _spoken_of(looks: ColumnProfile) -> HeaderTerms:
    """Return what a column is about, aside from a statistic: "max" is of anything.

    "wall TPS" are tokens a second, whatever else is said.
    """
    if pattern("tps").search(looks.header):
        return frozenset(("token",))
    return looks.terms - STATISTICS - {statistic(looks.header)[0]}


def _enter_metric(draft: ColumnDraft, around: Around) -> None:
    """Enter the metric, if words say it; what is not trained has no last epoch."""
    terms = draft.looks.terms
    draft.metric = metric_of(draft.kinds, terms, around.terms)
    if draft.metric is not None:
        draft.take_metric(draft.metric)
    if draft.metric in FINAL and not around.trained and "final" not in terms:
        draft.metric = None


def enter_language_model(
    draft: ColumnDraft, beside: HeaderTerms, drafts: Sequence[ColumnDraft]
) -> None:
    """Enter which side of a language model a column says that it is about.

    Output a second is that of a whole request, unless figures of the prompt stand
    *beside* it; a total is, unless cells of *drafts* say the side of their row.
    """
    if "workload" in draft.fields or draft.metric not in (*TOKENS, *OF_SIDES):
        return
    terms = draft.looks.terms
    if "decode" in beside and pattern("processing").search(draft.header):
        terms |= {"prefill"}
    holds = "decode" in terms and ("answer" not in terms or "prefill" in beside)
    side = "prefill" if "prefill" in terms else "decode" if holds else None
    if "total" in terms and not terms & {"prefill", "decode"}:
        known = (it.column.cells.values() for it in drafts if it.column)
        result = any("workload" in cell.set for cells in known for cell in cells)
        side = None if result else "generate"
    # A side that is named holds whatever is answered about the metric.
    named = None if "ttft" in terms else side
    if side := named or OF_SIDES.get(draft.metric or "", side):
        draft.add(workload=f"llm-{side}")
        if count := pattern("counted_tokens").search(draft.header):
            name = "prompt" if side == "prefill" else "generated"
            draft.add(**{f"parameters.{name}_tokens": int(count[1])})


def speaks_of_figures(text: str) -> bool:
    """Tell whether *text* names a kind of figure rather than a thing."""
    named = header_terms(text) & FIGURE_TERMS
    named -= {"prefill", "decode", "total", "peak", "mean", "step", "token"}
    return bool(named) or pattern("tps").search(text) is not None
