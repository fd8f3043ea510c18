"""The newest runs keep their long digest once, not in an index as well."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

_DIGEST = sa.String(length=64)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":  # where no table is its own index
        return
    op.rename_table("newest", "newest_before")
    op.create_table(
        "newest",
        sa.Column("run", _DIGEST, nullable=False),
        sa.Column("machine", _DIGEST, nullable=False),
        sa.Column("cell", sa.String(length=16), nullable=False),
        sa.Column("started", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["run"], ["run.digest"], name=op.f("fk_newest_run")),
        sa.PrimaryKeyConstraint("run", name=op.f("pk_newest")),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO newest SELECT * FROM newest_before ORDER BY run")
    op.drop_table("newest_before")
