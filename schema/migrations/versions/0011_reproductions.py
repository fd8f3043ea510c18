"""Which run another one was started to reproduce."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("run", sa.Column("reproduces", sa.String(length=64), nullable=True))
    op.create_index(
        op.f("ix_run_reproduces"),
        "run",
        ["reproduces"],
        sqlite_where=sa.text("reproduces IS NOT NULL"),
        postgresql_where=sa.text("reproduces IS NOT NULL"),
    )
