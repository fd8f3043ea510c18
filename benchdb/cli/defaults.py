"""What ``benchdb.toml`` has for the options of a command, held against them.

A key is a long option without its dashes: ``db``, ``lang`` and ``python`` on top for
every command that has it, all others below the command they belong to.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import typer

from benchdb.cli.application import loaded
from benchdb.errors import UsageError, suggestion
from benchdb.settings import COLLECTORS, Setting, from_file, settled

# Keys on top, each with a command that has the option.
SHARED = {"db": "list", "lang": "report", "python": "collect"}
_TOP = (*SHARED, COLLECTORS)
# A switch that says what to do, not how, would do it each time.
_SWITCHES = (
    *("all", "blocks_only", "isolated", "as_json", "powermetrics", "runs", "strict"),
    *("require_signature", "unsigned"),
)
_PATHS = ("db", "data", "python")
_LETTERS = 60
_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def defaults_of(name: str, command: Any, commands: Mapping[str, str]) -> dict[str, Any]:
    """Return what is settled for *command*, as a context of Click takes it.

    Raise ``UsageError`` for what there is no option or no such value for; of other
    commands only the names are looked at.
    """
    values = settled()
    for setting in values.values():
        section, _, rest = setting.key.partition(".")
        if rest:
            _refuse_unknown(setting, section, commands)
        elif section not in _TOP:
            option_for(setting, commands)
    shared = [values[key] for key in SHARED if key in values]
    below: Mapping[str, Any] = getattr(command, "commands", {})
    if below:
        return {word: _taken(shared, each) for word, each in below.items()}
    own = [result for key, result in values.items() if key.startswith(f"{name}.")]
    for item in own:
        _option(item, name, command)
    return _taken([*shared, *own], command)


def option_for(setting: Setting, commands: Mapping[str, str]) -> Any:
    """Return the option that *setting* is of; raise ``UsageError`` where none is."""
    section, _, rest = setting.key.partition(".")
    if rest:
        _refuse_unknown(setting, section, commands)
        return _option(setting, section, _loaded(section))
    if section not in SHARED:
        raise UsageError(f"{setting.before}no setting {section!r}{_top_hint(section)}")
    return options(_loaded(SHARED[section]))[section]


def options(command: Any) -> dict[str, Any]:
    """Return the options of *command* that can be settled, by their long names."""
    return {
        long.removeprefix("--"): option
        for option in command.params
        if option.param_type_name == "option"
        and (not option.is_flag or option.secondary_opts or option.name in _SWITCHES)
        for long in option.opts
        if long.startswith("--")
    }


def value_of(setting: Setting, option: Any) -> Any:
    """Return the value of *setting* as the command takes it; raise ``UsageError``."""
    kind, given = _kind(option), setting.value
    every = given if option.multiple and isinstance(given, list) else [given]
    for value in every:
        # A whole number is a number, but true is none.
        fits = isinstance(value, (int, float) if kind is float else kind)
        if not fits or (isinstance(value, bool) and kind is not bool):
            or_more = ", or a list of it" if option.multiple else ""
            what = f"{setting.name} is {_NAMES[kind]}{or_more}"
            raise UsageError(f"{setting.before}{what}, not {shown(value)}")
    if option.name in _PATHS and "://" not in str(given):
        every = [str(from_file(setting, value)) for value in every]
    converted_values = [converted(value, option, setting) for value in every]
    return converted_values if option.multiple else converted_values[0]


def shown(value: Any) -> str:
    """Return *value* much as TOML has it, in so many letters as a message takes."""
    return json.dumps(value, ensure_ascii=False, default=str)[:_LETTERS]


def converted(value: Any, option: Any, setting: Setting) -> Any:
    """Return *value* as *option* converts it; raise ``UsageError``."""
    try:
        return option.type.convert(value, option, None)
    except typer.BadParameter as error:
        why = re.sub(r"^Invalid value[^:]*: ", "", error.format_message()).rstrip(".")
        what = f"{setting.before}{setting.name}: {why}"
        if not isinstance(value, _kind(option)) and "is not in" not in why:
            what = f"{setting.name} is {_NAMES[_kind(option)]}, not {shown(value)}"
        raise UsageError(what) from error


def _taken(settings: list[Setting], command: Any) -> dict[str, Any]:
    """Return the values of those *settings* that *command* has an option for."""
    there = options(command)
    some = [
        (there[setting.name], setting) for setting in settings if setting.name in there
    ]
    return {option.name: value_of(setting, option) for option, setting in some}


def _refuse_unknown(
    setting: Setting, section: str, commands: Mapping[str, str]
) -> None:
    if section not in commands:
        hint = suggestion(section, commands)
        raise UsageError(f"{setting.before}no command {section!r}{hint}")


def _option(setting: Setting, name: str, command: Any) -> Any:
    key = setting.key.partition(".")[2]
    there = {} if hasattr(command, "commands") else options(command)
    if key not in there:
        hint = suggestion(key, there)
        raise UsageError(f"{setting.before}{name} has no setting {key!r}{hint}")
    return there[key]


def _loaded(name: str) -> Any:
    from benchdb.cli import module_of  # noqa: PLC0415 - which imports us

    return loaded(module_of(name))


def _kind(option: Any) -> type:
    if option.is_flag:
        return bool
    if "int" in option.type.name:
        return int
    return float if "float" in option.type.name else str


def _top_hint(key: str) -> str:
    """Return what to try for an unknown *key* on top: one of those, or its place."""
    for name in ("collect", "report", "list"):
        if key in options(_loaded(name)):
            return f" on top; it belongs below [{name}]: {name}.{key}"
    return suggestion(key, _TOP)
