"""Who brought a source, what its owner decided about it, and what was forgotten."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_DIGEST = sa.String(length=64)


def upgrade() -> None:
    _source_file()
    op.create_table(
        "supersession",
        sa.Column("outdated", _DIGEST, nullable=False),
        sa.Column("newer", _DIGEST, nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["outdated"], ["source.digest"], name=op.f("fk_supersession_outdated")
        ),
        sa.ForeignKeyConstraint(
            ["newer"], ["source.digest"], name=op.f("fk_supersession_newer")
        ),
        sa.PrimaryKeyConstraint("outdated", "newer", name=op.f("pk_supersession")),
    )
    op.create_index(op.f("ix_supersession_newer"), "supersession", ["newer"])
    op.create_table(
        "forgotten",
        sa.Column("digest", _DIGEST, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("act", _DIGEST, nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("undone", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_forgotten")),
    )
    op.create_index(op.f("ix_forgotten_act"), "forgotten", ["act"])


def _source_file() -> None:
    op.create_table(
        "source_file",
        sa.Column("source", _DIGEST, nullable=False),
        sa.Column("file", _DIGEST, nullable=False),
        sa.Column("importer", sa.Text(), nullable=False),
        sa.Column("importer_version", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source"], ["source.digest"], name=op.f("fk_source_file_source")
        ),
        sa.PrimaryKeyConstraint(
            "source",
            "file",
            "importer",
            "importer_version",
            name=op.f("pk_source_file"),
        ),
    )
    op.create_index(op.f("ix_source_file_file"), "source_file", ["file"])
    # A document that was read here by this version, or by a map with it. Which exchange
    # file brought the other sources was not kept.
    op.execute(
        "INSERT INTO source_file (source, file, importer, importer_version) "
        "SELECT DISTINCT s.digest, f.sha256, f.importer, s.importer_version "
        "FROM source s JOIN imported_file f "
        "ON f.sha256 = s.document_sha256 AND f.importer = s.importer "
        "WHERE s.importer_version = f.importer_version "
        "OR s.importer_version LIKE '% (benchdb ' || f.importer_version || ')'"
    )
