"""The log of one MLPerf training run: time to train from ``run_start`` to ``run_stop``.

The log of one run is one run: that a result of MLPerf is the mean of several logs is
for those who compare. What is logged once, before or while it trains, is a parameter.
Its lines, ``:::MLLOG`` and an object of JSON, stand among any other output.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange.messages import Status, Value
from benchdb.exchange.reader import BadLine, Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.provenance import About
from benchdb.importing.tools import facts, result
from benchdb.importing.tools.facts import Facts
from benchdb.importing.tools.result import Result

_MARK = ":::MLLOG"
_EVENT = re.compile(_MARK + r'\s*\{\s*"')
_OF_INFERENCE = '"loadgen_'  # a key of the load generator's detailed log
_QUALITY = ("eval_accuracy", "eval_loss")  # what a run is trained up to
_PLACED = {
    *("submission_benchmark", "submission_org", "submission_platform", "seed"),
    *("cache_clear", "weights_initialization", "tracked_stats"),
    *("train_samples", "eval_samples", "train_checkpoint"),
    *("submission_poc_name", "submission_poc_email"),  # whom to ask: people
    *_QUALITY,
}
_ABSENT = "not in the log"
_TIME = "time_to_train_seconds"
_SHOWN = 200  # characters of figures that are kept together


class _Event(msgspec.Struct, frozen=True):
    """One logged fact, and on which line. *status* is how what ends here went."""

    line: int
    key: str
    value: Any
    kind: object
    time_ms: Any
    status: object

    @property
    def seconds(self) -> float:
        """Return when it was logged, since 1970; or refuse it."""
        return facts.size({"time_ms": self.time_ms}, "time_ms") / 1e3


_Log = Mapping[str, list[_Event]]


def recognises(document: Document) -> bool:
    """Tell whether this is the log of a training run, not only words about one."""
    log = facts.glimpse_text(document)
    return _EVENT.search(log) is not None and _OF_INFERENCE not in log


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield the run, and a ``BadLine`` for each line of the log that is damaged."""
    log: dict[str, list[_Event]] = defaultdict(list)
    for event in _events(document):
        if isinstance(event, BadLine):
            yield event
        else:
            log[event.key].append(event)
    if not {"run_start", "run_stop", "submission_benchmark"} & log.keys():
        raise DocumentError("an MLPerf log without run_start: no training run")
    org = next((event.value for event in log.get("submission_org", ())), None)
    if isinstance(org, str) and not about.authors:
        about = replace(about, authors=(org,))
    of = result.origin(document, about, "mlperf-training")
    yield result.attempt(of, partial(_result, log), sorted(log), "run_start")


def _events(document: Document) -> Iterator[_Event | BadLine]:
    """Yield the events in the order logged; a damaged one is a ``BadLine``."""
    for number, line in enumerate(document.lines, start=1):
        _, mark, raw = line.partition(_MARK)
        try:
            if mark:
                yield _event(facts.mapping(facts.parsed(raw), "a log line"), number)
        except (DocumentError, RefusedError) as why:
            broken = f"a log line cannot be read: {why}"
            yield building.bad(broken, line=number, raw=raw)


def _event(fact: Facts, line: int) -> _Event:
    metadata = fact.get("metadata")
    return _Event(
        line=line,
        key=facts.name_of(fact, "key"),
        value=fact.get("value"),
        kind=fact.get("event_type"),
        time_ms=fact.get("time_ms"),
        status=metadata.get("status") if isinstance(metadata, dict) else None,
    )


def _result(log: _Log) -> Result:
    benchmark = _stated(log, "submission_benchmark")
    begun, ended = _once(log, "run_start"), _once(log, "run_stop")
    if benchmark is None or begun is None:
        absent = "run_start" if benchmark else "submission_benchmark"
        raise RefusedError(f"no {absent}: not the whole log of a training run")
    status, reason = _outcome(ended)
    stated = {
        key: events[0].value
        for key, events in log.items()
        if events[0].kind == "POINT_IN_TIME"
        # Every process of a run may log a setting.
        and all(event.value == events[0].value for event in events)
    }
    parameters = facts.others(stated, _PLACED)
    logged = [event.value for event in log.get("seed", ())]
    # Neither a truth value, nor beyond what JSON keeps exactly.
    seeds = {seed for seed in logged if type(seed) is int and 0 <= seed < 2**53}
    if len(seeds) > 1:
        parameters["seeds"] = sorted(seeds)
    return Result(
        name=benchmark,
        locator=f"line {begun.line}",
        parameters=parameters,
        seed=seeds.pop() if len(seeds) == 1 else None,
        started=building.epoch_date(begun.seconds),
        ended=building.epoch_date(ended.seconds) if ended else None,
        label="imported",
        values=[_time(begun, ended, reason), *_quality(log)],
        device=("unknown", _ABSENT),
        machine=building.unknown_machine(label=_stated(log, "submission_platform")),
        environment={"missing": {"framework": _ABSENT}},
        status=status,
        reason=reason,
        missing=dict.fromkeys(("framework", "precision"), _ABSENT),
    )


def _outcome(ended: _Event | None) -> tuple[Status, str | None]:
    """Return whether the run counts, and why not."""
    if ended is None:
        return "interrupted", "no run_stop: the log ends before the run does"
    if ended.status == "success":
        return "ok", None
    return "failed", f"run_stop says {str(ended.status)[:40]!r}, not success"


def _time(begun: _Event, ended: _Event | None, reason: str | None) -> Value:
    if ended is None or reason is not None:
        return result.no_value(_TIME, reason or "")
    # Floats keep fractions of milliseconds to microseconds.
    seconds = round(ended.seconds - begun.seconds, 6)
    if seconds <= 0:
        raise RefusedError(f"run_stop is {-seconds} s before run_start")
    return Value(
        metric=_TIME,
        value=seconds,
        locator=f"line {begun.line} and line {ended.line}, time_ms",
        derived="run_stop - run_start",
    )


def _quality(log: _Log) -> Iterator[Value]:
    """Yield the last figure that says how well it is trained; its unit is not told."""
    if key := next((name for name in _QUALITY if name in log), None):
        last = log[key][-1]
        at = f"line {last.line}, {key}"
        if isinstance(last.value, list | dict):
            several, printed = f"{key} is several figures", str(facts.plain(last.value))
            yield result.no_value("reported_value", several, printed[:_SHOWN], at)
        else:
            yield result.value("reported_value", last.value, at)


def _stated(log: _Log, key: str) -> str | None:
    """Return the text that all events of *key* have, or refuse several."""
    texts = {facts.text({key: event.value}, key) for event in log.get(key, ())} - {None}
    if len(texts) > 1:
        raise RefusedError(f"{key} has {len(texts)} values: the logs of several runs?")
    return next(iter(texts), None)


def _once(log: _Log, key: str) -> _Event | None:
    """Return the event; a logger that repeats a line says nothing new."""
    events = log.get(key, [])
    if len({(str(e.time_ms), str(e.status)) for e in events}) > 1:
        lines = ", ".join(str(event.line) for event in events[:5])
        raise RefusedError(f"{key} stands on lines {lines}: the logs of several runs?")
    return events[0] if events else None
