"""The option of commands that print JSON as well: some of them need no database."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
