"""Canonical JSON: quick where that is easy, and the standard's own bytes everywhere."""

import msgspec
import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as some

from benchdb.identity import canonical, digest

numbers = some.floats(allow_nan=False, allow_infinity=False) | some.integers(
    -(2**53) + 1, 2**53 - 1
)
plain = some.none() | some.booleans() | numbers | some.text()
content = some.recursive(
    plain,
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(content)
@example({"a": [1.0, 1e-05, 1e16, 1e21, -0.0, 9020195340102440.0]})
@example({"\ue000": 1, "\U0001f600": 2})
@example({"text, 1e5": "\x7f\x1f\u2028/\\"})
@example(1e16)
def test_the_bytes_are_those_of_the_standard(plain):
    assert canonical(plain) == rfc8785.dumps(plain)


class Point(msgspec.Struct):
    x: float


@pytest.mark.parametrize("whole", [(1.0, 2), {"a": (1.0,)}, Point(1.0), [Point(-0.0)]])
def test_what_is_no_plain_data_is_written_as_what_it_stands_for(whole):
    assert canonical(whole) == rfc8785.dumps(msgspec.to_builtins(whole))


@pytest.mark.parametrize(
    "content",
    [
        *(float("nan"), {"a": float("inf")}, [2**53], [-(2**53)], {"a": "\ud800"}),
        *({1: "a"}, {"a": {None: 1}}, [{"a": 1.5, 2.5: 1}]),
    ],
)
def test_what_has_no_canonical_form_is_refused(content):
    with pytest.raises(rfc8785.CanonicalizationError):
        digest(content)
