"""The step of the ladder of trust that results reach, and runs that were withdrawn."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

# As revision 0008 has it.
_CONTEXT = """
       run.workload,
       workload.title AS workload_title,
       result.system,
       result.accelerator,
       chip.name AS chip,
       CAST(chip.ram_bytes AS DOUBLE PRECISION) / 1073741824.0 AS memory_gib,
       run.device,
       run.framework,
       environment.framework_version,
       run.precision,
       run.compiler,
       run.batch_size,
       result.size,
       run.setting,
       run.parameters,
       run.tier,"""
_JOINS = """
  JOIN workload ON workload.name = run.workload
   AND workload.version = run.workload_version
  JOIN environment ON environment.digest = run.environment
  JOIN machine ON machine.digest = run.machine
  JOIN chip ON chip.digest = machine.chip"""

_RESULTS = f"""
CREATE VIEW results AS
-- The figure of each cell and session: value is the geometric mean over its n
-- processes, low and high bound its 95 % interval where n is 2 or more.
SELECT{_CONTEXT}
       result.metric,
       metric.title AS metric_title,
       result.value,
       result.low,
       result.high,
       metric.unit,
       metric.direction,
       result.n,
       result.grade,
       result.trust,
       run.label,
       source.slug AS source,
       run.campaign,
       run.started,
       run.mine,
       result.machine,
       result.run
  FROM result
  JOIN run ON run.digest = result.run
  JOIN metric ON metric.name = result.metric{_JOINS}
  LEFT JOIN source ON source.digest = run.source
 WHERE result.value IS NOT NULL
"""

_FIGURES = f"""
CREATE VIEW figures AS
-- Every figure of every run, or the reason why it has none; first is the run that
-- stands for its cell and session in results.
SELECT value.run,
       own.first,{_CONTEXT}
       value.metric,
       metric.title AS metric_title,
       CASE WHEN own.withdrawn THEN NULL ELSE value.value END AS value,
       value.uncertainty,
       metric.unit,
       metric.direction,
       CASE WHEN own.withdrawn THEN 'withdrawn' ELSE value.reason END AS reason,
       value.printed,
       value.locator,
       value.derived,
       CASE WHEN own.withdrawn THEN 'withdrawn' ELSE run.status END AS status,
       result.grade,
       result.trust,
       run.label,
       source.slug AS source,
       run.campaign,
       run.started,
       run.mine,
       result.machine
  FROM value
  JOIN result AS own ON own.run = value.run
  JOIN result ON result.run = own.first
  JOIN run ON run.digest = value.run
  JOIN metric ON metric.name = value.metric{_JOINS}
  LEFT JOIN source ON source.digest = run.source
"""  # noqa: S608 - our own names


def upgrade() -> None:
    op.create_table(
        "retraction",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("retracted", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.Column("line", sa.Text(), nullable=True),
        sa.Column("signature", sa.Text(), nullable=True),
        sa.Column(
            "mine", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_retraction")),
    )
    op.create_index(op.f("ix_retraction_run"), "retraction", ["run"])
    op.add_column("result", sa.Column("trust", sa.Text(), nullable=True))
    none = sa.text("false")
    op.add_column(
        "result",
        sa.Column("withdrawn", sa.Boolean(), server_default=none, nullable=False),
    )
    for name, view in (("results", _RESULTS), ("figures", _FIGURES)):
        op.execute(sa.text(f"DROP VIEW {name}"))
        op.execute(sa.text(view.strip()))
