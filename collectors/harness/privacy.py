"""Take out of a line what tells who ran a program, where, and on which machine.

Every line that a collector writes comes through here (``messages.encode``), so a text
from outside, like what an exception says, needs no care where it is taken in.
"""

import getpass
import ipaddress
import os
import re
import socket
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

# Not all of TF_: Terraform uses it too, and keeps its users' secrets in TF_VAR_.
TENSORFLOW = (
    "AUTOTUNE CPP_ CUBLAS_ CUDA_ CUDNN_ DETERMINISTIC DISABLE_ ENABLE_ FORCE_ FP16_ "
    "GPU_ METAL_ MKL_ NUM_ ONEDNN_ OVERRIDE_ USE_ XLA_"
)
PREFIXES = (
    *(f"TF_{word}" for word in TENSORFLOW.split()),
    *("PYTORCH_", "KMP_", "ONEDNN_", "DNNL_", "CUDNN_", "CUBLAS_"),
)
NAMES = (
    "CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_LAUNCH_BLOCKING CUDA_MODULE_LOADING "
    "GOMP_CPU_AFFINITY KERAS_BACKEND MKL_DYNAMIC MKL_NUM_THREADS NUMEXPR_NUM_THREADS "
    "NVIDIA_TF32_OVERRIDE OMP_DYNAMIC OMP_NUM_THREADS OMP_PLACES OMP_PROC_BIND "
    "OPENBLAS_CORETYPE OPENBLAS_L2_SIZE OPENBLAS_NUM_THREADS VECLIB_MAXIMUM_THREADS "
    "XLA_FLAGS"
)
HIDDEN = "<hidden>"
PATH = "<path>"
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|URL|HOST|ADDR", re.I)
_PLAIN = re.compile(r"[\w.,:;=+\-<>{}() ]{0,400}")
_FLAG = re.compile(r"--?\w+(?:=[\w.,:+\-]*)?")
_DEVICE = re.compile(r"\b(GPU|MIG)-[0-9a-fA-F][\w\-/]*")


def relevant(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables that a result may depend on, safe to publish."""
    environment = os.environ if environment is None else environment
    private, names = private_words(), NAMES.split()
    return {
        name: published(value, private)
        for name, value in sorted(environment.items())
        if (name in names or name.startswith(PREFIXES)) and not _SECRET.search(name)
    }


def published(value: str, private: Iterable[str] = ()) -> str:
    """Return a value without paths, ids of devices, or anyone's name.

    Where there is a path only flags survive: a path may contain spaces.
    """
    value = _DEVICE.sub(r"\1-<id>", value)
    if "/" in value or "\\" in value or "~" in value:
        value = " ".join(dict.fromkeys(_without_path(w) for w in value.split()))
    words = {word.lower() for word in re.findall(r"[\w-]+", value)}
    safe = _PLAIN.fullmatch(value) and words.isdisjoint(private)
    return value if safe else HIDDEN


def _without_path(word: str) -> str:
    if _FLAG.fullmatch(word):
        return word
    flag, equals, _ = word.partition("=")
    return f"{flag}={PATH}" if equals and _FLAG.fullmatch(flag) else PATH


def private_words(least: int = 3) -> frozenset[str]:
    """Return what must not be printed: the names of user, home folder and host.

    *least* is the shortest that counts: where a word hides a whole value, not 2.
    """
    variable = os.environ.get
    hosts = (
        socket.gethostname(),
        variable("HOSTNAME", ""),
        variable("COMPUTERNAME", ""),
    )
    words = {word for host in hosts for word in (host, host.partition(".")[0])}
    words |= {variable(n, "") for n in ("LOGNAME", "USER", "USERNAME", "SUDO_USER")}
    # In a container the user may have no name, and still a home folder.
    for ask in (getpass.getuser, lambda: Path.home().name):
        with suppress(KeyError, OSError, RuntimeError):
            words.add(ask())
    return frozenset(word.lower() for word in words if len(word) >= least)


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
    cleaned = dict(message)
    for key in message.keys() - set(_OURS.split()):
        clean = partial(redact, addresses=key not in _VERSIONS.split())
        if key in _THINGS.split():
            clean = partial(redact, names=(), addresses=False)
        cleaned[key] = _cleaned(message[key], clean)
    return cleaned


# What facts are called that tell who or which.
_TELLING = re.compile(
    r"(?:^|[^a-z])(?:serial(?:[ _.-]?(?:no|num|number|id))?$|(?:uuid|udid|guid|imei|ip|"
    r"owner|login|e?mail|address|password|secret|"
    r"(?:host|user|computer|node)[ _.-]?name)(?:[^a-z]|$))|^host$",
    re.IGNORECASE,
)
_FREE = (
    "conditions checks variables packages math parameters devices missing basis "
    "detail about protocol"
)


# What somebody may have typed, or have had typed.
_TYPED = ("parameters", "conditions")
# Of a document that was published: who has the name of its author may share it.
_PUBLIC = "slug title authors url licence"
_NO_ADDRESSES = (*_VERSIONS.split(), *_THINGS.split())


def private_fields(
    message: Mapping[str, Any], known: Collection[str] = ()
) -> Iterator[str]:
    """Yield where *message*, a line of an exchange file, holds what must not leave.

    In the maps that take any name, those *known* hold what other fields may. What has
    another name must have no path either, and the name has to tell nothing itself.
    """
    for name, value in message.items():
        if name in _OURS.split() and name != "workload":
            continue
        rule = _Rule(
            names=() if name in (*_THINGS.split(), *_PUBLIC.split()) else None,
            addresses=name in _TYPED or name not in _NO_ADDRESSES,
            known=known if name in _FREE.split() else None,
            typed=name in _TYPED,
        )
        yield from rule.broken(name, value)


class _Rule(NamedTuple):
    """What a field may hold: see ``redact``; *known* is None where no name is free."""

    names: tuple[str, ...] | None
    addresses: bool
    known: Collection[str] | None
    typed: bool

    def broken(self, place: str, value: Any, *, strange: bool = False) -> Iterator[str]:
        if isinstance(value, str):
            # A word may be called like a host, "h200"; a command line names one.
            names = None if self.typed and " " in value else self.names
            if not _harmless(value, names, addresses=self.addresses) or (
                strange and redact(value) != value
            ):
                yield place
        elif isinstance(value, list | tuple):
            for entry in value:
                yield from self.broken(place, entry, strange=strange)
        elif isinstance(value, Mapping):
            for name, field in value.items():
                new = self.known is not None and name not in self.known
                if new and (_TELLING.search(name) or not _harmless(name)):
                    yield f"{place}.{name}"
                else:
                    yield from self.broken(f"{place}.{name}", field, strange=new)


@lru_cache(maxsize=65536)  # every run repeats most of what it says
def _harmless(
    text: str, names: tuple[str, ...] | None = None, *, addresses: bool = True
) -> bool:
    cleaned = redact(text, names, addresses=addresses, paths=False)
    return cleaned == text and not _OWNER.search(text)


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {k: v if k == "metric" else _cleaned(v, clean) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(entry, clean) for entry in value]
    return value


def redact(
    text: str,
    names: Collection[str] | None = None,
    *,
    addresses: bool = True,
    paths: bool = True,
) -> str:
    """Return *text* with paths cut to their last part, and names and ids taken out.

    *names* are those of user, home folder and host unless given; none if empty.
    Without *paths* these stay, but for the name of a home folder's owner.
    """
    names = _own_names(least=2) if names is None else names
    if names:
        names = {*names, *map(str.lower, _OWNER.findall(text))} - {*_ANYBODY.split()}
    text = _without_names(text, names)
    for path in _PATHS if paths else ():
        text = path.sub(_shortened, text)
    text = _ID.sub(_MARK, text)
    if addresses:
        text = _ADDRESS.sub(_without_address, text)
    return text.replace(_MARK, PRIVATE)


def _without_names(text: str, names: Collection[str]) -> str:
    # A number is no name, although a container's host may be called so.
    names_in_text = [
        n for n in names if len(n) > 1 and not n.isdigit() and n in text.lower()
    ]
    longest_first = "|".join(
        map(re.escape, sorted(names_in_text, key=len, reverse=True))
    )
    whole = rf"(?<![^\W_])(?:{longest_first})(?![^\W_])"
    return re.sub(whole, _MARK, text, flags=re.IGNORECASE) if names_in_text else text


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


def _without_address(match: re.Match[str]) -> str:
    try:
        ipaddress.ip_address(match[0])
    except ValueError:
        return match[0]
    return _MARK
