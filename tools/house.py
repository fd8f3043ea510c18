"""Measure the size and shape of a checkout: ``python tools/house.py [CHECKOUT]``.

Run it with an interpreter that has the checkout's dependencies. The figures:

lines, statements  Of all Python files; statements of the AST, docstrings aside.
pass on       Functions whose body, docstring aside, is one call to which they give only
              names, their attributes and items, and constants. *To ours*: what is
              called has the name of a function of the product.
one importer  Modules that exactly one other of the product imports, at any place.
same name     Names of modules that stand in several layers (folders of the package).
one more      Files to write and to edit for it, counted for the one in EXAMPLES: its
              own (a word of the path is its name), product files where its name is an
              identifier or a whole text, templates and schemas that quote it, tests
              that name one of its modules in a text. No translations, no documents.
cell to row, row to HTML  See ``journey.py``.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TOOLS = Path(__file__).parent
PACKAGE, TESTS = "benchdb", "tests"
PRODUCT, DATA = (PACKAGE, "collectors"), ("reports", "schema")
SMALL = 60  # lines: a small module has fewer
# A name, and the paths where it means the example:
# collectors compute with NumPy as well.
EXAMPLES = {
    "section": ("listings", "(report|site)"),
    "format": ("hyperfine", ""),
    "framework": ("numpy", f"^({PACKAGE}|schema)/"),
}
PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Starred, ast.Constant, ast.Load)
NAMED = ("id", "attr", "arg", "name", "value")  # where nodes have identifiers and texts
Modules = dict[str, ast.Module]  # by path in the checkout
Figures = dict[str, int | list[str]]  # a count, or what is counted


def files(root: Path, *folders: str, pattern: str = "*") -> list[str]:
    """Return the paths of files, as they stand in the checkout."""
    every = (path for name in folders for path in (root / name).rglob(pattern))
    ours = (path for path in every if "__pycache__" not in path.parts)
    return sorted(path.relative_to(root).as_posix() for path in ours if path.is_file())


def parse(root: Path, *folders: str) -> Modules:
    """Return the Python files of some folders."""
    paths = files(root, *folders, pattern="*.py")
    return {path: ast.parse((root / path).read_bytes()) for path in paths}


def _is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def statements(modules: Modules) -> int:
    """Return how many statements there are, docstrings aside."""
    nodes = [node for module in modules.values() for node in ast.walk(module)]
    return sum(isinstance(node, ast.stmt) and not _is_constant(node) for node in nodes)


def target(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """Return the name of what a function only passes on to; None if it does more."""
    match [node for node in function.body if not _is_constant(node)]:
        case [ast.Return(value) | ast.Expr(value)]:
            if isinstance(value, ast.Await | ast.YieldFrom):
                value = value.value
            if isinstance(value, ast.Call):
                given = [*value.args, *(keyword.value for keyword in value.keywords)]
                if all(isinstance(n, PLAIN) for part in given for n in ast.walk(part)):
                    return ast.unparse(value.func).rpartition(".")[2]
    return None


def relays(modules: Modules) -> tuple[list[str], list[str]]:
    """Return the functions that only pass on, and those of them that do to ours."""
    targets, ours = {}, set()
    for path, module in modules.items():
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                targets[f"{path}:{node.lineno} {node.name}"] = target(node)
                ours.add(node.name)
    passing = [place for place, name in targets.items() if name]
    return passing, [place for place in passing if targets[place] in ours]


def parts(path: str) -> list[str]:
    """Return the parts of the name that a file is imported by."""
    names = path.removesuffix(".py").split("/")
    return names if names[0] == PACKAGE else names[1:]


def imports(path: str, module: ast.Module) -> Iterator[str]:
    """Yield the names of modules, and of what is in them, that a file imports."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            around = parts(path)[: -node.level] if node.level else []
            origin = ".".join([*around, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def imported_once(modules: Modules) -> list[str]:
    """Return the modules that exactly one other imports."""
    names = {".".join(parts(path)).removesuffix(".__init__"): path for path in modules}
    importers = defaultdict(set)
    for path, module in modules.items():
        for name in imports(path, module):
            imported = names.get(name) or names.get(name.rpartition(".")[0])
            importers[imported].add(path)
    return [path for path in modules if len(importers[path] - {path}) == 1]


def repeated_names(paths: list[str]) -> list[str]:
    """Return the names of modules that stand in several layers, and these."""
    layers = defaultdict(set)
    for path in map(Path, paths):
        layers[path.stem].add(path.parts[1])
    layers.pop("__init__", None)
    return [f"{n}: {' '.join(sorted(of))}" for n, of in layers.items() if len(of) > 1]


def extension(root: Path, modules: Modules, kind: str) -> list[str]:
    """Return the files that belong to the example of a section, format or framework."""
    name, scope = EXAMPLES[kind]
    word = re.compile(rf"(?<![a-z]){name}(?![a-z])")
    own = [path for path in files(root, *PRODUCT, *DATA, TESTS) if word.search(path)]
    if not own:
        sys.exit(f"no file is named after {name}: choose another {kind} in EXAMPLES")
    tails = {".".join(parts(path)[1:]) for path in own if path.startswith(PACKAGE)}
    quoted = re.compile(rf"[\"'/]{name}[\"'.]".encode())
    data = (path for path in files(root, *DATA) if re.search(scope, path))
    edits = {path for path in data if quoted.search((root / path).read_bytes())}
    for path, module in modules.items():
        if path.startswith(TESTS):
            known = bool(tails) and any(
                tail in text for text in texts(module) for tail in tails
            )
        else:
            known = bool(re.search(scope, path)) and name in texts(module)
        if known:
            edits.add(path)
    return sorted(edits.union(own))


@cache  # each is asked about every kind
def texts(module: ast.Module) -> set[str]:
    """Return the identifiers and texts of a file."""
    nodes = ast.walk(module)
    return {str(getattr(node, field, "")) for node in nodes for field in NAMED}


def journey(root: Path, step: str, folder: str) -> Figures:
    """Return through what a value goes in a step of ``journey.py``."""
    program = (sys.executable, "-B", TOOLS / "journey.py", root, folder, step)
    output = subprocess.check_output(program, env={"HOME": folder, "PATH": folder})
    return {f"{step}: {name}": items for name, items in json.loads(output).items()}


def figures(root: Path) -> Figures:
    """Return all figures of the checkout *root*."""
    product, tests = parse(root, *PRODUCT), parse(root, TESTS)
    lines = {path: (root / path).read_bytes().count(b"\n") for path in product | tests}
    result: Figures = {}
    for name, modules in (("product", product), ("tests", tests)):
        result[f"{name}: lines of Python"] = sum(lines[path] for path in modules)
        result[f"{name}: statements"] = statements(modules)
    result["modules of the package"] = package = files(root, PACKAGE, pattern="*.py")
    passing = ("functions that only pass on", "functions that only pass on to ours")
    result |= zip(passing, relays(product), strict=True)
    result["modules with one importer"] = single = imported_once(product)
    result["small modules with one importer"] = [p for p in single if lines[p] < SMALL]
    result["module names in several layers"] = repeated_names(package)
    for kind in EXAMPLES:
        result[f"files of one more {kind}"] = extension(root, product | tests, kind)
    with tempfile.TemporaryDirectory() as folder:
        for step in ("cell to row", "row to HTML"):
            result |= journey(root, step, folder)
    return result


def main() -> None:
    """Print the figures of a checkout, by default of this one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", nargs="?", type=Path, default=TOOLS.parent)
    parser.add_argument("--json", action="store_true", help="print counts and lists")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the lists")
    options = parser.parse_args()
    result = figures(options.checkout.resolve())
    if options.json:
        print(json.dumps(result, indent=2))
        return
    for name, counted in result.items():
        items = [] if isinstance(counted, int) else counted
        shown = f"{name:42} {len(items) or counted or 0:>7,}"
        print(shown, *(items if options.verbose else ()), sep="\n    ")


if __name__ == "__main__":
    main()
