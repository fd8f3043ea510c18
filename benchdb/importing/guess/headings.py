"""What one text says: a heading above a table or inside it, a header, a file's name."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from benchdb.importing import naming
from benchdb.importing.guess.assumption import Assumption, Guess, guess
from benchdb.importing.guess.field_rules import operating_system
from benchdb.importing.guess.machine_rules import Machines
from benchdb.importing.mapping.language import Column, Fields, Heading
from benchdb.importing.sheet import Sheet

PROSE = 120  # characters; longer texts are sentences, not names
_LOOKED_AT = 100  # different headings of a table
_SPECIAL = re.compile(r"([.^$*+?{}\[\]\\|()])")
_BATCH = re.compile(
    r"(?<![a-z])(?:bs|b|batch(?:[ _-]?size)?|batchgröße|배치(?: ?크기| ?사이즈)?"
    r"|批大小|批次大小|batch de)\s*[:=×x]?\s*(\d{1,6})(?![\d.,])"
    r"|(?<![\d.,])(\d{1,6})[ -](?:batch|배치)(?![a-z])",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n|(?<=[\u3002\uff01\uff1f])")
_CORES = re.compile(r"(?<![\w.])\d{1,3}GPU(?!s)", re.IGNORECASE)  # 8P+16GPU
_PIECES = re.compile(
    r"\s(?:on|with|using|in|mit|auf|unter|avec|sur|con|by)\s|[:–—|,(\[]", re.IGNORECASE
)
_ENDS = re.compile(
    r"\s+(?:results?|performance|throughput|speed|time|times|ergebnisse|résultats|결과"
    r"|结果)$",
    re.IGNORECASE,
)


def text_facts(text: str, machines: Machines, *, whole: bool = True) -> Guess:
    """Return the fields that *text* sets; machines are entered into *machines*."""
    if len(text) > PROSE:
        return guess()
    fields: Fields = {}
    assumed: list[str] = []
    chip = naming.chip(text)
    if chip is not None:
        fields["machine"] = machines.key(text, chip, whole=whole)
    rest = _CORES.sub(" ", chip.rest if chip else text)
    if (device := naming.device(rest, chip)) is not None:
        fields["device"] = device
        if naming.device(rest) is None:
            assumed.append(f"the GPU of {chip.name if chip else text} ran by {device}")
    if (framework := naming.framework(text)) is not None:
        fields["framework"] = framework
        if version := naming.framework_version(text):
            fields["framework_version"] = version
    if (precision := naming.precision(text)) is not None:
        fields["precision"] = precision
    if match := _BATCH.search(rest):
        fields["parameters.batch_size"] = int(match[1] or match[2])
    fields |= operating_system(text)
    # Words that begin the text: "GEMM on H100" is a GEMM, not said to be our product.
    begin = _PIECES.split(text, maxsplit=1)[0].strip()
    words = (text, begin, _ENDS.sub("", begin))
    if workload := next((one for one in words if naming.workload(one)), None):
        fields["workload"] = workload
    return guess(*assumed, set=fields)


class Headings(msgspec.Struct):
    """What headings say, as the map has them; and what of that is assumed."""

    by_pattern: dict[str, Heading] = {}
    assumptions: list[Assumption] = []

    def add(self, text: str, fields: Fields, *why: str) -> None:
        """Let the heading *text* set *fields* too."""
        key = _SPECIAL.sub(r"\\\1", text)
        known = self.by_pattern.get(key, Heading())
        basis = {name.rpartition(".")[2]: f"heading: {text}" for name in fields}
        self.by_pattern[key] = Heading(
            set={**known.set, **fields}, basis={**known.basis, **basis}
        )
        self.assumptions += [Assumption(one, path=("headings", key)) for one in why]


def headings(sheets: Sequence[Sheet], told: set[str], machines: Machines) -> Headings:
    """Return what texts above the tables, and rows between, say beside what is *told*.

    Of prose that is only the operating system.
    """
    result = Headings()
    for text, is_prose in list(dict.fromkeys(_texts(sheets)))[:_LOOKED_AT]:
        if is_prose or not text:
            facts = guess(set=operating_system(text))
        else:
            known = Machines() if "machine" in told else machines
            facts = text_facts(text, known, whole=False)
        fields = {n: it for n, it in facts.column.set.items() if n not in told}
        if fields:
            why = f"this heading tells {', '.join(fields)} of the rows below it"
            result.add(text, fields, *(one.text for one in facts.assumptions), why)
    return result


def _texts(sheets: Sequence[Sheet]) -> Iterator[tuple[str, bool]]:
    """Yield the headings of *sheets*, and the sentences of what is no heading."""
    for sheet in sheets:
        for text in sheet.context:
            several = _SENTENCE.split(text[:2000])
            several = [one.strip() for one in several if one.strip()]
            is_prose = len(several) > 1 or len(text) > PROSE
            yield from ((one, is_prose) for one in several)
        for row in sheet.rows:
            if not any(cell.text.strip() for cell in row.cells[1:]):
                yield row.cells[0].text.strip(), False


def add_sections(
    result: Headings, sheets: Sequence[Sheet], columns: Mapping[str, Column]
) -> None:
    """Let headings set ``parameters.section`` where only they tell rows apart.

    A heading is used only where another table has the same rows, which would be the
    same runs, and what other headings say of both is equal.
    """
    alike: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        fields: Fields = {}
        for text in sheet.context:
            for key, heading in result.by_pattern.items():
                if re.search(key, text):
                    fields |= heading.set
        alike.setdefault(repr(fields), []).append(sheet)
    for group in alike.values():
        if len(group) < 2 or not _repeat_rows(group, columns):
            continue
        times = Counter(text for one in group for text in set(one.context))
        for sheet in group:
            own = [t for t in sheet.context if times[t] == 1 and 0 < len(t) <= PROSE]
            for text in own[:1]:
                why = f"only the heading {text!r} tells these rows from others"
                result.add(text, {"parameters.section": text}, why)


def _repeat_rows(sheets: Sequence[Sheet], columns: Mapping[str, Column]) -> bool:
    """Tell whether rows of two of *sheets* say the same beside their figures."""
    kinds = [columns.get(name, Column()).is_ for name in sheets[0].header]
    names = [n for n, kind in enumerate(kinds) if kind in ("field", "metric")]
    rows_before: set[tuple[str, ...]] = set()
    for sheet in sheets:
        rows = {tuple(row.cells[n].text for n in names) for row in sheet.rows}
        if rows & rows_before:
            return True
        rows_before |= rows
    return False
