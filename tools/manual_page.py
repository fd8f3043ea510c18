"""Write the manual page ``benchdb(1)`` from the command line itself.

python -m tools.manual_page > packaging/benchdb.1

It has what ``--help`` says of every command and option; ``docs/`` has the rest.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import typer

from benchdb.cli import COMMANDS, app, module_of

_AFTER = """
.SH EXIT STATUS
.TP
0
Done.
.TP
1
Something failed; what succeeded is kept.
.TP
2
Wrong use, or a device or framework that is not there.
.TP
3
A required signature is missing
.RB ( verify ).
.TP
130
Interrupted.
.SH ENVIRONMENT
.TP
.B BENCHDB_DB
The database that commands use when
.B \\-\\-db
is not given.
.TP
.B BENCHDB_HOME
A folder for all that is kept of a user, in place of the folders of the system.
.TP
.B BENCHDB_LANG
The language of reports.
.TP
.B NO_COLOR
Set, it leaves out colours.
.SH SEE ALSO
The documentation in the folder
.I docs
of the source, beginning with
.IR docs/commands.md .
"""


def page() -> str:
    """Return the page in roff, for ``man -l``; the same text on every machine."""
    root = typer.main.get_command(app)
    context = typer.Context(root, info_name="benchdb")
    lines = [
        '.TH BENCHDB 1 "" benchdb "User commands"',
        ".SH NAME",
        "benchdb \\- measure, collect and compare the speed of machine learning",
        ".SH SYNOPSIS",
        ".B benchdb",
        ".I COMMAND",
        "[\\fIoptions\\fR]",
        ".SH OPTIONS",
        *_options(root, context),
        ".SH COMMANDS",
    ]
    for name in COMMANDS:
        command = typer.main.get_command(import_module(module_of(name)).app)
        lines += _command(command, typer.Context(command, context, name))
    return "\n".join(lines) + _AFTER


def _command(command: Any, context: Any) -> Iterator[str]:
    """Yield a section of *command*, then those of its own commands."""
    usage = " ".join(command.collect_usage_pieces(context))
    yield f'.SS "{_plain(context.command_path)} {_plain(usage)}"'
    for index, paragraph in enumerate((command.help or "").split("\n\n")):
        yield from (() if index == 0 else (".PP",))
        yield _plain(" ".join(paragraph.split()))
    yield from _options(command, context)
    for name, child in getattr(command, "commands", {}).items():
        yield from _command(child, typer.Context(child, context, name))


def _options(command: Any, context: Any) -> Iterator[str]:
    """Yield arguments and options as tagged paragraphs."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and "--help" not in record[0]:
            yield ".TP"
            yield f".B {_plain(record[0])}"
            yield _plain(" ".join(record[1].split())) or "\\&"


def _plain(text: str) -> str:
    """Return *text* for roff: no line is a request, and hyphens can be copied."""
    text = re.sub(r"\[/?(bold|cyan|dim|green|red|yellow)\]", "", text)
    text = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return re.sub(r"^([.'])", r"\\&\1", text)


if __name__ == "__main__":
    print(page(), end="")
