"""Which benchdb brought a database to which schema: the one to install is told."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "made_by",
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("benchdb", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("revision", name=op.f("pk_made_by")),
    )
