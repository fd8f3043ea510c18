"""What all commands have in common: one line for a mistake, help that fits, completion.

Typer's own help needs 120 lines for the options of ``collect``; this has a line each.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from benchdb.cli.completing import COMPLETIONS, completed
from benchdb.cli.console import plain
from benchdb.errors import BenchdbError, UsageError, suggestion

_WIDEST, _NARROWEST = 100, 20
_STACKED = 60  # columns below which an explanation stands below its option
# Columns of an option at most, before its explanation takes another line.
_LABEL, _STACKED_LABEL = 27, 0
# Click's own errors of use, whichever Click it is that Typer brings.
_Fault: Any = typer.BadParameter.__mro__[1]


class Command(TyperCommand):
    """A command whose help is a line an option, in any width."""

    def get_help(self, ctx: Any) -> str:
        """Return the help."""
        return help_of(self, ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option beside its opposite, of which the last would win."""
        _refuse_contradictions(self, args)
        return super().parse_args(ctx, args)


class Group(TyperGroup):
    """A group of commands, with help as they have it."""

    def get_help(self, ctx: Any) -> str:
        """Return the help."""
        return help_of(self, ctx)


def loaded(module: str) -> Any:
    """Return the command of *module*, with our help and completion."""
    app = import_module(module).app
    app.rich_markup_mode = None
    if not (isinstance(app.info.cls, type) and issubclass(app.info.cls, Group)):
        app.info.cls = Group
    for item in app.registered_commands:
        item.cls = Command
    command = typer.main.get_command(app)
    for each in (command, *getattr(command, "commands", {}).values()):
        for parameter in each.params:
            if parameter.name in COMPLETIONS:
                value = partial(completed, parameter.name)
                parameter._custom_shell_complete = value
    return command


@contextmanager
def one_line() -> Iterator[None]:
    """Turn what the user can act on into a line for each, and the exit status."""
    try:
        yield
    except BenchdbError as error:
        messages, status = error.lines, error.exit_status
    except _Fault as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        messages, status = [_message(error)], UsageError.exit_status
    except KeyboardInterrupt:
        messages, status = ["interrupted"], 130
    else:
        return
    for message in messages:
        typer.echo(plain(f"benchdb: {message}"), err=True)
    raise typer.Exit(status)


def _message(error: Any) -> str:
    """Return in a line what Click has against the command line."""
    context, parameter = error.ctx, getattr(error, "param", None)
    more = f"; see '{context.command_path} --help'" if context else ""
    text: str = " ".join(error.format_message().split()).rstrip(".")
    if name := getattr(error, "possibilities", None) and error.option_name:
        return f"no option {name}{suggestion(name, error.possibilities)}"
    if parameter is not None:
        text = text.replace(f"'{parameter.name}'", f"'{_named(parameter)}'")
    choices = getattr(getattr(parameter, "type", None), "choices", ())
    given = text.partition(": '")[2].partition("'")[0]
    near = suggestion(given, map(str, choices)) if given and choices else ""
    hint = near if near.startswith("; did") else "" if parameter else more
    return text[:1].lower() + text[1:] + hint


def _refuse_contradictions(command: Any, arguments: Sequence[str]) -> None:
    """Raise ``UsageError`` for an option beside its opposite: the last would win."""
    given = set(arguments)
    for parameter in command.params:
        yes, no = given & {*parameter.opts}, given & {*parameter.secondary_opts}
        if yes and no:
            raise UsageError(
                f"{yes.pop()} and {no.pop()} contradict each other; leave out one"
            )


def refuse_others(
    context: typer.Context, allowed: Collection[str], option: str, why: str
) -> None:
    """Raise ``UsageError`` for an option that *option* leaves nothing to choose of."""
    for name, spelled in given(context).items():
        if name not in allowed:
            raise UsageError(f"{spelled} does not go with {option}: {why}")


def given(context: typer.Context) -> dict[str, str]:
    """Return the options on the command line, by name, as they are spelled."""
    return {
        parameter.name: _named(parameter)
        for parameter in context.command.params
        if parameter.name
        and (source := context.get_parameter_source(parameter.name))
        and source.name == "COMMANDLINE"
    }


def _named(parameter: Any) -> str:
    """Return a parameter as it is typed on the command line."""
    is_argument = parameter.param_type_name == "argument"
    return _word(parameter) if is_argument else str(parameter.opts[0])


def colours(stream: TextIO | None) -> bool:
    """Tell whether *stream* takes colours: by NO_COLOR, FORCE_COLOR and terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return (
        stream is not None
        and stream.isatty()
        and os.environ.get("TERM") not in ("dumb", "unknown")
    )


def help_of(command: Any, context: Any) -> str:
    """Return the help of *command* for the width of the terminal."""
    width = max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns))
    context.color = colours(sys.stdout)
    page = context.formatter_class(width=width)
    usage = " ".join(["Usage:", context.command_path, *_usage(command)])
    page.write(textwrap.fill(usage, width, subsequent_indent="  ") + "\n")
    for paragraph in (command.help or "").split("\n\n"):
        page.write_paragraph()
        page.write_text(" ".join(paragraph.split()))
    for title, rows in _panels(command, context).items():
        page.write_paragraph()
        page.write(typer.style(title, bold=True) if context.color else title)
        page.write_paragraph()
        with page.indentation():
            page.write_dl(rows, col_max=_STACKED_LABEL if width < _STACKED else _LABEL)
    return str(page.getvalue().rstrip("\n"))


def _usage(command: Any) -> Iterator[str]:
    """Yield the words after the name of *command*."""
    yield "[OPTIONS]"
    for param in command.params:
        if param.param_type_name == "argument":
            word = _word(param) + (
                "…" if param.nargs == -1 and not param.metavar else ""
            )
            yield word if param.required else f"[{word}]"
    if isinstance(command, TyperGroup):
        yield "COMMAND …"


def _word(argument: Any) -> str:
    """Return what stands for an argument."""
    word = str(argument.metavar or argument.name.upper())
    return word[1:-1] if word.startswith("[") and word.endswith("]") else word


def _panels(command: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    """Return by their titles what options and commands there are."""
    panels: dict[str, list[tuple[str, str]]] = {}
    parameters = [
        parameter for parameter in command.get_params(context) if not parameter.hidden
    ]
    for parameter in sorted(
        parameters, key=lambda parameter: parameter.param_type_name
    ):
        argument = parameter.param_type_name == "argument"
        usual = "Arguments" if argument else "Options"
        if parameter.name == "help":
            continue
        title = getattr(parameter, "rich_help_panel", None) or usual
        row = (_label(parameter), _explained(parameter))
        panels.setdefault(title, []).append(row)
    if isinstance(command, TyperGroup):
        for name in command.list_commands(context):
            below: Any = command.get_command(context, name)
            if below is None or below.hidden:
                continue
            title = getattr(below, "rich_help_panel", None) or "Commands"
            sentence = " ".join((below.help or "").split("\n\n")[0].split())
            panels.setdefault(title, []).append((name, sentence))
    rest = panels.get("Options", [])
    if len(rest) == 1 and len(panels) > 1 + (
        "Arguments" in panels
    ):  # --db, which needs no title for itself
        panels = {title: rows for title, rows in panels.items() if title != "Options"}
        panels[list(panels)[-1]] += rest
    return panels


def _label(parameter: Any) -> str:
    """Return how *parameter* is typed."""
    if parameter.param_type_name == "argument":
        return _word(parameter)
    if parameter.secondary_opts:
        yes, no = parameter.opts[0], parameter.secondary_opts[0]
        stem = yes.removeprefix("--")
        return f"--[no-]{stem}" if no == f"--no-{stem}" else f"{yes}, {no}"
    names = ", ".join(sorted(parameter.opts, key=len))
    if parameter.is_flag:
        return names
    return f"{names} {parameter.metavar or _KINDS.get(parameter.type.name, 'TEXT')}"


_KINDS = {"int range": "N", "integer": "N", "float range": "N", "path": "PATH"}


def _explained(parameter: Any) -> str:
    """Return what *parameter* does, with the values it takes and its default."""
    text = (getattr(parameter, "help", None) or "").strip()
    choices = getattr(parameter.type, "choices", None)
    notes = []
    if choices and not parameter.metavar:
        notes.append(", ".join(map(str, choices)))
    if isinstance(getattr(parameter, "show_default", None), str):
        notes.append(f"default: {parameter.show_default}")
    elif (
        parameter.show_default
        and isinstance(parameter.default, str | int)
        and not parameter.is_flag
    ):
        notes.append(
            f"default: {getattr(parameter.default, 'value', parameter.default)}"
        )
    if not notes:
        return text
    return f"{text.rstrip('.')} ({'; '.join(notes)})"
