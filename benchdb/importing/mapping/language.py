"""The map of a document: what its columns, headings and file name mean, as TOML.

What a cell, a heading or a default says is a *field* of a run. These are the fields:
``workload``, ``mode`` (``training``, or ``inference`` with models that are else
trained), ``setting``, ``framework``, ``framework_version``, ``device``,
``device_name``, ``precision``, ``compiler``, ``seed``, ``started``, ``machine`` (a key
of ``machines``, or a label), ``chip``, ``model``, ``cpu_cores``, ``gpu_cores``,
``ram``, ``accelerator``, ``environment`` (a key of ``environments``), ``os_name``,
``os_version``, ``os_build``, ``kernel``, ``python``, and ``parameters.NAME`` and
``conditions.NAME`` for any name (in TOML such a key of ``set`` stands in quotes).

A value cell under given fields becomes a figure; figures under equal fields are one
run. The later word holds: defaults of the map, what is known of the workload, the
file's name, the table, its headings, the row, its cells, the column. ``missing`` unsets
a field. In ``basis`` and ``missing`` a parameter or condition goes by its bare name.
A device that is set to ``gpu`` is that by which the GPU of the run's machine computes.

``names`` lists what texts name in words that benchdb knows (``schema/names.toml``):
``machine``, ``device``, ``framework``, ``precision``, ``batch_size``, ``os``,
``workload``, ``network`` (a model, as ``parameters.model``) and ``quantization``. It is
recognised when a text is read; of several machines, devices, frameworks or models in
one text none holds, and none of a text further out.
"""

import re
from functools import partial
from typing import Any, Literal

import msgspec

from benchdb.exchange.messages import (
    Claim,
    Counted,
    Environment,
    Flag,
    Label,
    Machine,
    Phase,
    Scalar,
    Sha256,
    Steps,
)
from benchdb.importing.provenance import SourceFacts
from benchdb.importing.sheet import Reader

Fields = dict[str, Scalar]
Named = Literal[
    "machine",
    "device",
    "framework",
    "precision",
    "batch_size",
    "os",
    "workload",
    "network",
    "quantization",
]

# The fields of a run itself; others are its machine's and its environment's.
OF_RUNS = (
    *("workload", "mode", "setting", "framework", "framework_version", "device"),
    *("device_name", "precision", "compiler", "seed", "started"),
)
CORES = ("cpu_cores", "gpu_cores")
PARTS = ("ram", *CORES)  # what is known of a machine beside its name
OF_MACHINES = ("machine", "chip", "model", *CORES, "ram", "accelerator")
OF_ENVIRONMENTS = (
    *("environment", "os_name", "os_version", "os_build"),
    *("kernel", "python"),
)
PREFIXES = ("parameters.", "conditions.")
# The name of a field without its prefix.
bare_name = partial(re.compile(r"^(?:parameters|conditions)\.").sub, "")


class _Part(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """A misspelt field of a map is an error."""


class MappedSource(_Part, SourceFacts, frozen=True, kw_only=True):
    """Where the document comes from; fields of ``Source``."""

    protocol: dict[str, Any] = {}
    missing: dict[str, str] = {}


class MappedMachine(Machine, frozen=True, kw_only=True, tag=False):
    """A machine, and the texts (whole cells, any case) that mean it."""

    key: str = "-"
    match: tuple[str, ...] = ()


class MappedEnvironment(Environment, frozen=True, kw_only=True, tag=False):
    """The software of runs, and the texts that mean it."""

    key: str = "-"
    match: tuple[str, ...] = ()


FIGURES = ("value", "samples", "once")  # what columns of figures are
RESULTS = (*FIGURES, "ratio")


class Facts(_Part, frozen=True, kw_only=True):
    """Fields that are set, how they are known, and why others are missing."""

    set: Fields = {}
    basis: dict[str, str] = {}
    missing: dict[str, str] = {}


class Layer(Facts, frozen=True, kw_only=True):
    """Facts of a document; *blank* are reasons for fields that nothing sets.

    *printed* tells that the fields are words of the document, not of its map.
    """

    blank: dict[str, str] = {}
    printed: bool = False


class Meaning(Facts, frozen=True, kw_only=True):
    """What follows where a text is met; *match* are the texts of a workload."""

    match: tuple[str, ...] = ()


class Heading(Meaning, frozen=True, kw_only=True):
    """What follows under a heading; *rows* are meanings for the rows under it alone."""

    rows: dict[str, Meaning] = {}


class Column(_Part, frozen=True, kw_only=True):
    """What one column holds.

    ``field``: its cells set *field*, by *values* where those are words of the source,
    or what they name of *names*; *cells* are meanings of whole cells, the named groups
    of *pattern* (or several) set fields from parts of them; with *blank* a blank cell
    repeats the one above. ``value``: its cells, or what the group ``value`` of
    *pattern* finds in them, are figures of *metric*; *unit* where the cells name none
    (or, in *parts*, one metric for each word of what ``time`` printed in a cell:
    ``user``, ``total``; an empty metric leaves a part out).
    ``samples``: its cells under equal fields are samples of one run, whose figure is
    their median; times are kept as those of *phase*, over *per* steps each. ``once``:
    its cells under equal fields are one figure, printed in each row.
    ``ratio``: a ratio the source computed, kept as a claim that says *statement* (with
    ``{workload}``, ``{header}`` and ``{printed}`` filled in); it is recomputed from the
    figures of *metric* under the fields of its row with those of *numerator*, and of
    *denominator*. ``metric``: each row is another metric, named by *values* (label to
    metric, an empty one leaves the row out; ``*`` is any other label), in *unit* or
    that of its label in *units*; the value columns follow it, those of its name alone
    where it is called a unit of some: ``throughput_unit``.

    With the *decimal* ``.`` a field may be a number whose digits a comma groups.
    *ending* is put behind what a cell says of a ``workload``: ``-inference``.

    *set* are fields that the column itself stands for, as in a pivot. *missing* says
    what a text means that is no figure (``"0" = "not measured"``); with an empty
    reason its cells are left out. *skip* leaves out the rows whose cell an expression
    is found in, each for its reason.
    """

    is_: Literal["field", "value", "samples", "once", "ratio", "metric", "ignore"] = (
        msgspec.field(name="is", default="field")
    )
    field: str | None = None
    names: tuple[Named, ...] = ()
    values: dict[str, Scalar] = {}
    metric: str | None = None
    unit: str | None = None
    units: dict[str, str] = {}
    parts: dict[str, str] = {}
    phase: Phase = "seed"
    per: Steps = 1
    decimal: Literal[".", ","] | None = None
    blank: Literal["above"] | None = None
    pattern: str | tuple[str, ...] = ()
    ending: str = ""
    cells: dict[str, Meaning] = {}
    statement: str | None = None
    numerator: Fields = {}
    denominator: Fields = {}
    set: Fields = {}
    basis: dict[str, str] = {}
    missing: dict[str, str] = {}
    skip: dict[str, str] = {}

    @property
    def patterns(self) -> tuple[str, ...]:
        """Return the regular expressions for parts of its cells."""
        return (self.pattern,) if isinstance(self.pattern, str) else self.pattern


class Table(Facts, frozen=True, kw_only=True):
    """Which sheets are meant, and what they say.

    A sheet is meant if *under* (a regular expression) is found in its context, *header*
    are among its columns, and it begins within *lines*; what is left out asks nothing.
    *read* makes sheets of running text first, or of ``json`` and ``yaml``: with paths
    as columns (``timings.ttft_ms``) and the way to the rows (``results[]``) as context.
    *template* is a line with names in braces, which become the columns of those like it
    (``ttft={ttft} ms``).
    *names* is what headings may name, above the table and in rows that are headings.
    *context* are regular expressions for headings whose named groups set fields (dots
    written as ``__``); *headings* are meanings by regular expression, for headings
    above the table and rows inside it that are headings; *rows* are meanings by regular
    expression over the cell that names the metric, else the first; rows that match
    *skip* are left out, and those of the lines *without*. A table that reads *again*
    takes sheets of others too.
    With *others* columns that the map does not name are ignored, not parameters.
    """

    under: str | None = None
    header: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    read: Reader | None = None
    template: str | None = None
    names: tuple[Named, ...] = ()
    context: tuple[str, ...] = ()
    headings: dict[str, Heading] = {}
    rows: dict[str, Meaning] = {}
    skip: tuple[str, ...] = ()
    without: dict[str, str] = {}
    again: bool = False
    columns: dict[str, Column] = {}
    others: Literal["parameters", "ignore"] = "parameters"


class MappedFigure(Facts, frozen=True, kw_only=True):
    """A figure of running text, by hand: *printed* must stand on *line*."""

    line: int
    printed: str
    metric: str
    value: float
    derived: str | None = None


class MappedClaim(Claim, frozen=True, kw_only=True, tag=False):
    """A statement of the document, checked like a figure: it stands on *line*."""

    line: int
    kind: Literal["derived", "claimed"] = "claimed"
    source: str = ""
    locator: str = ""


class MappedFlag(Flag, frozen=True, kw_only=True):
    """A doubt of somebody who read the document, about the runs at a place.

    *lines* are the first and the last line, *column* is the name in the locator. With
    *metric* it is about that figure. Names in *unknown* are null in the detail, which
    TOML cannot say.
    """

    lines: tuple[int, int]
    column: str | None = None
    unknown: tuple[str, ...] = ()


class Map(Facts, frozen=True, kw_only=True):
    """A whole map. *documents* are digests of files that it is used for unasked.

    *paths* are those of a source of several files, by their path in its repository,
    which is the name they go by: what *name* searches has folders then. *published*
    are dates of those that are older or newer than their source says. *tool* is the
    format that reads them, where that needs no table: only their source is mapped.
    Of two maps of one name, what that with the higher *version* reads takes the place
    of what the other read. *nothing* says why a document yields no run. *name* is a
    regular expression for the file's name whose named groups set fields; *files* are
    meanings by regular expression over the name, for words that are not ours.
    *workloads* are meanings of texts in a ``workload`` field, by our name of it.
    """

    documents: tuple[Sha256, ...] = ()
    paths: dict[str, Sha256] = {}
    published: dict[str, str] = {}
    tool: str | None = None
    nothing: str | None = None
    version: Counted = 1
    label: Label = "transcribed"
    name: str | None = None
    files: dict[str, Meaning] = {}
    source: MappedSource = MappedSource()
    machines: dict[str, MappedMachine] = {}
    environments: dict[str, MappedEnvironment] = {}
    workloads: dict[str, Meaning] = {}
    table: tuple[Table, ...] = ()
    figure: tuple[MappedFigure, ...] = ()
    claim: tuple[MappedClaim, ...] = ()
    flag: tuple[MappedFlag, ...] = ()

    def path(self, sha256: str) -> str | None:
        """Return the path of the document with this digest in its repository."""
        return next((at for at, it in self.paths.items() if it == sha256), None)
