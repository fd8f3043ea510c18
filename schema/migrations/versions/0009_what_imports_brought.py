"""What each import brought, so that the last one can be taken back.

Work with language models bears the names of the catalogue from here on. They are part
of what identifies a run, so that runs are read, renamed and written anew, which needs
the tables of today: ``benchdb.store.renaming`` does it once all revisions are there.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "import_part",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("import", sa.String(length=32), nullable=False),
        sa.Column("began", sa.Text(), nullable=False),
        sa.Column("file", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("added", sa.LargeBinary(), nullable=False),
        sa.Column("known", sa.LargeBinary(), nullable=False),
        sa.Column("others", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_import_part")),
    )
    for column in ("import", "file"):
        op.create_index(op.f(f"ix_import_part_{column}"), "import_part", [column])
