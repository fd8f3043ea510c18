"""Units of measure as test profiles of the Phoronix Test Suite spell them."""

import re

import msgspec


class Scale(msgspec.Struct, frozen=True):
    """The metric that a scale stands for; figures are divided by *per*."""

    metric: str
    per: float = 1.0


_UNKNOWN = Scale("reported_value")
_TIME = re.compile(
    r"(nanoseconds?|microseconds?|milliseconds?|seconds?|ns|us|µs|ms|s|sec)"
    r"(?: ?(?:per|/) ?[a-z ]{1,30})?"
)
_RATE = re.compile(
    r"(?:ops?|operations|requests|reqs?|queries|transactions|iterations|iters|events"
    r"|calls|messages|jobs|nodes|files|packets) ?(?:per second|per sec|/ ?s|/ ?sec)"
)
_RATES = {
    "frames per second": Scale("frames_per_second"),
    "fps": Scale("frames_per_second"),
    "tokens per second": Scale("tokens_per_second"),
    "tokens/s": Scale("tokens_per_second"),
    "images per second": Scale("reported_samples_per_second"),
    "images/sec": Scale("reported_samples_per_second"),
    "samples per second": Scale("reported_samples_per_second"),
    "b/s": Scale("gigabytes_per_second", 1e9),
    "byte/s": Scale("gigabytes_per_second", 1e9),
    "bytes/s": Scale("gigabytes_per_second", 1e9),
    "kb/s": Scale("gigabytes_per_second", 1e6),
    "kib/s": Scale("gigabytes_per_second", 1e9 / 2**10),
    "mb/s": Scale("gigabytes_per_second", 1e3),
    "gb/s": Scale("gigabytes_per_second"),
    "mib/s": Scale("gigabytes_per_second", 1e9 / 2**20),
    "gib/s": Scale("gigabytes_per_second", 1e9 / 2**30),
}


def scale(printed: str, proportion: str) -> Scale:
    """Return what *printed* measures, where the direction agrees with that.

    *proportion* is LIB where less is better, HIB where more is, or blank.
    """
    told = " ".join(printed.lower().split())
    if found := _TIME.fullmatch(told):
        return _UNKNOWN if proportion == "HIB" else _time(found[1])
    bits = re.search("(?:^|[kKMGT]i?)b(?:/s|ps)", printed) is not None
    rate = None if bits else _RATES.get(told)
    if rate is None and _RATE.fullmatch(told):
        rate = Scale("operations_per_second")
    return _UNKNOWN if rate is None or proportion == "LIB" else rate


def _time(word: str) -> Scale:
    starts = ("nano", 1e9), ("micro", 1e6), ("milli", 1e3)
    per = next((size for start, size in starts if word.startswith(start)), None)
    if per is None:
        per = {"ns": 1e9, "us": 1e6, "µs": 1e6, "ms": 1e3}.get(word, 1.0)
    return Scale("operation_seconds", per)
