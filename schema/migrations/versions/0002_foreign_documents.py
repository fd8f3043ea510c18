"""Foreign documents: who read them, what was refused, what is doubtful or doubled."""

import hashlib

import rfc8785
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_DIGEST = sa.String(length=64)


def upgrade() -> None:
    _widen()
    _imported_files()
    _add_tables()


def _widen() -> None:
    # Added in place: to make a table anew, SQLite would have to drop it under its keys.
    op.add_column("source", sa.Column("importer", sa.Text(), nullable=True))
    op.add_column("source", sa.Column("importer_version", sa.Text(), nullable=True))
    op.add_column("source", sa.Column("reading", _DIGEST, nullable=True))
    empty = sa.Column("supersedes", sa.Text(), nullable=False, server_default="[]")
    op.add_column("source", empty)
    op.create_index(op.f("ix_source_document_sha256"), "source", ["document_sha256"])
    op.add_column("value", sa.Column("uncertainty", sa.Double(), nullable=True))


def _imported_files() -> None:
    """Make the table anew: the same file may be read by another importer, or map."""
    connection = op.get_bind()
    before = connection.execute(sa.text("SELECT * FROM imported_file")).mappings().all()
    op.drop_table("imported_file")
    made = op.create_table(
        "imported_file",
        sa.Column("digest", _DIGEST, nullable=False),
        sa.Column("sha256", _DIGEST, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("importer", sa.Text(), nullable=False),
        sa.Column("importer_version", sa.Text(), nullable=False),
        sa.Column("map_sha256", _DIGEST, nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_imported_file")),
    )
    op.create_index(op.f("ix_imported_file_sha256"), "imported_file", ["sha256"])
    rows = [
        {
            **row,
            "digest": _digest([row["sha256"], "benchdb", "1", None]),
            "name": "",
            "importer": "benchdb",
            "importer_version": "1",
        }
        for row in before
    ]
    if rows:
        op.bulk_insert(made, rows)


def _digest(content: object) -> str:
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()


def _add_tables() -> None:
    op.create_table(
        "document",
        sa.Column("sha256", _DIGEST, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_document")),
    )
    op.create_table(
        "quarantine",
        sa.Column("digest", _DIGEST, nullable=False),
        sa.Column("file", _DIGEST, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("importer", sa.Text(), nullable=False),
        sa.Column("map_sha256", _DIGEST, nullable=True),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("locator", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_quarantine")),
    )
    op.create_index(op.f("ix_quarantine_file"), "quarantine", ["file"])
    op.create_table(
        "finding",
        sa.Column("run", _DIGEST, nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["run.digest"], name=op.f("fk_finding_run")),
        sa.PrimaryKeyConstraint("run", "code", "metric", name=op.f("pk_finding")),
    )
    op.create_table(
        "fingerprint",
        sa.Column("run", _DIGEST, nullable=False),
        sa.Column("figures", _DIGEST, nullable=False),
        sa.Column("digits", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run"], ["run.digest"], name=op.f("fk_fingerprint_run")
        ),
        sa.PrimaryKeyConstraint("run", name=op.f("pk_fingerprint")),
    )
    op.create_index(op.f("ix_fingerprint_figures"), "fingerprint", ["figures"])
    op.create_table(
        "machine_link",
        sa.Column("machine", _DIGEST, nullable=False),
        sa.Column("same_as", _DIGEST, nullable=False),
        sa.ForeignKeyConstraint(
            ["machine"], ["machine.digest"], name=op.f("fk_machine_link_machine")
        ),
        sa.ForeignKeyConstraint(
            ["same_as"], ["machine.digest"], name=op.f("fk_machine_link_same_as")
        ),
        sa.PrimaryKeyConstraint("machine", name=op.f("pk_machine_link")),
    )
    op.create_index(op.f("ix_machine_link_same_as"), "machine_link", ["same_as"])
