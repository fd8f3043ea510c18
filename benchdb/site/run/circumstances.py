"""What a page of a run says of its work, its machine and where it comes from."""

from collections.abc import Iterator

import msgspec
from markupsafe import Markup, escape

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.wording import sources, terms
from benchdb.report.wording.facts import locator_text
from benchdb.site.run import Origin, RunFacts, over_time
from benchdb.site.run.named_facts import chosen, in_brackets, marked, names, reason

_LETTERS = 12  # of a digest


class Row(msgspec.Struct, frozen=True):
    """A name and what is known of it; *data* where that is in no language."""

    name: str
    text: str
    data: bool = False


def ran(language: Language, facts: RunFacts) -> Iterator[Row]:
    """Yield what ran: work, parameters, precision, framework, system."""
    yield Row(language.pgettext("run", "Workload"), _work(language, facts))
    if facts.parameters:
        name = language.pgettext("run", "Parameters")
        yield Row(name, chosen(language, facts.parameters))
    if how := " · ".join(filter(None, facts.how.values())):
        yield Row(language.pgettext("run", "Precision"), how, data=True)
    software = dict(facts.environment)
    framework = [
        terms.framework_text(language, facts.framework),
        software.pop("framework_version", None),
    ]
    software.pop("framework", None)
    text = " ".join(filter(None, framework))
    yield Row(language.pgettext("run", "Framework"), text, data=True)
    system = [
        software.pop(name, None) for name in ("os_name", "os_version", "os_build")
    ]
    if any(system):
        text = " ".join(filter(None, system))
        yield Row(language.pgettext("run", "System"), text, data=True)
    if software:
        yield Row(language.pgettext("run", "Software"), marked(language, software))


def _work(language: Language, facts: RunFacts) -> Markup:
    """Return the work with its version, and whose way of running it this is."""
    own = Markup("<bdi>{} v{}</bdi>").format(facts.workload, facts.version)
    parts = [_titled(language, facts), own]
    if facts.setting != "standard":
        parts.append(Markup("<bdi>{}</bdi>").format(facts.setting))
    if facts.protocol:
        named, _, part = facts.protocol.partition(", ")
        name, _, version = named.partition(" protocol ")
        if name == "source":
            # TRANSLATORS: a source's way of measuring, v1 or v2
            text = language.pgettext(
                "run", "protocol of the source, %(version)s", version=Name(version)
            )
        else:
            # TRANSLATORS: what is timed, and how
            text = language.pgettext(
                "run", "protocol %(name)s", name=Name(f"{name} {version}")
            )
        parts.append(text)
        # TRANSLATORS: a protocol, of which fewer steps were done
        parts += [language.pgettext("run", "shortened")] if part else []
    return escape(language.comma).join(parts)


def _titled(language: Language, facts: RunFacts) -> str:
    title = terms.work_named(language, facts.workload, facts.title)
    return Markup("<bdi>{}</bdi>").format(title) if title == facts.title else title


def around(language: Language, facts: RunFacts) -> Iterator[Row]:
    """Yield the machine, and what it did before, while and after it measured."""
    for name, known in (
        (language.pgettext("run", "Machine"), facts.machine),
        (language.pgettext("run", "Before"), facts.before),
        (language.pgettext("run", "While measuring"), facts.during),
        (language.pgettext("run", "After"), facts.after),
    ):
        if known:
            yield Row(name, marked(language, known))
    for name, text in over_time.around(language, facts):
        yield Row(name, text)
    if facts.unknown:
        reasons = {
            it for why in facts.unknown.values() if why for it in why.split("; ")
        }
        text = names(language, facts.unknown)
        if reasons:
            why = escape(language.semicolon).join(
                reason(language, it) for it in sorted(reasons)
            )
            text = Markup("{}{}").format(text, in_brackets(language, why))
        yield Row(language.pgettext("run", "Not known"), text)


def origin(language: Language, facts: RunFacts) -> Iterator[Row]:
    """Yield what measured a run, or the document that it was read from."""
    if facts.collector:
        digest = (facts.collector_sha256 or "")[:_LETTERS]
        text = f"{facts.collector}, SHA-256 {digest}" if digest else facts.collector
        yield Row(language.pgettext("run", "Collector"), text, data=True)
    if facts.campaign:
        yield Row(language.pgettext("run", "Campaign"), facts.campaign, data=True)
    if own := facts.origin:
        if own.document:
            yield Row(language.pgettext("run", "Document"), own.document, data=True)
        if own.sha256:
            yield Row("SHA-256", own.sha256, data=True)
        if own.locator:
            place = locator_text(language, own.locator)
            yield Row(language.pgettext("run", "Place"), place)
        if own.published:
            yield Row(language.pgettext("run", "Published"), own.published)
        if own.licence:
            text = sources.licence_text(language, own.licence)
            yield Row(language.pgettext("run", "Licence"), text)
        if own.importer:
            yield Row(language.pgettext("run", "Importer"), _importer(language, own))
    # TRANSLATORS: the digest of a run's content, which is its name
    yield Row(language.pgettext("run", "Identity"), facts.run, data=True)


def _importer(language: Language, own: Origin) -> str:
    name = own.importer or ""
    if not name.startswith("map "):
        return language.isolate(name)
    # TRANSLATORS: of columns of a table to what they mean
    return language.pgettext(
        "run", "map %(name)s", name=Name(name.removeprefix("map "))
    )
