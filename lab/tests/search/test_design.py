# SPDX-License-Identifier: Apache-2.0
"""The first of ordered values at which something holds."""

from functools import partial
from operator import le

from hypothesis import given
from hypothesis import strategies as some

from firesteel.search.design import most_tried, search


@given(count=some.integers(2, 500), first=some.integers(0, 500), probes=some.integers(0, 5))
def test_the_first_is_found_with_few_tries(count: int, first: int, probes: int) -> None:
    values = [str(number) for number in range(count)]
    tried = []

    def holds(value: str) -> bool:
        tried.append(value)
        return int(value) >= first

    found = search(values, holds, probes)
    assert found.first == (str(first) if first < count else None)
    assert len(tried) == len(set(tried)), "nothing is measured twice"
    assert len(tried) <= 2 + probes + count.bit_length()
    assert found.contradiction is None
    if found.first is not None and first:
        assert found.before == str(first - 1)


def test_the_ends_decide_where_all_or_none_hold() -> None:
    none, every = (search(range(100), lambda _, holds=holds: holds) for holds in (False, True))  # type: ignore[misc]
    assert (none.first, none.before, sorted(none.tried)) == (None, 99, [0, 99])
    assert (every.first, every.before) == (0, None)


def test_a_contradiction_is_seen_where_it_was_tried() -> None:
    found = search(range(101), lambda value: value != 50 and value >= 10, probes=3)
    assert found.contradiction == (25, 50)
    assert found.first == 51, "behind what does not hold"


def test_a_first_value_that_holds_before_others_that_do_not() -> None:
    found = search(range(10), lambda value: value in (0, 9), probes=1)
    assert found.first == 9
    assert found.contradiction is not None
    assert found.contradiction[0] == 0


@given(count=some.integers(2, 300), probes=some.integers(0, 5))
def test_no_more_is_foretold_than_may_be_tried(count: int, probes: int) -> None:
    searches = (search(range(count), partial(le, first), probes) for first in range(count))
    assert most_tried(count, probes) == max(len(each.tried) for each in searches)
