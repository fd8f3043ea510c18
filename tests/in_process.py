"""Run the command line in this process: quick, where another adds nothing."""

from typer.testing import CliRunner

from benchdb.cli import app
from tests.command_line import Outcome


def benchdb(*arguments: object) -> Outcome:
    done = CliRunner().invoke(app, list(map(str, arguments)), prog_name="benchdb")
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return Outcome(done.exit_code, done.stdout, done.stderr)
