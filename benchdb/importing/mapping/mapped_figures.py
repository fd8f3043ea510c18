"""Figures in cells, in the unit of the metric that a map gives; its expressions."""

import math
import re
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import metrics
from benchdb.exchange.messages import Flag, Scalar, Status, Value
from benchdb.exchange.validation import RefusedError
from benchdb.importing.document import DocumentError
from benchdb.importing.mapping.fields import binary_factor
from benchdb.importing.mapping.language import Column, Facts
from benchdb.importing.mapping.recognition import recognised
from benchdb.importing.quantities.missing_values import Missing, missing_of, status_of
from benchdb.importing.quantities.quantity import Quantity, is_remark, parsed, parts
from benchdb.importing.quantities.tokens import Mark
from benchdb.importing.quantities.unit_names import COUNTED

SEARCHED = 1000  # characters of a text in which a map's expressions are searched
_AS_IT_IS = (1.0, 1.0)
_SCALES = {("FLOP/s", "TFLOP/s"): 1e12, ("B/s", "GB/s"): 1e9}
_OTHERWISE = {  # by the unit of a figure, where it is another than that of the metric
    ("FLOP/s", "GB/s"): "teraflops",
    ("B/s", "TFLOP/s"): "gigabytes_per_second",
    ("s", "steps_per_second"): "reported_step_seconds",  # 7.34s/it, as tqdm prints
    ("1/s", "reported_step_seconds"): "steps_per_second",
}
_SAMPLED = "reported_samples_per_second"
_STATISTIC = "parameters.statistic"
_STATED = re.compile(r"(?i)(mean|avg|average|median|p50|min|max|peak)[\s:=]*\d")
_SAME = {"avg": "mean", "average": "mean", "p50": "median"}


class _TimeUpError(Exception):
    """The time is up; nothing but ``time_limit`` catches it without raising it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``DocumentError`` once the block has taken *seconds* of processor time.

    A stranger's regular expression may never end; Python looks for signals while it
    searches. Only the main thread gets them: there is no limit in another.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise _TimeUpError

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    except _TimeUpError as error:
        raise DocumentError(
            f"takes more than {seconds:.0f} s of processor time with this map{error}; "
            "simplify its expressions: repeats inside repeats, as in (a+)+, may never "
            "end"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def search(pattern: str, text: str) -> re.Match[str] | None:
    """Return where *pattern* is found in the beginning of *text*."""
    try:
        return re.search(pattern, text[:SEARCHED])
    except _TimeUpError:
        raise _TimeUpError(f", last in the expression {pattern!r}") from None


class RowPlace(msgspec.Struct, frozen=True):
    """A row as printed, under its header and what stands above."""

    context: tuple[str, ...]
    header: tuple[str, ...]
    texts: tuple[str, ...]


class Observation(msgspec.Struct, frozen=True):
    """A figure with the layers of what is known of its run, the deepest first.

    *line* is where it stands, *raw* what stands there, *place* the row around it.
    *status* is ``ok``, or says how the run ended of which the cell has no figure. Where
    *fault* is set it could not be read. *pool* is the column of a sample.
    """

    layers: tuple[Facts, ...]
    line: int
    locator: str
    raw: str
    value: Value | None = None
    status: Status = "ok"
    flags: tuple[Flag, ...] = ()
    fault: str | None = None
    pool: Column | None = None
    place: RowPlace | None = None


def _ended(texts: Iterable[str]) -> Missing | None:
    """Return how a run failed of which a row has *texts* in place of a figure."""
    reasons = filter(None, map(missing_of, texts))
    failed = (it for it in reasons if status_of(it) in ("oom", "failed"))
    return next((Missing(it.reason, "") for it in failed), None)


class CellReader(msgspec.Struct, frozen=True):
    """How the cells of a column are read, each as *metric* unless it has parts."""

    column: Column
    metric: str
    unit: str | None
    decimal: Mark | None

    def read(self, text: str, place: Observation) -> list[Observation]:
        """Return *place* with each figure in *text*, in the order printed.

        Where it is not clear what the text says, it is a fault.
        """
        matches = (search(pattern, text) for pattern in self.column.patterns)
        match = next(filter(None, matches), None)
        text = match["value"] if match else text
        try:
            absent = missing_of(text, self.column.missing)
            if absent and not absent.reason:
                return []
            if absent and not text.strip() and place.place:
                absent = _ended(place.place.texts) or absent
            if self.column.parts and absent is None:
                return [
                    self._observation(metric, part.printed, part, place)
                    for metric, part in self._parts(text)
                    if metric
                ]
            amount = absent or parsed(text, decimal=self.decimal, unit=self.unit)
            metrics_ = dict.fromkeys(self.column.parts.values() or [self.metric])
            return [
                self._observation(metric, text.strip(), amount, place)
                for metric in metrics_
                if metric
            ]
        except (RefusedError, ValueError) as why:
            return [replace(place, fault=str(why))]

    def _observation(
        self, metric: str, printed: str, amount: Quantity | Missing, place: Observation
    ) -> Observation:
        if isinstance(amount, Quantity):  # of operations among bytes, a unit of its own
            by = metric if amount.per else metrics()[metric].unit
            metric = _OTHERWISE.get((amount.unit, by), metric)
        value = Value(metric=metric, printed=printed, locator=place.locator)
        if isinstance(amount, Missing):
            value = replace(value, reason=amount.reason)
            return replace(place, value=value, status=status_of(amount))
        if amount.bound in ("<", ">") or amount.low is not None:
            what = "a bound" if amount.bound else "a range"
            value = replace(value, reason=f"only {what} is printed")
            return replace(place, value=value)
        factor, divisor = self._conversion(amount, metric)
        figure, spread = amount.value * factor / divisor, amount.uncertainty
        if not math.isfinite(figure):
            raise RefusedError(f"{amount.printed!r} is too large for a number")
        if figure == 0 and metrics()[metric].unit == "s":
            value = replace(value, reason="printed as 0: shorter than it is rounded to")
            return replace(place, value=value)
        if metrics()[metric].unit == "B":  # half a byte is never meant
            figure = float(round(figure))
        value = replace(
            value,
            value=figure,
            uncertainty=None if spread is None else spread * factor / divisor,
        )
        flags: tuple[Flag, ...] = ()
        if amount.bound == "~":
            detail: dict[str, Scalar] = {"printed": printed}
            flags = (Flag(code="approximate", metric=metric, detail=detail),)
        beside = self._beside(amount.beside, printed)
        layers = (*place.layers, beside) if beside.set else place.layers
        return replace(place, value=value, flags=flags, layers=layers)

    def _beside(self, beside: str, printed: str) -> Facts:
        """Return what stands *beside* a figure, and its statistic, if *printed*."""
        facts: Facts = recognised(beside, ["batch_size"])
        if is_remark(beside):
            facts = Facts(set={"conditions.remark": beside})
        if stated := _STATED.match(printed):  # nearer than what the column is called
            name, column = stated[1].lower(), self.column.set.get(_STATISTIC)
            if column not in (None, name := _SAME.get(name, name)):
                facts = replace(facts, set={**facts.set, _STATISTIC: name})
        return facts

    def _parts(self, text: str) -> Iterator[tuple[str, Quantity]]:
        """Yield metric and figure of each part of a cell that has several."""
        figures, metrics_ = parts(text, decimal=self.decimal), self.column.parts
        if other := figures.keys() ^ metrics_.keys():
            why = "without a metric" if min(other) in figures else "not there"
            raise RefusedError(f"the part {min(other)!r} is {why}")
        yield from ((metrics_[name], it) for name, it in figures.items())

    def _conversion(self, amount: Quantity, metric: str) -> tuple[float, float]:
        """Return what a figure in base units is multiplied with, and divided by.

        Refuse a unit that cannot be that of *metric*.
        """
        target, counts = metrics()[metric].unit, metrics()[metric].counts
        sampled = metric == _SAMPLED and amount.per not in COUNTED  # documents
        if counts and amount.per not in (None, *counts) and not sampled:
            raise RefusedError(
                f"{amount.printed!r} counts {amount.per}, {metric} does not"
            )
        if amount.unit == target:
            binary = target == "B"
            return binary_factor(amount.printed, self.unit) if binary else _AS_IT_IS
        if (amount.unit, target) in _SCALES:
            return 1.0, _SCALES[amount.unit, target]
        if (amount.unit, target, self.unit) == ("1", "%", "1"):
            return 100.0, 1.0
        if (amount.unit, target, self.unit) == ("x", "1", "x"):
            return _AS_IT_IS  # a factor that no metric of ours is
        if amount.unit == "1":
            raise RefusedError(
                f"{amount.printed!r} has no unit; the map must say it (unit = …), "
                f"{metric} is in {target}"
            )
        raise RefusedError(
            f"unit contradiction: {amount.printed!r} is in {amount.unit}, "
            f"{metric} in {target}"
        )
