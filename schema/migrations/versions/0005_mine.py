"""Which runs are mine: measured here, or on another machine as it was planned here."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_PREFIX = "site_"  # of the servers that a reporting database takes runs from

# Every exchange file that came with benchdb before this revision, in each version of
# it, and the only anonymous id in them.
_SHIPPED = (
    "159de581654f15aff04b610a59a07b85c755b3123bd405163cb908f60aea6256",
    "3656e042be840c1deba8383325463cd3d45fe8f077e44890ea4de6ce4847baac",
    "380ef3636b58508262761f57566a9a1753403f8c1da2c5faca45208d75d2e9bf",
    "4447397927aea548443825f684800ec66a6c1a6ec838e4f2f2cba2d0baac5da1",
    "57d72f815e323f761a0545a67927a8331502d26221cd46e456c1840c820b670c",
    "6ea95cea78e87d9fb273652dd206020429af106c086f164b4db5de1ec85ca579",
    "797986988eb043a91ea5149f90ae3ba7b84348bcb5aef9977a3e383550c9f78a",
    "9c68b7e220465dffc7466c6e2e1523278e4175d05137dee898f660deae2be7de",
    "a9ef3c2910e195f78f9d5a957a0cf2e7d46ce0bb4e6e1e766386483f9b7b8269",
    "aa47c2afc2a244585f0a41a9295f51f8c3bb4deee4952c5472b8ef10ed230888",
    "b3e30f5013dca59c25c8584b31d8c25c3b9cc9946c584f3a1872efaddafeed33",
    "cf0556ad5010eeee941b4e14697ee39e896d547d2b0cc23bdd06910029535f44",
    "e6c15e695dfb2d98501ad5476497d386787edcd4d9b116c4aef4564bcea78c0d",
    "e8386553b2db6c334d092847744f402a20954f15b73cf68fd16cb1d9c03cc592",
    "f761a8a451f80b407cafb43408d16076a475c8e5b3423fdbb20de579c2426405",
    "fb4d10bf1accf0542c071bcca7b12aab442343654615d1c873e50148ff9da1df",
)
_SHIPPED_ID = "b013842b1b82165f"


def upgrade() -> None:
    no = sa.text("false")
    op.add_column(
        "run", sa.Column("mine", sa.Boolean(), nullable=False, server_default=no)
    )
    # Of few runs among many: what others share costs nothing.
    op.create_index(
        "ix_run_mine",
        "run",
        ["machine"],
        sqlite_where=sa.text("mine = 1"),
        postgresql_where=sa.text("mine"),
    )
    if not _took_others():
        _mark()


def _took_others() -> bool:
    """Tell whether results of others may have come in, other than what we shipped.

    Which runs a file brought was never noted: after one that we do not know, nobody can
    say which of the runs were measured here.
    """
    connection = op.get_bind()
    files = sa.table("imported_file", *map(sa.column, ("sha256", "importer", "runs")))
    foreign = (
        sa.select(sa.func.count())
        .select_from(files)
        .where(
            files.c.importer == "benchdb",
            files.c.runs > 0,
            files.c.sha256.not_in(_SHIPPED),
        )
    )
    if connection.scalar(foreign):
        return True
    if connection.dialect.name != "postgresql":
        return False
    servers = sa.text(
        "SELECT count(*) FROM pg_foreign_server WHERE starts_with(srvname, :prefix)"
    )
    return bool(connection.scalar(servers, {"prefix": _PREFIX}))


def _mark() -> None:
    """Mark what a collector measured on machines that no shipped file has."""
    names = ("mine", "label", "source", "machine")
    run = sa.table("run", *map(sa.column, names))
    machine = sa.table("machine", *map(sa.column, ("digest", "anonymous_id")))
    others = sa.select(machine.c.digest).where(
        machine.c.anonymous_id.is_not(None), machine.c.anonymous_id != _SHIPPED_ID
    )
    op.execute(
        sa.update(run)
        .where(
            run.c.label == "measured",
            run.c.source.is_(None),
            run.c.machine.in_(others),
        )
        .values(mine=sa.true())
    )
