"""What a line of running text is, what is seen of it, and which texts are values.

Prompts, stamps of loggers, bars, warnings and terminal escapes are known here, those
that programs print by the words of ``logs.toml``.
"""

import re
import tomllib
from collections.abc import Sequence

from benchdb.importing.quantities import unit_names
from benchdb.resources import folder

_FILE = folder("schema") / "words" / "logs.toml"
_LISTS = tomllib.loads(_FILE.read_text(encoding="utf-8"))
LETTERS: dict[str, str] = _LISTS["llama_options"]  # what they are short for


def words_of(name: str) -> str:
    """Return the pattern of any word that ``logs.toml`` lists under *name*.

    A word may have others in it, by the name of their list: ``{level}``.
    """
    listed = "|".join(_LISTS[name])
    return f"(?:{re.sub(r'{([a-z]+)}', lambda other: words_of(other[1]), listed)})"


def any_of(name: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Return what finds any word that ``logs.toml`` lists under *name*."""
    return re.compile(words_of(name), flags)


_BANNER = any_of("banners")
_COUNTING = any_of("counting", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>|<!--.{0,300}?-->")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_PROMPT = re.compile(words_of("prompts") + r"(?:[ \t]{1,8}|(?<=[\w\\]>))(\S.*)")
_COMMAND = any_of("commands")
_BANG = re.compile(r"!([\w./]{1,200}(?: .*)?)")
_STAMP = re.compile(f"(?>{words_of('process')}?)(?>{words_of('stamps')}?)")
_CHATTER = any_of("chatter")
_DOING = any_of("doing", re.IGNORECASE)
_LOADING = any_of("loading", re.IGNORECASE)
_DATUM = any_of("data", re.IGNORECASE)
_MEASURED = any_of("measured", re.IGNORECASE)
_RESULT = re.compile(rf"(?<![\w.])\d[\d.,]* ?{words_of('units')}(?![\w/])")
STATISTIC = any_of("statistics", re.IGNORECASE)
_TENSORFLOW = re.compile(r" [IWE] tensorflow/")
_BAR = re.compile(r"\d%\||\d ?\[=*[>.=]|━━|[█▏▎▍▌▋▊▉]")
_PROGRAM = any_of("program")
_LANGUAGES = any_of("languages")


def command(text: str) -> str | None:
    """Return the command that *text* shows behind a prompt, or that it is.

    Without a prompt it has options, and begins with a path, a launcher, or with what is
    set in the environment. It may be marked as code.
    """
    stripped = text.strip().strip("`").strip()
    match = _PROMPT.fullmatch(stripped) or _BANG.fullmatch(stripped)
    if match is None:
        return stripped if _COMMAND.fullmatch(stripped) else None
    return match[1].strip()


def unstamped(text: str) -> str:
    """Return *text* without what a logger writes before it: time, name, level."""
    match = _STAMP.match(text.lstrip())
    return text.lstrip()[match.end() :] if match and match.end() else text


def is_chatter(text: str) -> bool:
    """Tell whether *text* is a warning of a program, which names nothing."""
    if " tensorflow/" in text and _TENSORFLOW.search(text):
        return True
    return _CHATTER.match(text.strip()) is not None


def tells_loading(text: str) -> bool:
    """Tell whether a bar called *text* is of what comes before any work."""
    return _LOADING.match(text) is not None


def names_nothing(text: str) -> bool:
    """Tell whether *text*, which a program printed, names nothing below it.

    It is a figure or another datum, or tells what the program is doing or has done.
    """
    plain = unstamped(text).strip()
    if plain.endswith((".", "!", "…")) or plain != text.strip():
        return True
    if plain.endswith((":", "：", "{")):
        return False
    if not (":" in plain or "=" in plain or any(map(str.isdigit, plain))):
        return _DOING.fullmatch(plain) is not None
    match = _COUNTING.fullmatch(plain.strip("=-*#~_ ")) or _DATUM.fullmatch(plain)
    match = match or _RESULT.search(plain)
    return bool(match or _DOING.fullmatch(plain))


def is_measured(text: str) -> bool:
    """Tell whether *text* is figures and their names: it is no caption of others."""
    return _MEASURED.fullmatch(text.strip()) is not None


def shows_bar(text: str) -> bool:
    """Tell whether *text* holds a bar of progress, drawn by Keras or tqdm."""
    return _BAR.search(text) is not None


def unmarked(text: str) -> str:
    """Return *text* without emphasis, links, tags and a colon at its end."""
    if "<" in text:
        text = _TAG.sub("", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return text.replace("**", "").replace("`", "").strip().rstrip(":： \t")


WIDTH_LIMIT = 10_000  # characters of a line; a longer one is no line for people

# CSI, OSC, character sets, and single characters; nothing in it can backtrack.
_ESCAPE = any_of("escapes")
# What is left of colours where the escape character itself was lost on the way.
_ORPHAN = re.compile(r"\[[0-9]{0,3}(?:;[0-9]{1,3}){0,4}m")


_PRE = re.compile(r"\s{0,20}<(?:pre|code)(?:\s[^<>]{0,200})?>|</(?:code|pre)>")


def shown(line: str) -> str:
    """Return *line* as it looks in the end; empty if it is too long to be one."""
    if "\b" in line:
        line = line.rstrip("\b \r")
        line = line[line.rfind("\b") + 1 :]
    if len(line) > 4 * WIDTH_LIMIT:
        return ""
    if "\x1b" in line or "\x9b" in line:
        line = _ESCAPE.sub("", line)
    if "[0m" in line:
        line = _ORPHAN.sub("", line)
    if "<pre" in line or "</pre" in line or "<code>" in line:
        line = _PRE.sub("", line)
    return "" if len(line) > WIDTH_LIMIT else line.rstrip()


def banner(words: str) -> str:
    """Return the title that *words* are behind a bar: ``=== vgg ===``, ``=== vgg: {…``.

    What stands behind a bar alone is one if it names something, and is no figure; so is
    what has more behind the second bar, such as ``(idle 57C)``.
    """
    drawn = _BANNER.fullmatch(unstamped(words))
    if drawn is None:
        return ""
    title, closing = unmarked(drawn["text"]), drawn["closing"] or ""
    named = any(map(str.isalnum, title)) and not _COUNTING.fullmatch(title)
    if closing.strip().strip(drawn["mark"]) or not closing:
        named = named and len(drawn["bar"]) > 2 and is_name(title)
        named = named and not (names_nothing(title) or _RESULT.search(closing))
    return title if named else ""


def is_program(inside: Sequence[str], language: str) -> bool:
    """Tell whether the lines *inside* a fence are code, no output."""
    short = [raw for raw in inside if len(raw) < 1000]
    if _LANGUAGES.fullmatch(language.strip("{}.")):
        return not any(map(command, short))
    return any(_PROGRAM.match(raw.strip()) for raw in short)


_DOUBTFUL = frozenset("mMkKGBhd")  # a unit to a reader, if not which


def is_unit(word: str) -> bool:
    """Tell whether *word* is a unit: ``s``, ``ms``, ``GB``, ``img/s``, ``TFLOPS``."""
    word = word.strip(".,()[]/") if "/" not in word[1:] else word
    known = unit_names.understood(word) or unit_names.doubts(word)
    return word in _DOUBTFUL or bool(known)


_MOMENT = re.compile(rf"(?i)(?:.*\b)?{words_of('moments')}(?: (?:at|on|time|date))?")
_SHOWN = re.compile(r"(?:\d{4}-\d\d-\d\d|\d\d?:\d\d(?::\d\d)?(?![\d:])).*")


def is_moment(name: str, value: str) -> bool:
    """Tell whether *value* is what a clock showed, and no time that passed."""
    return bool(_MOMENT.fullmatch(name) and _SHOWN.fullmatch(value))


def is_time(word: str) -> bool:
    """Tell whether *word* is a unit of time, of which several may follow each other."""
    unit = unit_names.understood(word)
    return word in ("m", "h", "d") or (unit is not None and unit.base == "s")


_BEFORE = "~≈≃<>≤≥=±+-−–*$€£¥(. "  # what may stand before the first digit
_NOTHING = (*"-—–?✗✘❌×∞/*…", "--", "---")
_BRACKETS = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,200}\]")
_WORD = re.compile(r"[\w.+\-/@%#°&'\"()]{1,48}(?::\w[\w.\-]{0,30})?")
_ENDS = tuple(".,;:!?{[(")
_NAME_WIDTH = 60
_FIGURE_WORDS = 6
_WORDS = 4
_SENTENCE = 3  # words that a sentence has more of
_VALUE_WIDTH = 48


def is_figure(text: str) -> bool:
    """Tell whether *text* begins with a number."""
    return text.lstrip(_BEFORE)[:1].isdecimal()


def is_value(text: str) -> bool:
    """Tell whether *text* says one thing: a figure, a word or two, or a dash.

    A figure may have up to six words, brackets left out; other words are at most four,
    as in ``Apple M1 Max``. A sentence is no value.
    """
    words = text.split()
    if is_figure(text):
        words = _BRACKETS.sub(" ", text).split()
        ends = words[-1] if len(words) > _SENTENCE else " "
        return len(words) <= _FIGURE_WORDS and not (
            ends[-1] in ".!?" and ends[:1].isalpha()
        )
    return text in _NOTHING or (
        0 < len(words) <= _WORDS
        and len(text) <= _VALUE_WIDTH
        and text[0] not in "(["
        and not text.endswith(_ENDS)
        and "://" not in text
        and "()" not in text
        and any(char.isalnum() for char in text)
        and all(map(_WORD.fullmatch, words))
    )


def is_name(text: str, *, words: int = 8) -> bool:
    """Tell whether *text* can be the name of a value: no address and no sentence."""
    return (
        0 < len(text) <= _NAME_WIDTH
        and len(text.split()) <= words
        and any(char.isalnum() for char in text)
        and all(
            text.count(result) == text.count(other) for result, other in ("()", "[]")
        )
        and not text.endswith((".", ",", ";", "!", "?"))
        and not any(mark in text for mark in (". ", "..", "…", ": "))
        and "://" not in text
        and not text.casefold().endswith(("http", "https", "ftp", "file"))
    )
