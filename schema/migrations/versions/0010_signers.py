"""Whose keys are known, and which bundles and runs they signed."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "signer",
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("added", sa.Text(), nullable=False),
        sa.Column("until", sa.Text()),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.Column("mine", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name=op.f("pk_signer")),
    )
    op.create_table(
        "signature",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("file_sha256", sa.String(length=64), nullable=False),
        sa.Column("imported", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_signature")),
    )
    op.create_index(op.f("ix_signature_fingerprint"), "signature", ["fingerprint"])
    op.create_table(
        "signed_run",
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("signature", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["run"], ["run.digest"], name=op.f("fk_signed_run_run")
        ),
        sa.ForeignKeyConstraint(
            ["signature"], ["signature.digest"], name=op.f("fk_signed_run_signature")
        ),
        sa.PrimaryKeyConstraint("run", "signature", name=op.f("pk_signed_run")),
    )
    op.create_index(op.f("ix_signed_run_signature"), "signed_run", ["signature"])
