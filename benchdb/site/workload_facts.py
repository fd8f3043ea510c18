"""What is known of a workload: its model and settings, who ran it, what is missing."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from sqlalchemy import select

from benchdb import catalogue
from benchdb.report import untrusted
from benchdb.report.language import Language, fixed
from benchdb.report.language.arguments import Name
from benchdb.report.view.atoms import Workload
from benchdb.report.view.listed import ValueRow
from benchdb.report.wording import terms
from benchdb.report.wording.grades import gate_text
from benchdb.report.wording.measured_again import replication_texts
from benchdb.report.workloads import trains
from benchdb.site.chip_facts import Fact
from benchdb.site.content import Site
from benchdb.store.replications import Replication
from benchdb.store.tables import run
from benchdb.titles import framework_title

_LETTERS = 300
_SHAPES = ("image_size", "sequence_length")
_GATES = 3  # that are named
_REPEATED = 3  # processes behind a figure


class Missing(msgspec.Struct, frozen=True):
    """What nobody has measured: on which *device*, or that nothing was *repeated*."""

    device: str
    command: str


class WorkloadFacts(msgspec.Struct, frozen=True):
    """What stands at the head of a page; the catalogue's own words are English."""

    workload: Workload
    model: str
    timed: str
    parameter_count: tuple[tuple[str, int], ...]
    parameters: tuple[tuple[str, str], ...]
    systems: int
    devices: tuple[tuple[str, int], ...]
    figures: int
    labels: tuple[tuple[str, int], ...]
    machines: int
    gates: tuple[str, ...]  # that its newest measured run passed
    replication: Replication | None  # of its figure that most machines measured


def of_workload(site: Site, name: str) -> WorkloadFacts:
    """Return what is known of the workload *name*."""
    lines = site.by_workload[name]
    figures = [row for line in lines for row in line if row.quantity]
    known = catalogue.workloads().get(name)
    systems = {(row.system.chip, row.system.device) for row in figures}
    devices = Counter(sorted(device for _, device in systems))
    return WorkloadFacts(
        workload=lines[0][0].workload,
        model=known.model if known else "",
        timed=known.timed if known else "",
        parameter_count=tuple((known.parameter_count if known else {}).items()),
        parameters=tuple(
            (key, untrusted.plain(str(fact), _LETTERS))
            for key, fact in (known.parameters if known else {}).items()
        ),
        systems=len(systems),
        devices=tuple(devices.most_common()),
        figures=len(figures),
        labels=tuple(Counter(row.label for row in figures).most_common()),
        machines=len({site.places[line[0].run].machine for line in lines}),
        gates=_gates(site, figures),
        replication=_replication(site, figures),
    )


def given(site: Site, name: str) -> tuple[object, ...]:
    """Return what is known of the lines of the workload *name* beside themselves."""
    return tuple(
        (site.places[line[0].run], *(site.replications.get(row.run) for row in line))
        for line in site.by_workload[name]
    )


def _replication(site: Site, rows: Iterable[ValueRow]) -> Replication | None:
    """Return the replication of the figure that most machines measured, if any is."""
    replications = {row.run: site.replications.get(row.run) for row in rows}
    known = [
        replication
        for replication in replications.values()
        if replication is not None and replication.replicated
    ]
    return max(
        known,
        key=lambda replication: (replication.machines, -(replication.agreement or 0.0)),
        default=None,
    )


def _gates(site: Site, rows: Iterable[ValueRow]) -> tuple[str, ...]:
    """Return the gates that the newest run of our own programs passed."""
    own = [row for row in rows if row.label == "measured"]
    if not own:
        return ()
    newest = max(own, key=lambda row: (row.started or "", row.run))
    query = select(run.c.checks).where(run.c.digest == newest.run)
    checks = site.inputs.connection.execute(query).scalar() or {}
    gates = checks.get("gates")
    return tuple(
        sorted(
            untrusted.plain(name)
            for name, gate in (gates if isinstance(gates, dict) else {}).items()
            if isinstance(gate, dict) and gate.get("status") == "passed"
        )
    )


def missing(site: Site, name: str) -> tuple[Missing, ...]:
    """Return what our own programs could measure, and nobody has."""
    if name not in catalogue.collected():
        return ()
    rows = [row for line in site.by_workload[name] for row in line if row.quantity]
    metal = [row for row in rows if row.system.device == "metal"]
    result = []
    if not metal:
        result.append(Missing("metal", f"benchdb collect {name} --metal"))
    elif max(row.quantity.n for row in metal if row.quantity) < _REPEATED:
        command = f"benchdb collect {name} --metal --tier standard"
        result.append(Missing("repeats", command))
    if metal and len({row.precision for row in metal}) == 1:
        ways = "--precision fp32 --precision fp16 --batch-size 64 --batch-size 128"
        if catalogue.collected()[name].kind == "inference":
            ways = "--set quantization=none --set quantization=4bit"
        command = f"benchdb collect {name} --metal {ways}"
        result.append(Missing("precision", command))
    return tuple(result)


def missing_text(language: Language, result: Missing, title: str) -> str:
    """Say what nobody has measured of a workload."""
    values = {
        "metal": language.gettext(
            "Nobody has measured %(workload)s with Metal.", workload=Name(title)
        ),
        "repeats": language.gettext(
            "No figure with Metal rests on three processes: nobody knows how much it "
            "varies."
        ),
        "precision": language.gettext(
            "With Metal it was measured in one precision only."
        ),
    }
    return values[result.device]


def facts(language: Language, page: WorkloadFacts) -> list[Fact]:
    """Return the facts at the head of a page, those that are not known left out."""
    given = dict(page.parameters)
    result = [
        _parameters(language, page.parameter_count),
        _input(language, given),
        _settings(language, given, training=trains(page.workload.name)),
        Fact(
            language.pgettext("fact", "Systems"),
            language.number(page.systems),
            language.comma.join(
                language.isolate(
                    f"{language.number(n)} {terms.device_text(language, device)}"
                )
                for device, n in page.devices[:3]
            ),
        ),
        Fact(
            language.pgettext("fact", "Figures"),
            language.number(page.figures),
            language.comma.join(
                terms.counted_label(language, label, n) for label, n in page.labels[:2]
            ),
        ),
        Fact(
            language.pgettext("table header", "Machines"),
            language.isolate(f"≥ {language.number(page.machines)}"),
            next(replication_texts(language, page.replication), "")
            if page.replication
            else "",
        ),
        _passed(language, page.gates),
    ]
    return [fact for fact in result if fact.value]


def _passed(language: Language, gates: Sequence[str]) -> Fact:
    name = language.pgettext("fact", "Checks")
    if not gates:
        return Fact(name, "")
    text = language.npgettext("fact", "%(n)s passed", "%(n)s passed", len(gates))
    shown = [gate_text(language, gate) for gate in gates[:_GATES]]
    more = len(gates) - _GATES
    shown += [language.isolate(f"+ {more}")] if more > 0 else []
    return Fact(name, text, language.comma.join(shown))


def _parameters(language: Language, counts: Sequence[tuple[str, int]]) -> Fact:
    name = language.pgettext("fact", "Model")
    if not counts:
        return Fact(name, "")
    most = max(count for _, count in counts)
    size = language.significant(most / 1e6) if most >= 1e6 else language.number(most)
    text = (
        language.pgettext("fact", "%(n)s M parameters", n=Name(size))
        if most >= 1e6
        else language.pgettext("fact", "%(n)s parameters", n=Name(size))
    )
    different = len({count for _, count in counts}) > 1
    more = " · ".join(
        f"{framework_title(framework)} {language.number(count)}"
        for framework, count in counts
    )
    return Fact(name, text, language.isolate(more) if different else "")


def _input(language: Language, given: Mapping[str, str]) -> Fact:
    name = language.pgettext("fact", "Input")
    if size := given.get("image_size"):
        text = language.isolate(f"{size} × {size}")
    elif length := given.get("sequence_length"):
        text = language.pgettext("fact", "sequences of %(n)s", n=Name(length))
    else:
        return Fact(name, "")
    classes = given.get("classes")
    more = (
        language.pgettext("fact", "%(n)s classes", n=Name(classes)) if classes else ""
    )
    return Fact(name, text, more)


def _settings(language: Language, given: Mapping[str, str], *, training: bool) -> Fact:
    parts = [given.get("optimizer", "")]
    if batch := given.get("batch_size"):
        parts.append(language.pgettext("work", "batch %(n)s", n=Name(batch)))
    rate = given.get("learning_rate")
    more = (
        language.pgettext(
            "fact", "learning rate %(n)s", n=Name(fixed(language.locale, rate))
        )
        if rate
        else ""
    )
    text = language.comma.join(filter(None, parts))
    name = (
        language.pgettext("fact", "Training")
        if training
        else language.pgettext("fact", "Setting")
    )
    return Fact(name, text, more if text else "")


def kind_text(language: Language, kind: str) -> str:
    """Name a kind of workload."""
    return {
        "rnn": language.pgettext("kind of work", "recurrent networks"),
        "mlp": language.pgettext("kind of work", "small networks"),
        "cnn": language.pgettext("kind of work", "convolutional networks"),
        "transformer": language.pgettext("kind of work", "transformers"),
        "inference": language.pgettext("kind of work", "inference"),
        "operation": language.pgettext("kind of work", "single operations"),
    }[kind]
