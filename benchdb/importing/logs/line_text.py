"""What a line of running text is, by its own marks, and what is seen of it.

Prompts, stamps of loggers, bars, warnings and terminal escapes are known here.
"""

import re
from collections.abc import Sequence

_BANNER = re.compile(
    r"(?P<mark>[=\-*#~_])(?P=mark){1,200}"
    r"(?:[ \t]{1,20}|(?<=[=\-*]{5})(?=\w))(?P<text>\S.*)"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>|<!--.{0,300}?-->")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_PROMPT = re.compile(
    r"""
    (?:\([\w.\-]{1,40}\)[ ]{1,2})?
    (?: [\w.\-]{1,40}@[\w.\-]{1,60}[^$%#]{0,80}[$%\#]
      | [$%\u276f\u279c] | >>> | In[ ]\[[\d ]{0,6}\]: | (?:PS[ ])?[A-Z]:\\[^<>|]{0,80}>
    )[ \t]{1,8}(\S.*)
    """,
    re.VERBOSE,
)
_BANG = re.compile(r"!([\w./]{1,200}(?: .*)?)")
_LEVEL = r"(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|debug|info|warning)"
_DATE = (
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?"
)
# A clock before one blank; two are the columns of a table.
_CLOCK = r"\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?"
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_STAMP = re.compile(
    rf"""
    (?: [IWE]\d{{4}}[ ][\d:.]{{8,20}}[ ]{{1,8}}\d{{1,10}}[ ]
        [\w./\-]{{1,80}}:\d{{1,6}}\][ ]
      | (?:{_LEVEL}:[\w.]{{1,80}}:)
      | \d{{1,6}}(?:\.\d{{2}})?(?:\.\d{{3}}){{2}}[ ][DIWE][ ]{{1,4}}  # llama.cpp
      | \[?{_DATE}\]?[ ]{{0,4}}(?:[\-|:,][ ]{{1,4}})?
        (?:[\w.]{{1,80}}[ ][\-|:][ ](?={_LEVEL}))?
        (?:[\[(]?{_LEVEL}[\])]?(?:[ ]{{0,4}}[\-|:])?[ ]{{1,8}})?
      | (?:(?:{_MONTHS})[ ]{{1,2}}\d{{1,2}}[ ])?{_CLOCK}(?:[ ][\-|])?[ ]
        (?!(?:elapsed|total|real|user|sys|per|[ /\-|±])(?![a-z]))(?=\S)
      | [\[(]?{_LEVEL}(?:[\])][ ]{{0,4}}[\-|:]?|[ ]{{0,4}}[\-|:])[ ]{{1,8}}
    )
    """,
    re.VERBOSE,
)
_CHATTER = re.compile(
    r"(?:WARN|Warning|warnings\.warn|\[W\b|To enable them in other operations)"
    r"|[^:]{0,300}:\d{1,6}: \w{0,40}Warning: "
    r"|(?:ggml|llama|llm|whisper|clip|common)_\w{1,60}: |(?:system_info|build): "
    r"|[A-Z]{2,8} available: (?:True|False)"
    r"|\d[\d.]{8,20} [DIWE] |(?:slot|srv|que) +\w{1,60}: "  # llama-server's
)
# What a program says that it does; with a number, it may name what it is.
_DOING = re.compile(
    r"(?i)(?:load|start|fetch|download|compil|initiali[sz]|sav|build|warm|prepar"
    r"|process|clean|writ|read)ing\b\D*|(?:done|start(?:ed)?|finished|ready)\b\D{0,20}"
)
_LOADING = re.compile(r"(?i)(?:load|fetch|download|sav|prepar)ing\b")
_DATUM = re.compile(
    r"(?i)[^:=]{1,80}[:=]\s*(?:[-+~≈<>]?\.?\d(?:[^:=]*|[\d:.]*)"
    r"|inf|nan|none|true|false)|(?-i:[A-Z]+(?:_[A-Z]+)+)[:=].*|[\d\s.,:/%()+-]+"
    r"|(?:.*?(?<![\w.-])\d+\.\d+(?![\w.]|e)){3}.*"
)
_RESULT = re.compile(
    r"(?<![\w.])\d[\d.,]* ?(?:[mµun]?s|sec(?:ond)?s?|min(?:ute)?s?|hours?"
    r"|[A-Za-z]+/s\w*)(?![\w/])"
)
_TENSORFLOW = re.compile(r" [IWE] tensorflow/")
_BAR = re.compile(r"\d%\||\d ?\[=*[>.=]|━━|[█▏▎▍▌▋▊▉]")
_PROGRAM = re.compile(
    r"import [\w.]{1,80}(?:,| as |;|$)|from [\w.]{1,80} import |def \w{1,80}\("
    r"|class \w{1,80}[(:]|if __name__|#include|#!/|fn main|func \w{1,80}\("
    r"|using (?:namespace|[A-Z]\w{0,80}[.;])|public (?:class|static)|const \w{1,80} ="
)
_LANGUAGES = (
    " python py python3 swift c cpp c++ objc metal cuda rust go js javascript ts "
    "typescript java julia r ruby html css sql dockerfile makefile bibtex latex "
)


def command(text: str) -> str | None:
    """Return the command that *text* shows behind a prompt."""
    stripped = text.strip()
    found = _PROMPT.fullmatch(stripped) or _BANG.fullmatch(stripped)
    return None if found is None else found[1].strip()


def unstamped(text: str) -> str:
    """Return *text* without what a logger writes before it: time, name, level."""
    found = _STAMP.match(text.lstrip())
    return text if found is None else text.lstrip()[found.end() :]


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

    It is a figure or another datum, or tells what the program is doing.
    """
    plain = unstamped(text).strip()
    if plain.endswith((".", "!", "…")) or plain != text.strip():
        return True
    if plain.endswith((":", "：", "{")):
        return False
    return bool(
        _DOING.fullmatch(plain) or _DATUM.fullmatch(plain) or _RESULT.search(plain)
    )


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
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)?"
    r"|[()*+][0-9A-Z]|[ -~])?"
    r"|\x9b[0-?]*+[ -/]*+[@-~]"
)
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
    """Return the title that *words* are, between two bars: ``=== vgg ===``."""
    drawn = _BANNER.fullmatch(words)
    title = drawn["text"].rstrip(drawn["mark"]) if drawn else ""
    named = title != drawn["text"] if drawn else False
    return unmarked(title) if named and any(map(str.isalnum, title)) else ""


def is_program(inside: Sequence[str], language: str) -> bool:
    """Tell whether the lines *inside* a fence are code, no output."""
    short = [raw for raw in inside if len(raw) < 1000]
    if language and f" {language.strip('{}.')} " in _LANGUAGES:
        return not any(map(command, short))
    return any(_PROGRAM.match(raw.strip()) for raw in short)
