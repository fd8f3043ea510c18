"""The view of a report as JSON: what the page shows, for programs."""

import json
import math
from typing import Any

from benchdb.report import untrusted
from benchdb.report.view.atoms import field_names
from benchdb.report.view.page import Report

FORMAT = 1


def document(report: Report) -> bytes:
    """Return *report* as one JSON object: UTF-8, strict, its members in fixed order.

    ``format`` is 1, ``producer`` is ``benchdb``. All other members are those of
    ``benchdb.report.view.Report``, by their names there:

    * ``values_count``, ``systems_count``, ``sources_count``, ``newest`` (a day, or
      null) and ``database_digest`` (SHA-256 over the whole database's contents);
    * ``answers``: the headlines, each with ``kind``, ``low``, ``high`` and ``facts``;
      one that is ``bounded`` is of figures under unlike conditions;
    * ``metal``, ``ranking``, ``distance`` and the other ``sections``: the comparisons,
      null where there is none;
    * ``values``: the table of values. ``quantity`` is null for what was not measured,
      else ``value`` in ``unit``, ``printed`` as the source has it, ``n`` processes,
      the interval from ``low`` to ``high`` within one of ``sessions`` or over all,
      ``grade``, a letter, ``label``, how it came here, and ``notes``, keys of the
      member of that name. ``against`` says why the grade is X: ``code`` and ``about``.
      ``run``, or ``runs`` of several processes, are digests of ``benchdb show``;
      ``source`` is a ``key`` of ``sources``;
    * ``machines``, ``notes`` (``code`` and ``detail``) and ``sources`` with claims;
    * ``chosen``: the filters, ``there``: where they leave nothing, what there is; both
      lists of ``option`` and ``names``;
    * ``room``: ``runs`` of ``of_runs`` and ``machines`` of ``of_machines`` that are
      shown of a large database, null where nothing is left out.

    Sizes are in bytes; ratios are factors of speed. No number is NaN or infinite: such
    a one is null. New members may come; one that goes makes another ``format``.
    """
    clean = untrusted.cleaned(report)
    sections = [(name, _plain(part)) for name, part in clean.sections.items()]
    whole: dict[str, Any] = {"format": FORMAT, "producer": "benchdb"}
    for name in field_names(Report):
        if name == "values":
            whole |= sections[:3]
        elif name == "room":
            whole |= sections[3:]
        if name != "sections":
            whole[name] = _plain(getattr(clean, name))
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=1)
    return f"{text}\n".encode()


def _plain(value: Any) -> Any:
    if names := field_names(type(value)):
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in sorted(value.items())}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
