"""The example report, grown to what a page must cope with.

Repeated runs with intervals, this machine, another framework, unlike cells, a run
with two values, and a row for every figure that the page shows.
"""

from msgspec.structs import replace

from benchdb.report.sections.metal import MetalSection
from benchdb.report.sections.ranking import RankCell, Ranking, RankRow
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.view.listed import ValueRow
from benchdb.report.view.page import Report
from tests import view_fixture
from tests.view_fixture import (
    LSTM,
    THROUGHPUT,
    digest,
    ranking,
    rate,
    system,
    with_sections,
)

HERE = replace(
    system("Example CPU", "cpu", "torch"), model="Tower", here=True, measured=True
)
REFERENCE = system("GeForce RTX 3090", "cuda")
HERE_RUN = digest("here", "lstm")


def report() -> Report:
    """Return the whole page's report."""
    plain = view_fixture.report()
    metal = _repeated(plain.sections["metal"])
    grown = with_sections(plain, metal=metal, ranking=_with_unlike(ranking()))
    return replace(grown, values=(*plain.values, *_throughputs(), _power()))


def _repeated(metal: MetalSection) -> MetalSection:
    """Give the first pair of figures five runs each."""
    group = metal.groups[0]
    row = group.rows[0]
    assert row.cpu is not None
    assert row.metal is not None
    assert row.ratio is not None
    cpu = replace(row.cpu, n=5, low=1990.5, high=2075.25)
    fast = replace(row.metal, n=5, low=570.25, high=588.5)
    sure = replace(row.ratio, low=3.41, high=3.62)
    rows = (replace(row, cpu=cpu, metal=fast, ratio=sure), *group.rows[1:])
    return replace(metal, groups=(replace(group, rows=rows), *metal.groups[1:]))


def _with_unlike(plain: Ranking) -> Ranking:
    """Add a GPU under other conditions, and this machine with another framework."""
    rows = (*plain.rows, _gpu(plain), _this_machine(plain))
    return replace(plain, rows=rows)


def _gpu(plain: Ranking) -> RankRow:
    rates = {workload.name: (unit, last) for workload, _, unit, *_, last in THROUGHPUT}
    names = [workload.name for workload in plain.workloads]
    cells = tuple(
        _unlike_cell(name, *rates[name]) if name in rates else RankCell(None, None)
        for name in names
    )
    return RankRow(REFERENCE, None, len(rates), cells)


def _unlike_cell(name: str, unit: str, printed: str) -> RankCell:
    quantity = Quantity(
        float(printed), unit, digest(name, printed), printed=printed, notes=("c",)
    )
    ratio = Ratio(145.5, "faster", differs=("precision", "compiler"), notes=("c",))
    return RankCell(quantity, ratio)


def _this_machine(plain: Ranking) -> RankRow:
    own = Quantity(6120.4, "seq/s", HERE_RUN, n=5, low=6010.0, high=6230.0)
    ratio = Ratio(3.02, "faster", 2.97, 3.07, differs=("framework", "protocol"))
    cells = tuple(
        RankCell(own, ratio) if workload == LSTM else RankCell(None, None)
        for workload in plain.workloads
    )
    return RankRow(HERE, None, 1, cells)


def _throughputs() -> list[ValueRow]:
    """Return the rows behind the shares of the reference."""
    pattern = view_fixture.values()[0]
    rows = []
    for workload, batch, unit, *texts in THROUGHPUT:
        for chip, text in zip(("M1 Pro", "M1 Max", None), texts, strict=True):
            quantity = rate(workload, text, unit)
            rows.append(
                replace(
                    pattern,
                    run=quantity.run,
                    workload=workload,
                    system=system(chip, "metal") if chip else REFERENCE,
                    batch_size=batch,
                    precision="fp32" if chip else "fp16-mixed",
                    compiler=None if chip else "xla",
                    metric="fit_samples_per_second",
                    quantity=quantity,
                    source="2",
                    locator=f"line 39, column {workload.name}",
                )
            )
    return rows


def _power() -> ValueRow:
    """Return a second value of a run that is in the table already."""
    first = _throughputs()[0]
    assert first.quantity is not None
    power = Quantity(35.0, "W", first.run, printed="35")
    return replace(first, metric="peak_power_watts", quantity=power)
