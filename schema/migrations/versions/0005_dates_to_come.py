"""Dates that were yet to come at the import, and a way to copies of one process."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


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
