"""``benchdb config``: the settings that are in effect, and changes of one's own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from benchdb.cli.console import AsJson, aligned, argument, flag, plain, print_list
from benchdb.cli.defaults import converted, option_for, shown, value_of
from benchdb.errors import UsageError
from benchdb.files import replacing
from benchdb.settings import (
    COLLECTORS,
    Setting,
    collector_folders,
    own_file,
    read,
    settled,
)

app = typer.Typer(add_completion=False)


@app.command()
def config(
    key: str | None = argument(
        "lang, or collect.tier for an option of collect.",
        show_default=False,
        default=None,
    ),
    values: list[str] | None = argument("What to set it to.", "[VALUE…]", default=None),
    unset: bool = flag("Take KEY out of your own file.", "--unset"),
    as_json: AsJson = False,
) -> None:
    """Show or change the settings in benchdb.toml.

    Without KEY it lists what is in effect, and from which file. A value is written to
    your own file; one in a project's benchdb.toml wins over it, and an option on the
    command line over both.
    """
    if (unset and (key is None or values)) or (values and as_json):
        raise UsageError("say KEY VALUE, or --unset KEY, or nothing for a list")
    if unset and key is not None:
        _write(key, None)
        return
    if key is not None and values:
        _write(key, _parsed(key, values))
        return
    settings = [setting for setting in settled().values() if key in (None, setting.key)]
    for setting in settings:
        _check(setting)
    if key is not None and not settings:
        if key != COLLECTORS:
            option_for(Setting(key, None, own_file(), 0), _commands())
        raise UsageError(f"{key} is not set; set it with: benchdb config {key} VALUE")
    if as_json:
        rows = [_row(item) for item in settings]
        print_list(rows, str, as_json=True)
    elif settings:
        for line in aligned(
            [(item.key, shown(item.value), item.place) for item in settings]
        ):
            typer.echo(line)
    else:
        typer.echo(plain(f"nothing is set; your own file would be {own_file()}"))


def _row(setting: Setting) -> dict[str, Any]:
    return {
        "key": setting.key,
        "value": setting.value,
        "file": str(setting.file),
        "line": setting.line,
    }


def _commands() -> Mapping[str, str]:
    from benchdb.cli import COMMANDS  # noqa: PLC0415 - which imports us

    return COMMANDS


def _check(setting: Setting) -> None:
    """Raise ``UsageError`` where no command takes *setting*."""
    if setting.key == COLLECTORS:
        collector_folders()
    else:
        value_of(setting, option_for(setting, _commands()))


def _parsed(key: str, texts: list[str]) -> Any:
    """Return what *texts* on the command line are as a value of *key*."""
    if key == COLLECTORS:
        return [str(Path(text).absolute()) for text in texts]
    setting = Setting(key, None, own_file(), 0)
    option = option_for(setting, _commands())
    if len(texts) > 1 and not option.multiple:
        raise UsageError(f"{key} takes one value, not {len(texts)}")
    result = [converted(text, option, setting) for text in texts]
    simple = [
        number if isinstance(number, bool | int | float) else str(number)
        for number in result
    ]
    return simple if option.multiple and len(simple) > 1 else simple[0]


def _write(key: str, value: Any) -> None:
    """Set *key* in the user's own file, or take it out where *value* is None."""
    import tomlkit  # noqa: PLC0415 - only changes need it

    path = own_file()
    if path.exists():
        read(path)  # what is wrong with it is said with the place
    document: Any = tomlkit.parse(path.read_text("utf-8")) if path.exists() else {}
    document = document or tomlkit.document()
    *sections, name = key.split(".")
    place = document
    for section in sections:
        if value is None and section not in place:
            break
        place = place.setdefault(section, tomlkit.table())
    if value is None:
        if name not in place:
            raise UsageError(f"{key} is not set in {path}")
        del place[name]
    else:
        place[name] = value
    with replacing(path) as stream:
        stream.write(tomlkit.dumps(document).encode())
    winner = settled().get(key)
    if winner is not None and winner.file != path:
        typer.echo(plain(f"benchdb: here {winner.place} wins over it"), err=True)
