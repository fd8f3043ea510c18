"""Take out of a line what tells who ran a program, where, and on which machine.

Every line that a collector writes comes through here (``_messages.encode``), so a text
from outside, like what an exception says, needs no care where it is taken in.
"""

import ipaddress
import re
from collections.abc import Callable, Collection
from functools import cache, partial
from typing import Any

from _variables import private_words

PRIVATE = "(private)"
_MARK = "\0"  # stands for PRIVATE until the end, so that no pattern takes it apart

# They name nobody, and "root" or "cuda" have a meaning in what frameworks say.
_ANYBODY = (
    "admin aws centos cpu cuda debian docker ec2-user fedora gpu guest home host "
    "local localhost mac metal public root runner shared test ubuntu user users"
)
# The same on every machine, and our own reasons name them.
_COMMON = {"/proc/cpuinfo", "/proc/meminfo", "/etc/os-release"}

_STARTS = (
    r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.\-]{1,15}:/{2,3}(?=\S)",  # a URL
    r"(?<![A-Za-z0-9])[A-Za-z]:[\\/]",  # a drive of Windows
    r"(?<![\w\\])\\{2,4}(?=[\w?.\-]+\\)",  # a share of Windows
    r"(?<![\w…~])~[\w.\-]*[\\/]",
    r"(?<![\w….~*)\]/\\])(?:\.{1,2}/|/{1,3})(?=[^\s/])",
    # After a letter as well: -I/home/…
    r"(?<!…)/(?:home|Users|root|private|tmp|Volumes|mnt|media|opt|usr|var)/(?=\S)",
)
_START = f"(?:{'|'.join(_STARTS)})"
_REST, _WORD = r"[^\s'\"`<>]*", r"[^\s'\"`<>/\\~.=\-][^\s'\"`<>/\\]*"
# "/Users/Jane Doe/x": up to three words with a separator behind them belong to it.
_SPACED = rf"(?:(?<![:,;)\]])[ ](?:{_WORD}[ ]){{0,2}}{_WORD}[\\/]{_REST})"
_PATHS = (
    re.compile(rf"(?<=(['\"`])){_START}(?:(?!\1)[^\n])*(?=\1)"),
    re.compile(f"{_START}{_REST}{_SPACED}*"),
)
_OWNER = re.compile(r"[\\/](?:home|Users)[\\/]+([^\\/\s'\"`:…]+)", re.IGNORECASE)

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{32}"
_IDS = (
    # CUDA takes the beginning of an id as well: GPU-1a2b3c.
    rf"(?<!\w)(?:(?:GPU|MIG)-)+(?:{_UUID}|[0-9a-fA-F]{{4,}}[0-9a-fA-F\-]*)(?:/\d+)*(?!\w)",
    rf"(?<!\w)(?:{_UUID})(?!\w)",
    r"(?<![\w:-])(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}(?![\w:-])",  # MAC
    rf"[\w.+\-:{_MARK}]{{1,64}}@[A-Za-z{_MARK}](?:[\w.\-{_MARK}]*[\w{_MARK}])?",  # mail
    # The rest of a host's full name, once its short one is gone.
    rf"{_MARK}(?:(?:\.[A-Za-z][\w-]*){{2,}}|\.(?:local|lan|home|corp|internal)\b)",
)
_ID = re.compile("|".join(_IDS))
_IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d|[^\W_])"
_ADDRESS = re.compile(
    # With a digit: C++ has "::" between names, and a few of those look hexadecimal.
    rf"(?<![^\W_.]){_IPV4}|(?<![\w:.])(?=[a-fA-F:]*\d)(?:[0-9a-fA-F]{{0,4}}:){{2,7}}"
    rf"(?:{_IPV4}|[0-9a-fA-F]{{0,4}}(?![\w:]))"
)

_own_names = cache(private_words)

# Our own words, keys and digests.
_OURS = (
    "type key run machine environment workload framework device precision tier label "
    "campaign collector started ended status phase metric anonymous_id"
)
# What things are called: a host may be named h200, a user adam.
_THINGS = (
    "chip model device_name devices os_name architecture parameters conditions math "
    "compiler workloads precisions tiers install"
)
# Four numbers with dots are no address here; a name may be part of a build's.
_VERSIONS = "os_version os_build kernel python framework_version packages version"


def publishable(message: dict[str, Any]) -> dict[str, Any]:
    """Return *message* without anything private in its texts; numbers stay."""
    if message.get("type") == "samples":  # numbers only, and many
        return message
    return {
        key: value if key in _OURS.split() else _cleaned(value, _manner(key))
        for key, value in message.items()
    }


def _manner(key: str) -> Callable[[str], str]:
    if key in _THINGS.split():
        return partial(redact, names=(), addresses=False)
    return partial(redact, addresses=key not in _VERSIONS.split())


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {k: v if k == "metric" else _cleaned(v, clean) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(entry, clean) for entry in value]
    return value


def redact(
    text: str, names: Collection[str] | None = None, *, addresses: bool = True
) -> str:
    """Return *text* with paths cut to their last part, and names and ids taken out.

    *names* are those of user, home folder and host unless given; none if empty.
    """
    names = _own_names(least=2) if names is None else names
    if names:
        names = {*names, *map(str.lower, _OWNER.findall(text))} - {*_ANYBODY.split()}
    text = _without_names(text, names)
    for path in _PATHS:
        text = path.sub(_shortened, text)
    text = _ID.sub(_MARK, text)
    if addresses:
        text = _ADDRESS.sub(_without_address, text)
    return text.replace(_MARK, PRIVATE)


def _without_names(text: str, names: Collection[str]) -> str:
    # A number is no name, although a container's host may be called so.
    said = [n for n in names if len(n) > 1 and not n.isdigit() and n in text.lower()]
    longest_first = "|".join(map(re.escape, sorted(said, key=len, reverse=True)))
    whole = rf"(?<![^\W_])(?:{longest_first})(?![^\W_])"
    return re.sub(whole, _MARK, text, flags=re.IGNORECASE) if said else text


def _shortened(path: re.Match[str]) -> str:
    if path[0] in _COMMON:
        return path[0]
    parts = [part for part in re.split(r"[\\/]+", path[0]) if part]
    *_, before, last = ["", "", *parts]
    # A home folder itself, the host of a URL, and ~somebody are names.
    if before.lower() in {"home", "users"} or ("://" in path[0] and len(parts) == 2):
        last = re.sub(r"^[^,;:)\]]+", _MARK, last)
    elif len(parts) == 1 and last.startswith("~"):
        last = _MARK if len(last) > 1 else ""
    return f"…/{last}"


def _without_address(found: re.Match[str]) -> str:
    try:
        ipaddress.ip_address(found[0])
    except ValueError:
        return found[0]
    return _MARK
