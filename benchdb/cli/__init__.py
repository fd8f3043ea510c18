"""The command line: one file per command; only this package prints."""

import gc
import sys
from typing import Any

import typer
from typer.core import TyperCommand

from benchdb import __version__
from benchdb.cli import waiting_line
from benchdb.cli.application import Group, loaded, one_line
from benchdb.cli.console import flag, run
from benchdb.errors import UsageError, suggestion

# A command's module is imported when it runs, so that --help and shell completion
# do not pay for the database, and small commands not for the reports.
GROUPS = {
    "Most used": {
        "collect": "Measure this machine, and store every sample.",
        "report": "Write a short report, a whole site, or the page of a run.",
        "compare": "Compare results: which is faster, by how much, and is that sure.",
        "list": "List results, newest first.",
        "import": "Take in results that others shared or published.",
        "export": "Write results for others: a file, a signed bundle, or Parquet.",
        "doctor": "Say what this machine can measure, and what to install.",
    },
    "Measure": {
        "reproduce": "Measure a run again, and say whether its figure holds.",
        "recipe": "Tell how somebody else measures a run again.",
        "plan": "Write a campaign as items that a scheduler runs elsewhere.",
        "check-collector": "Try a collector against the protocol, point by point.",
        "workloads": "Explain what can be measured: workloads and suites.",
    },
    "Compare and read": {
        "show": "Show one run: its figure, how sure it is, where it comes from.",
        "history": "Show a workload over time, and where it became faster or slower.",
        "query": "Ask in SQL.",
        "serve": "Show the results as a site in your browser.",
    },
    "Share": {
        "verify": "Tell whether a file is as it was made, and who signed it.",
        "trust": "Say whose key it is that signs bundles; list known keys.",
        "retract": "Withdraw a run of yours, without deleting it.",
        "init-repo": "Begin a collection of results as a git repository, or join one.",
        "check-repo": "Check a collection, or what a pull request proposes to it.",
        "validate": "Tell whether files are in the exchange format, line by line.",
        "build-repo": "Build the site and database of a collection from its bundles.",
    },
    "Look after": {
        "config": "Show or change the settings in benchdb.toml.",
        "db": "Check, upgrade, copy and share a database.",
        "sources": "See whose results these are; decide which are out of date.",
        "machines": "See which machines are the same; merge and split them.",
        "quarantine": "See and retry what was refused at import.",
        "forget": "Delete a run, machine or source, and keep it away.",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
# What was a command of its own, and what is typed instead.
_FORMER = {
    "campaigns": "list --campaigns",
    "datasette": "db datasette",
    "machine": "machines here",
    "verify-corpus": "verify --corpus DIR",
}
_COMPLETION = {
    "install_completion": "Let your shell complete commands and names.",
    "show_completion": "Print what would be installed for that.",
}
_MODULES = {
    "build-repo": "build_repository",
    "check-repo": "check_repository",
    "import": "import_files",
    "check-collector": "check_collector",
    "history": "show_history",
    "init-repo": "init_repository",
    "list": "list_runs",
    "machines": "list_machines",
    "plan": "write_plan",
    "query": "run_query",
    "sources": "list_sources",
    "workloads": "explain_workloads",
}


def module_of(name: str | None) -> str:
    """Return which module is imported where the command *name* runs."""
    return f"benchdb.cli.{_MODULES.get(name or '', name)}"


class _Deferred(TyperCommand):
    """A command known by name and help, loaded when it is used."""

    def make_context(self, info_name: Any, args: Any, *rest: Any, **more: Any) -> Any:
        completing = more.get("resilient_parsing")
        command = loaded(module_of(self.name))
        # Help and completion come, whatever a file of settings says.
        helping = {"-h", "--help"} & set(args) or completing
        if not helping and self.name != "config":
            from benchdb.cli.defaults import defaults_of  # noqa: PLC0415

            more["default_map"] = defaults_of(str(self.name), command, COMMANDS)
        return command.make_context(info_name, args, *rest, **more)


class _Commands(Group):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for title, group in GROUPS.items():
            if cmd_name in group:
                return _Deferred(
                    cmd_name,
                    help=group[cmd_name],
                    callback=lambda: None,
                    rich_help_panel=title,
                )
        return None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that *args* begin with; suggest one for what is none."""
        name = args[0]
        if name in _FORMER:
            raise UsageError(f"{name!r} is 'benchdb {_FORMER[name]}' now")
        if name not in COMMANDS and not name.startswith("-"):
            raise UsageError(f"no command {name!r}{suggestion(name, COMMANDS)}")
        return super().resolve_command(ctx, args)

    def get_params(self, ctx: Any) -> Any:
        """Return the options, those of completion in a line each."""
        parameters = super().get_params(ctx)
        for parameter in parameters:
            parameter.help = _COMPLETION.get(str(parameter.name), parameter.help)  # type: ignore[attr-defined]
        return parameters

    def make_context(self, *given: Any, **more: Any) -> Any:
        """Say in a line what is wrong with what comes before the command."""
        with one_line():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        """Turn what the user can act on into one line and the exit status."""
        with one_line():
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"benchdb {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def benchdb(
    version: bool = flag(
        "Show the version.", "--version", callback=_print_version, is_eager=True
    ),
) -> None:
    """Benchmark machine learning on Macs and GPUs, share results, compare machines."""


def main() -> None:
    """Run the command line."""
    waiting_line.begin()
    # What a command makes lives to its end, and next to nothing is garbage: Python's
    # looking for it every 700 objects takes a tenth of a report's time.
    gc.set_threshold(200_000, 20, 20)
    if hasattr(sys.stdout, "reconfigure"):
        # Results hold names in every script; a C locale must not make them fail.
        sys.stdout.reconfigure(errors="replace")
    run(app)
