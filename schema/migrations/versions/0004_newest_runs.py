"""The newest runs and the parts of a digest: what reports would read all runs for."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "newest",
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("machine", sa.String(length=64), nullable=False),
        sa.Column("cell", sa.String(length=16), nullable=False),
        sa.Column("started", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["run"], ["run.digest"], name=op.f("fk_newest_run")),
        sa.PrimaryKeyConstraint("run", name=op.f("pk_newest")),
    )
    op.create_table(
        "part",
        sa.Column("prefix", sa.String(length=3), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("prefix", name=op.f("pk_part")),
    )
    # Nothing asks for all values of a metric, and every value was in it.
    op.drop_index(op.f("ix_value_metric"), "value")
    if op.get_bind().dialect.name == "sqlite":
        _keep_keys_once("value")
    op.drop_index(op.f("ix_run_machine"), "run")
    op.create_index(op.f("ix_run_place"), "run", ["machine", "workload", "campaign"])


def _keep_keys_once(table: str) -> None:
    """Keep the rows of *table* in its key, which is most of what they are."""
    with op.batch_alter_table(
        table, recreate="always", table_kwargs={"sqlite_with_rowid": False}
    ):
        pass
