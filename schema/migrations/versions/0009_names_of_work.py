"""Work with language models bears the names of the catalogue.

The tables stay as they are. The name of work is part of what identifies a run, so that
runs are read, renamed and written anew, which needs the tables of today:
``benchdb.store.renaming`` does it once all revisions are there.
"""

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Change no table."""
