"""Keys that no two sites can give to different things: digests and natural names."""

from benchdb.store.tables import Digest, metadata
from tests.postgres import Server

# Given by the catalogues of benchdb, or by the migrations, or what digests begin with:
# the same everywhere.
NAMES = {
    "workload": "name",
    "metric": "name",
    "made_by": "revision",
    "part": "prefix",
    "signer": "fingerprint",  # a digest of the key
    "import_part": "number",  # the order of its own imports, which no database shares
}


def test_every_key_starts_with_a_digest_or_a_name_that_means_the_same_everywhere():
    first = {
        name: next(iter(table.primary_key)) for name, table in metadata.tables.items()
    }

    named = {name: key.name for name, key in first.items() if key.type is not Digest}
    assert named == NAMES
    assert {key.autoincrement for key in first.values()} <= {"auto", False}


def test_nothing_of_a_migrated_database_counts_up(postgres: Server, template: str):
    with postgres.connect(template) as connection:
        sequences = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'S'"
        ).fetchall()
        counting = connection.execute(
            "SELECT attrelid::regclass::text, attname FROM pg_attribute "
            "LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum "
            "JOIN pg_class ON pg_class.oid = attrelid "
            "WHERE relnamespace = 'public'::regnamespace AND attnum > 0 "
            "AND (attidentity <> '' OR pg_get_expr(adbin, adrelid) LIKE 'nextval%')"
        ).fetchall()
        without = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = 'public'::regnamespace AND NOT EXISTS "
            "(SELECT FROM pg_constraint WHERE conrelid = pg_class.oid "
            "AND contype = 'p')"
        ).fetchall()

    assert (sequences, counting, without) == ([], [], [])
