"""When the phases of a worker began and ended, as it says."""

from _energy import Span


class Phases:
    """The begins and ends of phases by name, in seconds of the monotonic clock."""

    def __init__(self) -> None:
        """Begin with none."""
        self._begun: dict[str, float] = {}
        self._spans: dict[str, list[Span]] = {}
        self._samples: dict[str, int] = {}

    def note(self, name: str, at: float, samples: int | None, *, begin: bool) -> None:
        """Take one begin or end; an end that never began is no phase."""
        if begin:
            self._begun[name] = at
        elif name in self._begun:
            span = Span(self._begun.pop(name), at)
            self._spans.setdefault(name, []).append(span)
            if samples is not None:
                self._samples[name] = self._samples.get(name, 0) + samples

    def open(self, *names: str) -> bool:
        """Return whether one of *names* has begun and not ended."""
        return any(name in self._begun for name in names)

    def spans(self, name: str) -> list[Span]:
        """Return when the phase went on, from begin to end."""
        return list(self._spans.get(name, ()))

    def unfinished(self, name: str, now: float) -> list[Span]:
        """Return the same, and what began and never ended, until *now*."""
        begun = [Span(self._begun[name], now)] if name in self._begun else []
        return [*self.spans(name), *begun]

    def samples(self, name: str) -> int | None:
        """Return the samples done in the phase, where the worker said so."""
        return self._samples.get(name)
