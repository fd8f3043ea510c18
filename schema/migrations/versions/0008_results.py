"""The figure of each cell and session, titles, and views that people understand."""

from collections.abc import Sequence
from contextlib import suppress

import sqlalchemy as sa
from alembic import op
from sqlalchemy.exc import OperationalError

from benchdb.catalogue import metrics, workloads

revision = "0008"
down_revision = "0007"

_DIGEST = sa.String(length=64)

# What is said of every figure; `first` is the run that stands for its session.
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
       value.value,
       value.uncertainty,
       metric.unit,
       metric.direction,
       value.reason,
       value.printed,
       value.locator,
       value.derived,
       run.status,
       result.grade,
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

_DOUBTS = """
CREATE VIEW doubts AS
-- What is doubtful about runs: flags that came with them, findings of our rules.
SELECT doubt.run,
       run.workload,
       result.system,
       doubt.code,
       doubt.metric,
       doubt.detail,
       doubt.kind
  FROM (SELECT run, code, metric, detail, 'flag' AS kind FROM flag
        UNION ALL
        SELECT run, code, NULLIF(metric, ''), detail, 'finding' FROM finding) AS doubt
  JOIN run ON run.digest = doubt.run
  JOIN result AS own ON own.run = doubt.run
  JOIN result ON result.run = own.first
"""

# Names of accelerators from their JSON, which each database reads in its own way.
_NAMES = {
    "sqlite": "(SELECT group_concat(json_extract(one.value, '$.name'), ', ') "
    "FROM json_each(chip.accelerators) AS one)",
    "postgresql": "(SELECT string_agg(one ->> 'name', ', ') "
    "FROM json_array_elements(chip.accelerators::json) AS one)",
}
_MACHINES = """
CREATE VIEW machine_details AS
-- Machines with their chips; those that are the same are one, but what others
-- contributed is never one with mine.
SELECT machine.digest AS machine,
       machine.anonymous_id,
       machine.model,
       chip.vendor,
       chip.name AS chip,
       chip.cpu_cores,
       chip.gpu_cores,
       CAST(chip.ram_bytes AS DOUBLE PRECISION) / 1073741824.0 AS memory_gib,
       chip.memory_bandwidth_bytes_per_second / 1e9 AS bandwidth_gb_per_second,
       {names} AS accelerators,
       machine.virtual,
       known.mine,
       known.runs,
       known.first_started,
       known.last_started
  FROM (SELECT result.machine,
               run.mine,
               count(*) AS runs,
               min(run.started) AS first_started,
               max(run.started) AS last_started
          FROM run
          JOIN result AS own ON own.run = run.digest
          JOIN result ON result.run = own.first
         GROUP BY result.machine, run.mine) AS known
  JOIN machine ON machine.digest = known.machine
  JOIN chip ON chip.digest = machine.chip
"""

_DEVICES = [
    "cpu",
    "metal",
    "cuda",
    "rocm",
    "vulkan",
    "opencl",
    "sycl",
    "npu",
    "tpu",
    "unknown",
]
_LABELS = ["measured", "imported", "aggregate", "transcribed", "claimed"]
_STATUSES = ["ok", "failed", "oom", "unsupported", "interrupted", "not-measured"]


def _among(column: str, names: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(map(repr, names))})"


# What holds in every honest database, by table and what it is about.
_RULES = {
    "run": {
        "device": _among("device", _DEVICES),
        "label": _among("label", _LABELS),
        "status": _among("status", _STATUSES),
        "counts": "workload_version >= 1 AND replicate >= 0 AND replicates >= 1",
    },
    "metric": {"direction": _among("direction", ("higher", "lower", "none"))},
    "claim": {"kind": _among("kind", ("derived", "claimed"))},
    "chip": {
        "sizes": "cpu_cores >= 1 AND gpu_cores >= 1 AND ram_bytes >= 1 "
        "AND memory_bandwidth_bytes_per_second >= 0"
    },
    "samples": {"count": '"count" >= 1'},
    "result": {
        "grade": _among("grade", ("A", "B", "C", "I", "X")),
        "interval": "low <= value AND value <= high AND n >= 1 AND size >= 0",
    },
}


def upgrade() -> None:
    _titles()
    op.create_table(
        "result",
        sa.Column("run", _DIGEST, nullable=False),
        sa.Column("first", _DIGEST, nullable=False),
        sa.Column("machine", _DIGEST, nullable=True),
        sa.Column("accelerator", sa.Text(), nullable=True),
        sa.Column("system", sa.Text(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("metric", sa.Text(), nullable=True),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("n", sa.Integer(), nullable=True),
        sa.Column("grade", sa.String(length=1), nullable=True),
        sa.ForeignKeyConstraint(["run"], ["run.digest"], name=op.f("fk_result_run")),
        sa.ForeignKeyConstraint(
            ["metric"], ["metric.name"], name=op.f("fk_result_metric")
        ),
        sa.PrimaryKeyConstraint("run", name=op.f("pk_result")),
        sqlite_with_rowid=False,
    )
    for column in ("accelerator", "first", "machine"):
        op.create_index(op.f(f"ix_result_{column}"), "result", [column])
    for table, rules in _RULES.items():
        for name, rule in rules.items():
            _require(table, f"ck_{table}_{name}", rule)
    # Lists begin with the newest.
    op.drop_index(op.f("ix_run_campaign"), "run")
    op.create_index(op.f("ix_run_campaign"), "run", ["campaign", "mine", "started"])
    op.create_index(op.f("ix_run_started"), "run", ["started"])
    names = _NAMES[op.get_bind().dialect.name]
    for view in (_RESULTS, _FIGURES, _DOUBTS, _MACHINES.format(names=names)):
        op.execute(sa.text(view.strip()))


def _require(table: str, name: str, rule: str) -> None:
    """Let the *table* refuse rows that break a *rule*, unless it has some already."""
    bind = op.get_bind()
    broken = sa.text(f"SELECT 1 FROM {table} WHERE NOT ({rule}) LIMIT 1")  # noqa: S608
    if bind.execute(broken).first() is not None:
        return
    if bind.dialect.name == "postgresql":
        op.create_check_constraint(op.f(name), table, sa.text(rule))
        return
    # To make the table anew would take minutes of a large file, and all that refers to
    # it. What SQLite does for a constraint that changes no row is to note its text:
    # https://www.sqlite.org/lang_altertable.html, the steps at its end.
    text = bind.scalar(
        sa.text("SELECT sql FROM sqlite_master WHERE name = :name"), {"name": table}
    )
    head, _, tail = text.rpartition(")")
    new = f"{head.rstrip()},\n\tCONSTRAINT {name} CHECK ({rule})\n){tail}"
    version = bind.scalar(sa.text("PRAGMA schema_version"))
    bind.execute(sa.text("PRAGMA writable_schema=ON"))
    # A SQLite that is built to defend its schema does without.
    with suppress(OperationalError):
        bind.execute(
            sa.text("UPDATE sqlite_master SET sql = :sql WHERE name = :name"),
            {"sql": new, "name": table},
        )
        bind.execute(sa.text(f"PRAGMA schema_version={version + 1}"))
    bind.execute(sa.text("PRAGMA writable_schema=OFF"))


def _titles() -> None:
    for table in ("metric", "workload"):
        none = sa.text("''")
        title = sa.Column("title", sa.Text(), nullable=False, server_default=none)
        op.add_column(table, title)
    known = {"metric": {name: one.short for name, one in metrics().items()}}
    known["workload"] = {name: one.title for name, one in workloads().items()}
    bind = op.get_bind()
    for table, titles in known.items():
        names = bind.scalars(sa.text(f"SELECT DISTINCT name FROM {table}")).all()  # noqa: S608
        for name in names:
            told = {"name": name, "title": titles.get(name, name)}
            bind.execute(
                sa.text(f"UPDATE {table} SET title = :title WHERE name = :name"),  # noqa: S608
                told,
            )
