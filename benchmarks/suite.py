"""All benchmarks that ``python -m benchmarks`` knows, in the order of its table."""

from benchmarks import (
    compare_runs,
    frames,
    import_growth,
    native_import,
    parquet_runs,
    report_runs,
    site_build,
    site_paint,
    start_up,
)
from benchmarks.rows import Benchmark, Row

BENCHMARKS: tuple[Benchmark, ...] = (
    native_import,
    import_growth,
    report_runs,
    compare_runs,
    parquet_runs,
    frames,
    site_build,
    site_paint,
    start_up,
)
ROWS: dict[str, Row] = {
    row.name: row for benchmark in BENCHMARKS for row in benchmark.ROWS
}
