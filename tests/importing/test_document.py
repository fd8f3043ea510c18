"""A file of others in memory: its name, and the folders around it."""

from pathlib import Path

import pytest

from benchdb.importing.document import folders_of


@pytest.mark.parametrize(
    ("path", "folders"),
    [
        ("results/m1-max_32gpu/run.csv", ("results", "m1-max_32gpu")),
        ("/a/b/c/d/run.csv", ("b", "c", "d")),
        ("../m2/run.csv", ("m2",)),
        ("run.csv", ()),
    ],
)
def test_the_innermost_folders_that_a_path_names(path, folders):
    assert folders_of(Path(path)) == folders
