"""What stands above a place in a document: headings, bold lines, a paragraph."""

import msgspec

_LEVELS = 6
_DEPTH_LIMIT = 32  # levels of details; deeper ones are read as if they were not there
_LENGTH_LIMIT = 2000  # characters; a longer paragraph is no caption


class _Scope(msgspec.Struct):
    """What is told inside one ``<details>``, or in the document itself."""

    summary: str = ""
    headings: dict[int, str] = {}
    bold: str = ""
    lead: str = ""

    def told(self) -> list[str]:
        return [
            self.summary,
            *(self.headings[level] for level in sorted(self.headings)),
            self.bold,
            self.lead,
        ]


class Outline:
    """What was read so far and still holds; every table asks for its ``context``."""

    def __init__(self) -> None:
        """Begin where nothing was read yet."""
        self._scopes = [_Scope()]
        self._above = ""
        self._too_deep = 0

    def context(self, *nearer: str) -> tuple[str, ...]:
        """Return what holds here, outermost first; *nearer* comes before what is right
        above.
        """
        told = [text for scope in self._scopes for text in scope.told()]
        told += [*nearer, self._above]
        kept = [text for text in told if 0 < len(text) <= _LENGTH_LIMIT]
        return tuple(dict.fromkeys(kept))

    def heading(self, level: int, text: str) -> None:
        """Take a heading: what was under its peers holds no more."""
        scope = self._scopes[-1]
        scope.headings = {
            higher: said for higher, said in scope.headings.items() if higher < level
        }
        scope.headings[min(level, _LEVELS)] = text
        scope.bold = scope.lead = self._above = ""

    def bold(self, text: str) -> None:
        """Take a line that is bold as a whole: a heading below all others."""
        self._scopes[-1].bold = text
        self._scopes[-1].lead = self._above = ""

    def lead(self, text: str) -> None:
        """Take a line that begins in bold; it holds beside the one bold as a whole.

        It may be another heading (``**M3** (16 GB)``) or a note on what is above it.
        """
        self._scopes[-1].lead = text

    def above(self, text: str) -> None:
        """Take the paragraph or caption that now is right above; ``""`` for none."""
        self._above = text

    def open_details(self) -> None:
        """Take the begin of ``<details>``."""
        if len(self._scopes) < _DEPTH_LIMIT:
            self._scopes.append(_Scope())
        else:
            self._too_deep += 1
        self._above = ""

    def summary(self, text: str) -> None:
        """Take the summary of the details that are open."""
        self._scopes[-1].summary = text
        self._above = ""

    def close_details(self) -> None:
        """Take the end of ``<details>``; one too many closes nothing."""
        if self._too_deep:
            self._too_deep -= 1
        elif len(self._scopes) > 1:
            self._scopes.pop()
        self._above = ""

    def close_all_details(self) -> None:
        """Take the end of a part that nothing inside it can outlast."""
        del self._scopes[1:]
        self._too_deep = 0
        self._above = ""
