"""Draw mutants for ``tests/mutants.tsv``; only this needs a tool, cosmic-ray.

    python -m venv VENV && VENV/bin/pip install cosmic-ray==8.7.0
    VENV/bin/python -m tools.mutants_table

It replaces the table, results and remarks with it. Of all mutants that cosmic-ray knows
for the modules of an area, 60 are drawn by chance, the same in each run. Left out are
those in annotations, those that change more than one line, those of a line that stands
twice in its function, and faults that nobody makes (``a // b`` for ``a + b``).
"""

import ast
import random
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec

from tools.mutants import ROOT, TABLE, Mutant, lines_in_scopes, write

SEED = 8
EACH = 60  # mutants of an area

_QUANTITIES = " ".join(
    f"importing/quantities/test_quantity{part}"
    for part in ("", "_missing", "_forms", "_parts", "_units", "_locales")
)
_EFFICIENCY = "site/test_efficiency"
_SUMMARY = "report/test_systems report/test_summary_measured"
_FOREIGN = "report/test_summary_foreign"
_SUMMARY += " report/test_summary_published test_golden"
# The modules of each area with the tests of each, quick ones first.
AREAS: Mapping[str, Mapping[str, str]] = {
    "identity": {
        "benchdb/identity.py": "test_identity test_canonical_content",
        "benchdb/exchange/record.py": (
            "test_canonical_content test_packing test_duplicates test_golden"
        ),
        "benchdb/store/checks/digest_check.py": "test_db_check",
        "benchdb/store/machines.py": "test_machines test_highlight",
        "collectors/harness/main.py": "collectors/harness/test_harness",
        "collectors/harness/anonymous_id.py": "collectors/harness/test_anonymous_id",
    },
    "canonical": {
        "benchdb/exchange/canonical_content.py": "test_canonical_content test_identity",
        "benchdb/exchange/packing.py": (
            "test_packing test_canonical_content parquet/test_parquet_parts"
        ),
        "benchdb/exchange/framing.py": "test_reader test_misbehaviour",
        "benchdb/exchange/writer.py": "test_packing test_export test_golden",
        "benchdb/sorted_json.py": "test_canonical_content test_identity",
        "benchdb/store/tables.py": "test_json_text test_canonical_content test_results",
    },
    "quantities": {
        f"benchdb/importing/quantities/{name}.py": _QUANTITIES
        for name in ["characters", "missing_values", "quantity", "tokens", "unit_names"]
    },
    "statistics": {
        "benchdb/statistics/comparison.py": "statistics/test_comparison",
        "benchdb/grading.py": "test_grading test_grades",
        "benchdb/plausibility/source_tables.py": (
            "plausibility/test_plausibility_tables"
        ),
        "collectors/harness/timing.py": "collectors/harness/test_steady",
    },
    "comparability": {
        "benchdb/report/measurement.py": f"report/test_measurements {_SUMMARY}",
        "benchdb/report/value_table.py": "report/test_value_table test_golden",
        "benchdb/report/systems.py": _SUMMARY,
        "benchdb/report/inputs.py": f"{_SUMMARY} {_FOREIGN}",
        "benchdb/site/answers/efficiency.py": _EFFICIENCY,
        "benchdb/store/run_grades.py": "test_grades test_gpu_selection",
        "benchdb/store/newest.py": "test_newest test_grades",
    },
}

# Faults that a person could make. The others stop the program at once, mostly.
OPERATORS = frozenset(
    {
        *("AddNot", "NumberReplacer", "RemoveDecorator", "ZeroIterationForLoop"),
        *("ReplaceAndWithOr", "ReplaceOrWithAnd"),
        *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
        *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
        *("ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_USub"),
        *(
            f"ReplaceBinaryOperator_{pair}"
            for pair in (
                *("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul"),
                *("Mod_FloorDiv", "Pow_Mul", "BitOr_BitAnd", "BitAnd_BitOr"),
            )
        ),
        *(
            f"ReplaceComparisonOperator_{pair}"
            for pair in (
                *("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
                *("Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt"),
                *("Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt"),
            )
        ),
    }
)


def drawn(area: str) -> Iterator[Mutant]:
    """Yield the mutants of *area*, in the order in which chance has them."""
    specs = list(_specs(ROOT / module for module in AREAS[area]))
    chance = random.Random(f"{SEED} {area}")  # noqa: S311  no secret
    for spec in chance.sample(specs, len(specs)):
        mutant = _mutant(area, spec)
        if mutant is not None:
            yield mutant


def _specs(modules: Iterable[Path]) -> Iterator[MutationSpec]:
    with TemporaryDirectory() as room:
        database = Path(room) / "mutants.sqlite"
        with use_db(database, mode=WorkDB.Mode.create) as work:
            init(modules, work, {})
            specs = [spec for item in work.work_items for spec in item.mutations]
    types = {module: _types(module) for module in {it.module_path for it in specs}}
    order = sorted(
        specs,
        key=lambda it: (it.module_path, it.start_pos, it.operator_name, it.occurrence),
    )
    return (
        it
        for it in order
        if it.operator_name.removeprefix("core/") in OPERATORS
        and not _inside(it.start_pos, types[it.module_path])
    )


def _types(module: Path) -> list[ast.expr]:
    """Return the annotations of *module* and the types that it gives a name."""
    tree = ast.parse(module.read_text("utf-8"))
    values = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    types = [it for it in values if _is_type(it)]
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
            types.append(node.annotation)
        elif isinstance(node, ast.FunctionDef) and node.returns:
            types.append(node.returns)
    return types


def _is_type(value: ast.expr) -> bool:
    union = isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr)
    return union or isinstance(value, ast.Subscript)


def _inside(place: tuple[int, int], nodes: Iterable[ast.expr]) -> bool:
    return any(
        (it.lineno, it.col_offset)
        <= place
        < (it.end_lineno or it.lineno, it.end_col_offset or 0)
        for it in nodes
    )


def _mutant(area: str, spec: MutationSpec) -> Mutant | None:
    """Return the row of a mutant, ``None`` where it is not of a line of its own."""
    source = spec.module_path.read_text("utf-8")
    lines, operator = source.splitlines(), get_operator(spec.operator_name)()
    mutated = (mutate_code(source, operator, spec.occurrence) or source).splitlines()
    matches = SequenceMatcher(None, lines, mutated, autojunk=False).get_opcodes()
    changes = [it[1:] for it in matches if it[0] != "equal"]
    start, end, new_start, new_end = changes[0] if changes else (0, 0, 0, 0)
    if len(changes) != 1 or end - start != 1 or new_end - new_start > 1:
        return None
    if not _is_python(mutated):
        return None
    numbered = [*lines_in_scopes(source)]
    if numbered.count(numbered[start]) != 1:
        return None
    function, original = numbered[start]
    return Mutant(
        number="",
        area=area,
        module=str(spec.module_path.relative_to(ROOT)),
        function=function,
        operator=spec.operator_name.removeprefix("core/"),
        original=original,
        mutated="".join(mutated[new_start:new_end]).strip(),
        tests=AREAS[area][str(spec.module_path.relative_to(ROOT))],
    )


def _is_python(lines: Iterable[str]) -> bool:
    try:
        ast.parse("\n".join(lines))
    except SyntaxError:
        return False
    return True


def main() -> None:
    """Replace the table."""
    mutants = [it for area in AREAS for it in islice(drawn(area), EACH)]
    numbered = (
        it._replace(number=str(number)) for number, it in enumerate(mutants, start=1)
    )
    write(TABLE, [*numbered])


if __name__ == "__main__":
    main()
