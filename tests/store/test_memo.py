"""What was made of equal things is taken again, and nothing else."""

from benchdb.store.memo import Memo


def doubled(memo: Memo, numbers: dict[str, float]) -> tuple[list[float], list[str]]:
    """Return the double of each number, and the names of those computed anew."""
    asked: list[str] = []

    def make(names):
        asked.extend(names)
        return [2 * numbers[name] for name in names]

    return memo.each("doubled", numbers, make), asked


def test_only_what_is_given_anew_is_made_anew():
    memo = Memo()
    assert doubled(memo, {"a": 1, "b": 2}) == ([2, 4], ["a", "b"])

    values, asked = doubled(memo, {"c": 3, "b": 5, "a": 1})

    assert values == [6, 10, 2]
    assert asked == ["c", "b"]


def test_what_is_not_given_is_forgotten():
    memo = Memo()
    doubled(memo, {"a": 1, "b": 2})
    doubled(memo, {"b": 2})

    assert doubled(memo, {"a": 1, "b": 2}) == ([2, 4], ["a"])


def test_what_is_equal_to_nothing_is_made_each_time():
    memo = Memo()
    doubled(memo, {"a": float("nan")})

    assert doubled(memo, {"a": float("nan")})[1] == ["a"]


def test_parts_of_one_kind_are_no_parts_of_another():
    memo = Memo()
    doubled(memo, {"a": 1})

    assert memo.each("tripled", {"a": 1}, lambda names: ["three"] * len(names)) == [
        "three"
    ]


def test_a_table_lasts_as_long_as_the_memo():
    memo = Memo()
    memo.table("seen")["a"] = 1

    assert memo.table("seen") == {"a": 1}
    assert memo.table("others") == {}
