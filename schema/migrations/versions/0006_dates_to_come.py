"""Dates that were yet to come at the import, and a way to copies of one process."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_DATES = (("run", "started"), ("source", "published"), ("source", "retrieved"))


def upgrade() -> None:
    op.create_table(
        "future_date",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("imported", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_future_date")),
    )
    op.drop_index(op.f("ix_run_place"), "run")
    op.create_index(
        op.f("ix_run_place"), "run", ["machine", "workload", "campaign", "started"]
    )
    _note_what_is_still_to_come()


def _note_what_is_still_to_come() -> None:
    """Note dates after tomorrow: they were to come at any import before today."""
    bind = op.get_bind()
    # Some orders of PostgreSQL's pass over hyphens.
    order = ' COLLATE "C"' if bind.dialect.name == "postgresql" else ""
    today = datetime.now(UTC).date()
    days = {"today": today.isoformat(), "after": (today + timedelta(2)).isoformat()}
    for table, date in _DATES:
        bind.execute(
            sa.text(
                f"INSERT INTO future_date (digest, imported) "  # noqa: S608 - our names
                f"SELECT digest, :today FROM {table} "
                f"WHERE {date}{order} >= :after AND {date}{order} < ':' "
                f"AND digest NOT IN (SELECT digest FROM future_date)"
            ),
            days,
        )
