"""The tables; ``schema/README.md`` tells what each is for.

Column types are spelled out: a migrated database is compared with them type by type.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    select,
    text,
)
from sqlalchemy.engine import Dialect

from benchdb.errors import DatabaseError

_EMPTY: dict[str, type[Any]] = {"{}": dict, "[]": list}


class Json(TypeDecorator[Any]):
    """JSON as text with sorted keys, so equal content is equal bytes everywhere."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Return *value* as JSON text; ``None`` stays NULL."""
        from benchdb.sorted_json import sorted_json  # noqa: PLC0415  who reads needs none

        return sorted_json(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Return the object that the text stands for."""
        if value in _EMPTY:  # most are
            return _EMPTY[value]()
        if value is None:
            return None
        with suppress(ValueError):  # it may be what only Python takes for JSON
            return _decoder()(value)
        try:
            return json.loads(value)
        except ValueError as error:
            raise DatabaseError(f"a column has no JSON: {error}") from error


@cache
def _decoder() -> Callable[[str], Any]:
    """Return what decodes five times as fast as Python does, for who reads any."""
    import msgspec  # noqa: PLC0415 - a list of nothing needs none

    return msgspec.json.decode


# What anybody may ask in SQL; the migrations make them.
VIEWS = ("results", "figures", "doubts", "machine_details")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Digest = String(64)

chip = Table(
    "chip",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("vendor", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("cpu_cores", Integer),
    Column("gpu_cores", Integer),
    Column("ram_bytes", BigInteger),
    Column("memory_bandwidth_bytes_per_second", Double),
    Column("cpu_levels", Json, nullable=False),
    Column("accelerators", Json, nullable=False),
)

machine = Table(
    "machine",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("chip", Digest, ForeignKey("chip.digest"), nullable=False, index=True),
    Column("model", Text),
    Column("label", Text),
    Column("anonymous_id", Text),
    Column("virtual", Boolean),
    Column("missing", Json, nullable=False),
)

environment = Table(
    "environment",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("os_name", Text),
    Column("os_version", Text),
    Column("os_build", Text),
    Column("kernel", Text),
    Column("architecture", Text),
    Column("rosetta", Boolean),
    Column("python", Text),
    Column("framework", Text),
    Column("framework_version", Text),
    Column("packages", Json, nullable=False),
    Column("devices", Json, nullable=False),
    Column("math", Json, nullable=False),
    Column("variables", Json, nullable=False),
    Column("missing", Json, nullable=False),
)

source = Table(
    "source",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("slug", Text, nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("authors", Json, nullable=False),
    Column("url", Text),
    Column("licence", Text),
    Column("published", Text),
    Column("retrieved", Text),
    Column("language", Text),
    Column("document", Text),
    Column("document_sha256", Digest, index=True),
    Column("importer", Text),
    Column("importer_version", Text),
    Column("reading", Digest),
    Column("supersedes", Json, nullable=False, server_default="[]"),
    Column("protocol", Json, nullable=False),
    Column("missing", Json, nullable=False),
)

workload = Table(
    "workload",
    metadata,
    Column("name", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("title", Text, nullable=False, server_default=text("''")),
)

metric = Table(
    "metric",
    metadata,
    Column("name", Text, primary_key=True),
    Column("unit", Text, nullable=False),
    Column("direction", Text, nullable=False),
    Column("title", Text, nullable=False, server_default=text("''")),
)

run = Table(
    "run",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("machine", Digest, ForeignKey("machine.digest"), nullable=False),
    Column("environment", Digest, ForeignKey("environment.digest"), nullable=False),
    Column("workload", Text, nullable=False),
    Column("workload_version", Integer, nullable=False),
    Column("setting", Text, nullable=False),
    Column("framework", Text, nullable=False),
    Column("device", Text, nullable=False),
    Column("device_name", Text),
    Column("precision", Text),
    Column("compiler", Text),
    Column("batch_size", Integer),
    Column("parameters", Json, nullable=False),
    Column("seed", BigInteger),
    Column("tier", Text),
    Column("campaign", Text),
    Column("replicate", Integer),
    Column("replicates", Integer),
    Column("collector", Text),
    Column("collector_version", Text),
    Column("collector_sha256", Digest),
    Column("started", Text),
    Column("ended", Text),
    Column("label", Text, nullable=False),
    Column("source", Digest, ForeignKey("source.digest"), index=True),
    Column("locator", Text),
    Column("status", Text, nullable=False),
    Column("reason", Text),
    Column("conditions_before", Json, nullable=False),
    Column("conditions_after", Json, nullable=False),
    Column("checks", Json, nullable=False),
    Column("basis", Json, nullable=False),
    Column("missing", Json, nullable=False),
    Column("mine", Boolean, nullable=False, server_default=text("false")),
    # No key: the run may be somebody else's, and never have come here.
    Column("reproduces", Digest),
    ForeignKeyConstraint(
        ["workload", "workload_version"], ["workload.name", "workload.version"]
    ),
    Index("ix_run_campaign", "campaign", "mine", "started"),
    Index("ix_run_environment", "environment"),
    Index("ix_run_started", "started"),
    Index("ix_run_cell", "workload", "framework", "device", "status"),
    Index("ix_run_place", "machine", "workload", "campaign", "started"),
    # Of mine alone, as revision 0005 makes it; said here, it would load every dialect.
    Index("ix_run_mine", "machine"),
    Index("ix_run_reproduces", "reproduces"),  # of those that do, as in revision 0011
)

value = Table(
    "value",
    metadata,
    Column("run", Digest, ForeignKey("run.digest"), primary_key=True),
    Column("metric", Text, ForeignKey("metric.name"), primary_key=True),
    Column("value", Double),
    Column("uncertainty", Double),
    Column("reason", Text),
    Column("printed", Text),
    Column("locator", Text),
    Column("derived", Text),
    sqlite_with_rowid=False,  # its long key is kept once, not in an index as well
)

samples = Table(
    "samples",
    metadata,
    Column("run", Digest, ForeignKey("run.digest"), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)

flag = Table(
    "flag",
    metadata,
    Column("run", Digest, ForeignKey("run.digest"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("code", Text, nullable=False),
    Column("metric", Text),
    Column("detail", Json, nullable=False),
)

claim = Table(
    "claim",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("source", Digest, ForeignKey("source.digest"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("statement", Text, nullable=False),
    Column("printed", Text, nullable=False),
    Column("locator", Text, nullable=False),
    Column("value", Double),
    Column("unit", Text),
    Column("about", Json, nullable=False),
    Column("recomputed", Double),
    Column("flags", Json, nullable=False),
)

imported_file = Table(
    "imported_file",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("sha256", Digest, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("importer", Text, nullable=False),
    Column("importer_version", Text, nullable=False),
    Column("map_sha256", Digest),
    Column("bytes", BigInteger, nullable=False),
    Column("lines", Integer, nullable=False),
    Column("runs", Integer, nullable=False),
)

document = Table(
    "document",
    metadata,
    Column("sha256", Digest, primary_key=True),
    Column("name", Text, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)

quarantine = Table(
    "quarantine",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("file", Digest, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("importer", Text, nullable=False),
    Column("map_sha256", Digest),
    Column("about", Json, nullable=False),
    Column("line", Integer, nullable=False),
    Column("locator", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("raw", Text, nullable=False),
)

finding = Table(
    "finding",
    metadata,
    Column("run", Digest, ForeignKey("run.digest"), primary_key=True),
    Column("code", Text, primary_key=True),
    Column("metric", Text, primary_key=True),
    Column("detail", Json, nullable=False),
)

fingerprint = Table(
    "fingerprint",
    metadata,
    Column("run", Digest, ForeignKey("run.digest"), primary_key=True),
    Column("figures", Digest, nullable=False, index=True),
    Column("digits", Integer, nullable=False),
)

newest = Table(
    "newest",
    metadata,
    Column("run", Digest, ForeignKey("run.digest"), primary_key=True),
    Column("machine", Digest, nullable=False),
    Column("cell", String(16), nullable=False),
    Column("started", Text),
    sqlite_with_rowid=False,
)

result = Table(
    "result",
    metadata,
    Column("run", Digest, ForeignKey("run.digest"), primary_key=True),
    Column("first", Digest, nullable=False),
    Column("machine", Digest),
    Column("accelerator", Text, index=True),
    Column("system", Text),
    Column("size", BigInteger),
    Column("metric", Text, ForeignKey("metric.name")),
    Column("value", Double),
    Column("low", Double),
    Column("high", Double),
    Column("n", Integer),
    Column("grade", String(1)),
    Column("trust", Text),
    Column("withdrawn", Boolean, nullable=False, server_default=text("false")),
    Index("ix_result_first", "first"),
    Index("ix_result_machine", "machine"),
    sqlite_with_rowid=False,
)

WITHDRAWN = "withdrawn"  # the status of a run that counts in no figure any more


def is_withdrawn(digest: ColumnElement[Any]) -> ColumnElement[bool]:
    """Tell of the digest of a run whether it was withdrawn when results followed."""
    own = result.alias()
    return select(own.c.run).where(own.c.run == digest, own.c.withdrawn).exists()


# Not bound to its run, which may come later or never.
retraction = Table(
    "retraction",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("run", Digest, nullable=False, index=True),
    Column("reason", Text, nullable=False),
    Column("retracted", Text, nullable=False),
    Column("fingerprint", Text),
    Column("line", Text),
    Column("signature", Text),
    Column("mine", Boolean, nullable=False, server_default=text("false")),
)

import_part = Table(
    "import_part",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("import", String(32), nullable=False, index=True),
    Column("began", Text, nullable=False),
    Column("file", Digest, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("added", LargeBinary, nullable=False),
    Column("known", LargeBinary, nullable=False),
    Column("others", Json, nullable=False),
)

part = Table(
    "part",
    metadata,
    Column("prefix", String(3), primary_key=True),
    Column("runs", Integer, nullable=False),
    Column("digest", Digest, nullable=False),
)

source_file = Table(
    "source_file",
    metadata,
    Column("source", Digest, ForeignKey("source.digest"), primary_key=True),
    Column("file", Digest, primary_key=True, index=True),
    Column("importer", Text, primary_key=True),
    Column("importer_version", Text, primary_key=True),
)

supersession = Table(
    "supersession",
    metadata,
    Column("outdated", Digest, ForeignKey("source.digest"), primary_key=True),
    Column("newer", Digest, ForeignKey("source.digest"), primary_key=True, index=True),
    Column("why", Text, nullable=False),
    Column("accepted", Boolean, nullable=False),
)

forgotten = Table(
    "forgotten",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("act", Digest, nullable=False, index=True),
    Column("what", Text, nullable=False),
    Column("undone", Boolean, nullable=False),
)

future_date = Table(
    "future_date",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("imported", Text, nullable=False),
)

machine_link = Table(
    "machine_link",
    metadata,
    Column("machine", Digest, ForeignKey("machine.digest"), primary_key=True),
    Column("same_as", Digest, ForeignKey("machine.digest"), nullable=False, index=True),
)

signer = Table(
    "signer",
    metadata,
    Column("fingerprint", Text, primary_key=True),
    Column("line", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("added", Text, nullable=False),
    Column("until", Text),
    Column("revoked", Boolean, nullable=False),
    Column("mine", Boolean, nullable=False),
)

signature = Table(
    "signature",
    metadata,
    Column("digest", Digest, primary_key=True),
    Column("fingerprint", Text, nullable=False, index=True),
    Column("line", Text, nullable=False),
    Column("file_sha256", Digest, nullable=False),
    Column("imported", Text, nullable=False),
)

signed_run = Table(
    "signed_run",
    metadata,
    Column("run", Digest, ForeignKey("run.digest"), primary_key=True),
    Column(
        "signature",
        Digest,
        ForeignKey("signature.digest"),
        primary_key=True,
        index=True,
    ),
)

made_by = Table(
    "made_by",
    metadata,
    Column("revision", Text, primary_key=True),
    Column("benchdb", Text, nullable=False),
)
