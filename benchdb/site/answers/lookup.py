"""What all answers look up: runs by digest, Macs by generation, doubts and years."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

import msgspec

from benchdb.site.answers.facts import Group, Held
from benchdb.site.answers.mac_names import Mac, macs
from benchdb.site.answers.reported import Reports, reported
from benchdb.site.content import Site
from benchdb.site.system_pairs import Worker
from benchdb.store.run_facts import Facts

BASELINE = Worker("M1", "metal")
_DOUBT = "impossible-os"  # it keeps no figure out, but whoever reads it is told


class Corpus(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A site with what its answers look up."""

    site: Site

    @cached_property
    def facts(self) -> Mapping[str, Facts]:
        """Return what each run says of itself, by digest."""
        return {run.facts.digest: run.facts for run in self.site.inputs.runs}

    @cached_property
    def chips(self) -> Sequence[Mac]:
        """Return the Macs of which anything was measured with Metal."""
        sides = self.site.systems.sides
        return [mac for mac in macs().values() if Worker(mac.name, "metal") in sides]

    @cached_property
    def _explained(self) -> dict[str, bool]:
        """Return of letters of notes whether they doubt no figure."""
        return {}

    @cached_property
    def _doubts(self) -> frozenset[str]:
        notes = self.site.report.notes
        return frozenset(run for it in notes if it.code == _DOUBT for run in it.runs)

    @cached_property
    def _years(self) -> dict[str, str]:
        """Keep the years of runs: a hundred comparisons rest on some."""
        return {}

    @cached_property
    def held(self) -> dict[tuple[Worker, Worker], Mapping[Group, Held]]:
        """Keep what pairs of systems say: the front page and chips ask for the same."""
        return {}

    @cached_property
    def reported(self) -> Reports:
        """Return what was reported of language models, by model and protocol."""
        return reported(self.site, self.is_doubtful)

    def work(self, run: str) -> str:
        """Return what ran: the model of a language model, else the workload's name."""
        facts = self.facts[run]
        model = facts.parameters.get("model")
        named = facts.workload.startswith("llm-") and isinstance(model, str)
        return str(model) if named else facts.workload

    def is_doubtful(self, letters: Collection[str]) -> bool:
        """Tell whether any of these *letters* of notes doubts a figure."""
        if not self._explained.keys() >= set(letters):
            notes = self.site.inputs.notes
            explained = notes.explained()
            for note in notes.rows():
                self._explained[note.key] = note.key in explained
        return not all(self._explained[letter] for letter in letters)

    def doubted(self, runs: Iterable[str]) -> tuple[str, ...]:
        """Return the chips of those *runs* whose origin is in doubt."""
        places = self.site.places
        return tuple(sorted({places[run].chip for run in runs if run in self._doubts}))

    def year(self, run: str) -> str:
        """Return the year of a run, or of the source that published it, "" if none."""
        if run not in self._years:
            started = self.facts[run].started
            published = self.site.published.get(self.site.places[run].source or "")
            self._years[run] = (started or published or "")[:4]
        return self._years[run]

    def years(self, runs: Iterable[str]) -> tuple[str, ...]:
        """Return the first and the last year of *runs*, as far as they are known."""
        known = sorted({year for run in runs if (year := self.year(run))})
        return (known[0], known[-1]) if known else ()


_last: list[Corpus] = []


def corpus_of(site: Site) -> Corpus:
    """Return the corpus of a site, the same one whenever that site is asked for."""
    if not _last or _last[0].site is not site:
        _last[:] = [Corpus(site)]
    return _last[0]
