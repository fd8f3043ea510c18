"""What an installation would consist of on systems that are not here.

uv resolves for any platform; wheels only, so nothing would need a compiler. It asks
the package index, which is the point: an extra can rot without a change of ours.
"""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"
CONSTRAINTS = ROOT / "constraints.txt"
DECLARED = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
EXTRAS = tuple(DECLARED["optional-dependencies"])
FRAMEWORKS = ("torch", "tensorflow", "tensorflow-macos")
# What resolves together resolves alone.
LIGHT = tuple(extra for extra in EXTRAS if extra not in FRAMEWORKS)
PROGRAMS = sorted((ROOT / "collectors").glob("with_*.py"))
HEADS = ("machine.py", "with_torch.py", "with_tensorflow.py", "with_mlx.py")
MAC, INTEL_MAC = "aarch64-apple-darwin", "x86_64-apple-darwin"
LINUX = "x86_64-manylinux_2_35"  # what MLX needs at least: Ubuntu 22.04, Debian 12
PYTHONS = ("3.11", "3.12")
UV = Path(sys.executable).with_name("uv")
AT_ONCE = 8  # they mostly wait for the index


@dataclass(frozen=True)
class Wanted:
    """Something to install: extras beside the core, or what a program's header asks."""

    extras: tuple[str, ...] = ()
    platform: str = MAC
    python: str = "3.11"
    tested: bool = False  # only the versions of constraints.txt
    source: Path = PROJECT

    @property
    def command(self) -> list[str]:
        """Return the uv that resolves it; it writes nothing."""
        return [
            *(str(UV), "pip", "compile", "--quiet", "--no-header", "--no-annotate"),
            *("--only-binary", ":all:", "--python", sys.executable),
            *("--python-platform", self.platform, "--python-version", self.python),
            *(part for extra in self.extras for part in ("--extra", extra)),
            *(("--constraints", str(CONSTRAINTS)) if self.tested else ()),
            str(self.source),
        ]


# No framework for all of these: what must install is benchdb, and what tests it.
CORE = tuple(
    Wanted(("charts", "postgres", "parquet", "dev"), platform, f"3.{minor}")
    for platform, minor in product((MAC, LINUX), range(11, 15))
)
SYSTEMS = ((MAC, "3.11"), (MAC, "3.12"), (LINUX, "3.12"))
OF_EXTRAS = tuple(
    Wanted(extras, *system)
    for extras, system in product(
        (*((framework,) for framework in FRAMEWORKS), LIGHT), SYSTEMS
    )
)
# As the Makefile and the macOS job of CI install them; Linux installs them for real.
TOGETHER = (
    ("torch",),
    ("tensorflow",),
    ("torch", "tensorflow", "mlx", "apple"),
    ("charts", "torch", "tensorflow", "mlx", "postgres", "parquet", "docs", "dev"),
)
TESTED = tuple(
    Wanted(extras, MAC, python, tested=True)
    for extras, python in product(TOGETHER, PYTHONS)
)
OF_PROGRAMS = tuple(
    Wanted((), *system, source=program)
    for program, system in product(PROGRAMS, SYSTEMS)
)
TOO_NEW = Wanted(("tensorflow",), MAC, "3.13")
TOO_OLD = Wanted(("tensorflow",), INTEL_MAC, "3.11")
MLX_ON_INTEL = Wanted(("mlx",), INTEL_MAC, "3.11")
Resolved = Mapping[Wanted, "dict[str, str] | str"]


def environment(folder: Path) -> dict[str, str]:
    """Return ours, with a cache in *folder* and uv's index, else pip's, or PyPI.

    The index is asked once about each package: asking anew whether that still holds
    takes more than all the resolving. uv reads no pip.conf. The lowest macOS is that of
    PyTorch's wheels since 2.12, and of Metal in PyTorch.
    """
    own = os.environ | {
        "UV_PYTHON_DOWNLOADS": "never",
        "MACOSX_DEPLOYMENT_TARGET": "14.0",
        "UV_CACHE_DIR": str(folder),
        "UV_CONFIG_FILE": str(folder / "uv.toml"),
    }
    index = "https://pypi.org/simple"
    for scope in ("global", ":env:"):
        asked = [sys.executable, "-m", "pip", "config", "get", f"{scope}.index-url"]
        process = subprocess.run(asked, capture_output=True, text=True, check=False)
        if process.returncode == 0:
            index = process.stdout.strip()
    for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX"):
        index = own.pop(name, index)
    text = (
        f'url = "{index}"\ndefault = true\ncache-control = {{ api = "max-age=3600" }}'
    )
    (folder / "uv.toml").write_text(f"[[index]]\n{text}\n")
    return own


def resolve(wanted: Wanted, within: Mapping[str, str]) -> dict[str, str] | str:
    """Return versions by name, or what uv says against it."""
    done = subprocess.run(
        wanted.command, capture_output=True, text=True, check=False, env=within
    )
    if done.returncode != 0:
        return done.stderr.strip()
    return dict(re.findall(r"^([\w.-]+)==([^\s;]+)", done.stdout, re.MULTILINE))


@pytest.fixture(scope="module")
def resolved(tmp_path_factory) -> Resolved:
    within = environment(tmp_path_factory.mktemp("uv"))
    too = (TOO_NEW, TOO_OLD, MLX_ON_INTEL)
    every = (*TESTED[::-1], *OF_EXTRAS, *OF_PROGRAMS, *CORE, *too)
    # The first fills the cache, or all would fetch the same.
    first = resolve(every[0], within)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        rest = pool.map(lambda wanted: resolve(wanted, within), every[1:])
        return dict(zip(every, [first, *rest], strict=True))


def answer_to(resolved: Resolved, wanted: Wanted) -> dict[str, str]:
    answer = resolved[wanted]
    assert isinstance(answer, dict), answer
    return answer


def title(wanted: Wanted) -> str:
    what = "+".join(wanted.extras) or wanted.source.stem
    tested = " constrained" if wanted.tested else ""
    return f"{what} {wanted.platform} {wanted.python}{tested}"


@pytest.mark.parametrize("wanted", OF_EXTRAS, ids=title)
def test_every_extra_installs_beside_the_core(wanted, resolved):
    packages = answer_to(resolved, wanted)

    assert {"sqlalchemy", "pandas", "typer"} <= packages.keys()


@pytest.mark.parametrize("wanted", CORE, ids=title)
def test_the_core_installs_from_wheels_on_each_python_that_we_name(wanted, resolved):
    named = f"Programming Language :: Python :: {wanted.python}"

    assert {"pandas", "pyarrow", "psycopg-binary"} <= answer_to(resolved, wanted).keys()
    assert named in DECLARED["classifiers"]


def test_no_python_is_named_that_was_not_tried():
    named = [it.split(" :: ")[-1] for it in DECLARED["classifiers"]]

    tried = {wanted.python for wanted in CORE}
    assert {it for it in named if it.startswith("3.")} == tried
    assert DECLARED["requires-python"] == f">={min(tried)}"


@pytest.mark.parametrize("wanted", TESTED, ids=title)
def test_the_tested_versions_install_together(wanted, resolved):
    packages = answer_to(resolved, wanted)

    pinned = CONSTRAINTS.read_text(encoding="utf-8")
    for name in {"pandas", *wanted.extras} & packages.keys():
        assert f"\n{name}=={packages[name]}" in pinned


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("tested", [False, True])
def test_tensorflow_is_one_that_its_metal_plugin_loads(python, tested, resolved):
    packages = answer_to(resolved, Wanted(("tensorflow",), MAC, python, tested=tested))

    assert Version("2.18") <= Version(packages["tensorflow"]) < Version("2.20")
    assert packages["tensorflow-metal"] == "1.2.0"
    assert "tensorflow-macos" not in packages


@pytest.mark.parametrize("python", PYTHONS)
def test_the_older_pair_is_never_the_empty_stub(python, resolved):
    packages = answer_to(resolved, Wanted(("tensorflow-macos",), MAC, python))

    names = ("tensorflow-macos", "tensorflow", "tensorflow-metal")
    assert [packages[name] for name in names] == ["2.16.2", "2.16.2", "1.2.0"]


@pytest.mark.parametrize("python", PYTHONS)
def test_pytorch_comes_as_a_wheel_for_apple_silicon(python, resolved):
    packages = answer_to(resolved, Wanted(("torch",), MAC, python))

    # uv was held to wheels; 2.9 is the first to tell Metal's name and cores.
    assert Version(packages["torch"]) >= Version("2.9")
    assert not [name for name in packages if name.startswith("nvidia-")]


def test_linux_gets_nothing_that_is_apples(resolved):
    apples = {"tensorflow-metal", "tensorflow-macos", "zeus-apple-silicon", "mlx-metal"}
    there = [wanted for wanted in resolved if wanted.platform == LINUX]
    assert len(there) == len(FRAMEWORKS) + len([LIGHT]) + len(PROGRAMS) + len(CORE) / 2

    assert [
        wanted for wanted in there if apples & answer_to(resolved, wanted).keys()
    ] == []


def test_mlx_comes_with_the_part_that_computes_there(resolved):
    mac, linux = Wanted(LIGHT, MAC), Wanted(LIGHT, LINUX, "3.12")

    assert {"mlx", "mlx-metal"} <= answer_to(resolved, mac).keys()
    assert {"mlx", "mlx-cpu"} <= answer_to(resolved, linux).keys()
    assert "mlx" not in answer_to(resolved, MLX_ON_INTEL)


def test_energy_of_apple_silicon_and_of_nvidia_come_where_they_belong(resolved):
    assert {"apple", "cuda"} < {*LIGHT}
    assert "zeus-apple-silicon" in answer_to(resolved, Wanted(LIGHT, MAC))
    assert "nvidia-ml-py" not in answer_to(resolved, Wanted(LIGHT, MAC))
    assert "nvidia-ml-py" in answer_to(resolved, Wanted(LIGHT, LINUX, "3.12"))


@pytest.mark.parametrize("wanted", [TOO_NEW, TOO_OLD], ids=title)
def test_where_no_metal_plugin_exists_none_is_half_installed(wanted, resolved):
    packages = answer_to(resolved, wanted)

    assert not [name for name in packages if name.startswith("tensorflow")]


@pytest.mark.parametrize("wanted", OF_PROGRAMS, ids=title)
def test_the_header_of_each_program_resolves(wanted, resolved):
    packages = answer_to(resolved, wanted)

    framework = wanted.source.stem.removeprefix("with_")
    assert framework in packages
    if framework == "tensorflow" and wanted.platform == MAC:
        assert Version("2.18") <= Version(packages["tensorflow"]) < Version("2.20")
        assert packages["tensorflow-metal"] == "1.2.0"


@pytest.mark.parametrize("wanted", OF_PROGRAMS, ids=title)
def test_an_environment_of_its_own_can_meter_what_its_framework_runs_on(
    wanted, resolved
):
    meter = "zeus-apple-silicon" if wanted.platform == MAC else "nvidia-ml-py"

    # NumPy runs on no GPU, and no package meters a processor.
    wants_one = wanted.source.stem != "with_numpy"
    assert (meter in answer_to(resolved, wanted)) is wants_one


def test_the_fingerprint_meters_with_what_the_collectors_meter_with():
    asked = [(ROOT / "collectors" / name).read_text() for name in HEADS]
    meters = [
        {
            line
            for line in text.splitlines()
            if re.search("#.*(nvidia-ml|zeus-ap)", line)
        }
        for text in asked
    ]

    assert len(meters[0]) == 2
    assert all(own == meters[0] for own in meters)
