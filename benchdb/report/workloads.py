"""Workloads as a report names them."""

from functools import lru_cache

from benchdb.catalogue import workloads
from benchdb.report.view.atoms import Workload


@lru_cache(maxsize=4096)  # as every row of a table has one
def workload_of(name: str) -> Workload:
    """Return the workload as a report names it; one we do not know is an operation."""
    known = workloads().get(name)
    if known is None:
        return Workload(name, name, "operation")
    return Workload(name, known.title, known.kind)


def trains(workload: str) -> bool:
    """Tell whether the work is training a model; nothing else is ranked."""
    known = workloads().get(workload)
    return known is not None and known.trains
