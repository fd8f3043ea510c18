"""The command line: one file per command; only this package prints."""

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from benchdb import __version__
from benchdb.cli.console import plain, run
from benchdb.errors import BenchdbError, UsageError, suggestion

# A command's module is imported when it runs, so that --help and shell completion
# do not pay for the database, and small commands not for the reports.
COMMANDS = {
    "collect": "Run the standard workloads on this machine and store every sample.",
    "reproduce": "Measure a run again as it was measured, and say whether its figure "
    "holds.",
    "recipe": "Tell how a run is measured again on somebody else's machine.",
    "plan": "Write a campaign as items that a scheduler runs elsewhere.",
    "import": "Merge results that others shared or published.",
    "quarantine": "See and retry what was refused at import.",
    "machines": "See which machines are the same; merge and split them.",
    "sources": "See whose results these are; decide which are out of date.",
    "retract": "Withdraw a run of yours, without deleting it.",
    "forget": "Delete a run, machine or source, and keep it away.",
    "export": "Write results as an exchange file, as a signed bundle, or as Parquet.",
    "verify": "Tell whether a file is as it was made, and who signed it.",
    "trust": "Say whose key it is that signs bundles; list known keys.",
    "report": "Write a short report, a whole site, or the page of a run.",
    "serve": "Show the site of a database at an address of this machine.",
    "history": "Show the campaigns of a workload over time, and where they changed.",
    "compare": "Compare results: which is faster, by how much, and is that sure.",
    "campaigns": "List campaigns, newest first.",
    "list": "List the figures of cells and sessions, newest first.",
    "show": "Show one run, down to its place in the source.",
    "query": "Ask in SQL: results, figures, doubts, machine_details, samples.",
    "datasette": "Write the metadata by which Datasette shows a database in a browser.",
    "machine": "Show what would be shared about this machine.",
    "workloads": "Explain the workloads and suites.",
    "db": "See the schema, upgrade, check and copy a database; roles, query plans.",
    "init-repo": "Begin a collection of results as a git repository, or join one.",
    "check-repo": "Check a collection, or what a pull request proposes to it.",
    "build-repo": "Build the site, database and metadata of a collection from its "
    "bundles alone.",
    "verify-corpus": "Compare published figures with documents fetched again.",
    "config": "Show or change the settings in benchdb.toml.",
    "doctor": "Say what this machine can measure, and what to install.",
}
_MODULES = {
    "build-repo": "build_repository",
    "campaigns": "list_campaigns",
    "check-repo": "check_repository",
    "import": "import_files",
    "history": "show_history",
    "init-repo": "init_repository",
    "list": "list_runs",
    "machines": "list_machines",
    "plan": "write_plan",
    "query": "run_query",
    "sources": "list_sources",
    "verify-corpus": "verify_corpus",
    "workloads": "explain_workloads",
}


def module_of(name: str | None) -> str:
    """Return which module is imported where the command *name* runs."""
    return f"benchdb.cli.{_MODULES.get(name or '', name)}"


class _Deferred(TyperCommand):
    """A command known by name and help, loaded when it is used."""

    def make_context(self, info_name: Any, args: Any, *rest: Any, **more: Any) -> Any:
        command = typer.main.get_command(import_module(module_of(self.name)).app)
        _refuse_contradictions(command, args)
        # Help and completion come, whatever a file of settings says.
        helping = {"-h", "--help"} & set(args) or more.get("resilient_parsing")
        if not helping and self.name != "config":
            from benchdb.cli.defaults import defaults_of  # noqa: PLC0415

            more["default_map"] = defaults_of(str(self.name), command, COMMANDS)
        return command.make_context(info_name, args, *rest, **more)


def _refuse_contradictions(command: Any, arguments: Sequence[str]) -> None:
    """Raise ``UsageError`` for an option beside its opposite: the last would win."""
    given = set(arguments)
    for parameter in command.params:
        yes, no = given & {*parameter.opts}, given & {*parameter.secondary_opts}
        if yes and no:
            raise UsageError(
                f"{yes.pop()} and {no.pop()} contradict each other; leave out one"
            )


class _Commands(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        return _Deferred(cmd_name, help=COMMANDS[cmd_name], callback=lambda: None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that *args* begin with; suggest one for what is none."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            raise UsageError(f"no command {name!r}{suggestion(name, COMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Turn what the user can act on into one line and the exit status."""
        try:
            return super().invoke(ctx)
        except BenchdbError as error:
            typer.echo(plain(f"benchdb: {error}"), err=True)
            raise typer.Exit(error.exit_status) from error
        except KeyboardInterrupt:
            typer.echo("benchdb: interrupted", err=True)
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"benchdb {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def benchdb(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Show the version.",
        ),
    ] = False,
) -> None:
    """Benchmark machine learning on Macs and GPUs, share results, compare machines."""


def main() -> None:
    """Run the command line."""
    # What a command makes lives to its end, and next to nothing is garbage: Python's
    # looking for it every 700 objects takes a tenth of a report's time.
    gc.set_threshold(200_000, 20, 20)
    if hasattr(sys.stdout, "reconfigure"):
        # Results hold names in every script; a C locale must not make them fail.
        sys.stdout.reconfigure(errors="replace")
    run(app)
