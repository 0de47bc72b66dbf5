# SPDX-License-Identifier: Apache-2.0
"""Which measured points enclose one that was not measured."""

import math
import random
from collections.abc import Sequence

import pytest

from firesteel.advice.enclosing import MOST_PARAMETERS, Away, Corner, enclosing


def found(points: Sequence[Away]) -> dict[int, float]:
    corners = enclosing(points)
    if corners:
        assert math.fsum(corner.weight for corner in corners) == pytest.approx(1)
        for name in {name for away in points for name in away}:
            middle = math.fsum(c.weight * points[c.point].get(name, 0) for c in corners)
            assert middle == pytest.approx(0, abs=1e-9), "the weights lead to the question"
    return {corner.point: corner.weight for corner in corners}


def test_the_question_itself_encloses_itself() -> None:
    assert enclosing([{"a": -1.0}, {}, {"a": 1.0}]) == (Corner(1, 1.0),)


def test_of_one_parameter_the_neighbours_count() -> None:
    points = [{"a": -3.0}, {"a": -1.0}, {"a": 3.0}, {"a": 9.0}, {"b": 1.0}]
    assert found(points) == {1: pytest.approx(0.75), 2: pytest.approx(0.25)}


@pytest.mark.parametrize(
    "points",
    [
        [],
        [{"a": -1.0}],
        [{"a": 1.0}, {"a": 2.0}],
        [{"a": -1.0}, {"b": 1.0}],
        [{"a": -1.0, "b": -1.0}, {"a": 1.0, "b": 1.5}],
    ],
)
def test_what_is_not_between_is_not_enclosed(points: list[Away]) -> None:
    assert enclosing(points) == ()


def test_the_parameter_with_the_nearest_neighbours_counts() -> None:
    points = [{"a": -2.0}, {"a": 2.0}, {"b": -1.0}, {"b": 1.0}]
    assert found(points).keys() == {2, 3}


RECTANGLE: list[Away] = [{"a": a, "b": b} for a in (-1.0, 3.0) for b in (-1.0, 1.0)]


def test_of_two_parameters_the_corners_of_a_rectangle_count() -> None:
    assert found(RECTANGLE) == {
        0: pytest.approx(0.375),
        1: pytest.approx(0.375),
        2: pytest.approx(0.125),
        3: pytest.approx(0.125),
    }


def test_three_corners_are_no_rectangle_even_around_the_question() -> None:
    triangle: list[Away] = [{"a": -1.0, "b": -1.0}, {"a": -1.0, "b": 2.0}, {"a": 2.0, "b": -1.0}]
    assert enclosing(triangle) == ()


def test_the_smallest_rectangle_counts_and_neighbours_go_before_it() -> None:
    wide: list[Away] = [{"a": a, "b": b} for a in (-2.0, 4.0) for b in (-2.0, 2.0)]
    assert found([*wide, *RECTANGLE]).keys() == {4, 5, 6, 7}
    assert found([*RECTANGLE, {"a": -9.0}, {"a": 9.0}]).keys() == {4, 5}


def test_parameters_that_are_off_alike_are_one() -> None:
    both = [{"cores.a": step, "cores.b": step} for step in (-1.0, 1.0)]
    assert found(both) == {0: 0.5, 1: 0.5}
    assert found([*both, {"cores.a": 2.0}]) == {0: 0.5, 1: 0.5}


def test_of_more_parameters_the_hull_counts() -> None:
    cube: list[Away] = [
        {"a": a, "b": b, "c": c} for a in (-1.0, 2.0) for b in (-1.0, 1.0) for c in (-3.0, 1.0)
    ]
    assert 1 <= len(found(cube)) <= 4
    outside = [{**away, "a": away["a"] + 1.5} for away in cube]
    assert enclosing(outside) == ()
    assert enclosing(cube[:3]) == (), "too few points"
    plane = [{"a": a, "b": b, "c": a + b} for a in (-1.0, 2.0, 3.0) for b in (-1.0, 1.0)]
    assert enclosing(plane) == ()


def test_sampled_points_enclose_what_is_among_them() -> None:
    random.seed(1)
    sample = [{name: random.uniform(-1, 1) for name in "abcd"} for _ in range(60)]
    assert found(sample)
    assert len(enclosing(sample)) == 5
    many = [{str(n): random.uniform(-1, 1) for n in range(MOST_PARAMETERS + 1)} for _ in range(60)]
    assert enclosing(many) == ()


def test_a_large_grid_is_searched_near_the_question_alone() -> None:
    steps = [step + 0.5 for step in range(-60, 60)]
    corners = found([{"a": a, "b": b} for a in steps for b in steps])
    assert len(corners) == 4
    assert set(corners.values()) == {0.25}
