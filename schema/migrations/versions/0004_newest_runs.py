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
        _keep_keys_of_values_once()
    op.drop_index(op.f("ix_run_machine"), "run")
    op.create_index(op.f("ix_run_place"), "run", ["machine", "workload", "campaign"])


def _keep_keys_of_values_once() -> None:
    """Keep the rows of values in their key, which is most of what they are."""
    op.create_table(
        "value_in_key",
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("printed", sa.Text(), nullable=True),
        sa.Column("locator", sa.Text(), nullable=True),
        sa.Column("derived", sa.Text(), nullable=True),
        sa.Column("uncertainty", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["metric"], ["metric.name"], name=op.f("fk_value_metric")
        ),
        sa.ForeignKeyConstraint(["run"], ["run.digest"], name=op.f("fk_value_run")),
        sa.PrimaryKeyConstraint("run", "metric", name=op.f("pk_value")),
        sqlite_with_rowid=False,
    )
    names = "run, metric, value, reason, printed, locator, derived, uncertainty"
    op.execute(
        f"INSERT INTO value_in_key ({names}) "  # noqa: S608 - our own names
        f"SELECT {names} FROM value ORDER BY run, metric"
    )
    op.drop_table("value")
    op.rename_table("value_in_key", "value")
