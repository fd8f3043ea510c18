"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "chip",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("vendor", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("cpu_cores", sa.Integer(), nullable=True),
        sa.Column("gpu_cores", sa.Integer(), nullable=True),
        sa.Column("ram_bytes", sa.BigInteger(), nullable=True),
        sa.Column("memory_bandwidth_bytes_per_second", sa.Double(), nullable=True),
        sa.Column("cpu_levels", sa.Text(), nullable=False),
        sa.Column("accelerators", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_chip")),
    )
    op.create_table(
        "environment",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("os_name", sa.Text(), nullable=True),
        sa.Column("os_version", sa.Text(), nullable=True),
        sa.Column("os_build", sa.Text(), nullable=True),
        sa.Column("kernel", sa.Text(), nullable=True),
        sa.Column("architecture", sa.Text(), nullable=True),
        sa.Column("rosetta", sa.Boolean(), nullable=True),
        sa.Column("python", sa.Text(), nullable=True),
        sa.Column("framework", sa.Text(), nullable=True),
        sa.Column("framework_version", sa.Text(), nullable=True),
        sa.Column("packages", sa.Text(), nullable=False),
        sa.Column("devices", sa.Text(), nullable=False),
        sa.Column("math", sa.Text(), nullable=False),
        sa.Column("variables", sa.Text(), nullable=False),
        sa.Column("missing", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_environment")),
    )
    op.create_table(
        "imported_file",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_imported_file")),
    )
    op.create_table(
        "metric",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("direction", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_metric")),
    )
    op.create_table(
        "source",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("authors", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("licence", sa.Text(), nullable=True),
        sa.Column("published", sa.Text(), nullable=True),
        sa.Column("retrieved", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("document", sa.Text(), nullable=True),
        sa.Column("document_sha256", sa.String(length=64), nullable=True),
        sa.Column("protocol", sa.Text(), nullable=False),
        sa.Column("missing", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_source")),
    )
    op.create_index(op.f("ix_source_slug"), "source", ["slug"], unique=False)
    op.create_table(
        "workload",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", "version", name=op.f("pk_workload")),
    )
    op.create_table(
        "claim",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("printed", sa.Text(), nullable=False),
        sa.Column("locator", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("unit", sa.Text(), nullable=True),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("recomputed", sa.Double(), nullable=True),
        sa.Column("flags", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source"], ["source.digest"], name=op.f("fk_claim_source")
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_claim")),
    )
    op.create_index(op.f("ix_claim_source"), "claim", ["source"], unique=False)
    op.create_table(
        "machine",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("chip", sa.String(length=64), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("anonymous_id", sa.Text(), nullable=True),
        sa.Column("virtual", sa.Boolean(), nullable=True),
        sa.Column("missing", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chip"], ["chip.digest"], name=op.f("fk_machine_chip")
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_machine")),
    )
    op.create_index(op.f("ix_machine_chip"), "machine", ["chip"], unique=False)
    op.create_table(
        "run",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("machine", sa.String(length=64), nullable=False),
        sa.Column("environment", sa.String(length=64), nullable=False),
        sa.Column("workload", sa.Text(), nullable=False),
        sa.Column("workload_version", sa.Integer(), nullable=False),
        sa.Column("setting", sa.Text(), nullable=False),
        sa.Column("framework", sa.Text(), nullable=False),
        sa.Column("device", sa.Text(), nullable=False),
        sa.Column("device_name", sa.Text(), nullable=True),
        sa.Column("precision", sa.Text(), nullable=True),
        sa.Column("compiler", sa.Text(), nullable=True),
        sa.Column("batch_size", sa.Integer(), nullable=True),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("tier", sa.Text(), nullable=True),
        sa.Column("campaign", sa.Text(), nullable=True),
        sa.Column("replicate", sa.Integer(), nullable=True),
        sa.Column("replicates", sa.Integer(), nullable=True),
        sa.Column("collector", sa.Text(), nullable=True),
        sa.Column("collector_version", sa.Text(), nullable=True),
        sa.Column("collector_sha256", sa.String(length=64), nullable=True),
        sa.Column("started", sa.Text(), nullable=True),
        sa.Column("ended", sa.Text(), nullable=True),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("source", sa.String(length=64), nullable=True),
        sa.Column("locator", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("conditions_before", sa.Text(), nullable=False),
        sa.Column("conditions_after", sa.Text(), nullable=False),
        sa.Column("checks", sa.Text(), nullable=False),
        sa.Column("basis", sa.Text(), nullable=False),
        sa.Column("missing", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["environment"], ["environment.digest"], name=op.f("fk_run_environment")
        ),
        sa.ForeignKeyConstraint(
            ["machine"], ["machine.digest"], name=op.f("fk_run_machine")
        ),
        sa.ForeignKeyConstraint(
            ["source"], ["source.digest"], name=op.f("fk_run_source")
        ),
        sa.ForeignKeyConstraint(
            ["workload", "workload_version"],
            ["workload.name", "workload.version"],
            name=op.f("fk_run_workload"),
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_run")),
    )
    op.create_index(op.f("ix_run_campaign"), "run", ["campaign"], unique=False)
    op.create_index(
        "ix_run_cell",
        "run",
        ["workload", "framework", "device", "status"],
        unique=False,
    )
    op.create_index(op.f("ix_run_environment"), "run", ["environment"], unique=False)
    op.create_index(op.f("ix_run_machine"), "run", ["machine"], unique=False)
    op.create_index(op.f("ix_run_source"), "run", ["source"], unique=False)
    op.create_table(
        "flag",
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["run.digest"], name=op.f("fk_flag_run")),
        sa.PrimaryKeyConstraint("run", "position", name=op.f("pk_flag")),
    )
    op.create_table(
        "samples",
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["run.digest"], name=op.f("fk_samples_run")),
        sa.PrimaryKeyConstraint("run", name=op.f("pk_samples")),
    )
    op.create_table(
        "value",
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("printed", sa.Text(), nullable=True),
        sa.Column("locator", sa.Text(), nullable=True),
        sa.Column("derived", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["metric"], ["metric.name"], name=op.f("fk_value_metric")
        ),
        sa.ForeignKeyConstraint(["run"], ["run.digest"], name=op.f("fk_value_run")),
        sa.PrimaryKeyConstraint("run", "metric", name=op.f("pk_value")),
    )
    op.create_index("ix_value_metric", "value", ["metric"], unique=False)


def downgrade() -> None:
    raise NotImplementedError("the first tables have nothing before them")
