"""What tests of campaigns share."""

from pathlib import Path

import pytest

from tests import troubled_checkout


@pytest.fixture(scope="session")
def checkout(tmp_path_factory) -> Path:
    return troubled_checkout.make(tmp_path_factory.mktemp("checkout"))
