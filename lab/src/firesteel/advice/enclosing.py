# SPDX-License-Identifier: Apache-2.0
"""Which measured points enclose one that was not measured, and what each weighs.

A point is how far it is from the one in question: for each parameter the logarithm of a factor.
Between neighbours in one parameter weights are linear; between the four corners of a rectangle they
are those of both parameters together; in more parameters, those of the corners of a simplex of the
points' Delaunay triangulation, so that the question lies within their convex hull.  Parameters that
are always off by the same factor count as one.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

Away = Mapping[str, float]
"""How far a point is, by parameter, without those in which it is not."""

_SAME = 9
"""Decimals to which logarithms of factors are the same."""

_NOTHING = 10**-_SAME
"""A weight of no more than this is none: the question lies on a side of the simplex."""

_NEAREST = 8
"""So many values on each side of the question may be sides of a rectangle."""

MOST_PARAMETERS = 6
"""In which points are triangulated: the work grows with their power."""


@dataclass(frozen=True)
class Corner:
    """A point, by its number, and its weight; the weights of all corners together are 1."""

    point: int
    weight: float


def enclosing(points: Sequence[Away]) -> tuple[Corner, ...]:
    """The points that enclose the one in question, in as few parameters as can be and the nearest
    of these; nothing where none do.  A point that is away in nothing is the one in question.
    """
    differing = list(dict.fromkeys(frozenset(away) for away in points))
    boxes = [box for parameters in differing if (box := _box(points, parameters))]
    if boxes:
        return min(boxes, key=lambda corners: (len(corners), _width(points, corners)))
    hulls = (_simplex(points, parameters) for parameters in differing)
    return min(filter(None, hulls), key=lambda corners: _width(points, corners), default=())


def _width(points: Sequence[Away], corners: Sequence[Corner]) -> float:
    return sum(abs(step) for corner in corners for step in points[corner.point].values())


def _box(points: Sequence[Away], parameters: frozenset[str]) -> tuple[Corner, ...]:
    """The smallest box around the question of points that are away in all of these parameters: the
    question itself, neighbours, or a rectangle.
    """
    among = {number: away for number, away in enumerate(points) if away.keys() == parameters}
    axes = _axes(among.values())
    if len(axes) > _RECTANGLE:
        return ()
    at = {tuple(away[axis] for axis in axes): number for number, away in among.items()}
    sides = [_sides({place[axis] for place in at}) for axis in range(len(axes))]
    boxes = (box for box in product(*sides) if all(corner in at for corner in product(*box)))
    smallest = min(boxes, key=lambda box: sum(high - low for low, high in box), default=None)
    if smallest is None:
        return ()
    return tuple(
        Corner(at[tuple(end for end, _ in ends)], prod(share for _, share in ends))
        for ends in product(*map(_shares, smallest))
    )


_RECTANGLE = 2
"""The most parameters of which boxes are looked for."""


def _axes(points: Iterable[Away]) -> list[str]:
    """A parameter for each that points are away in, those that are always off by the same factor
    being one.
    """
    points = list(points)
    names = dict.fromkeys(name for away in points for name in away)
    found = {tuple(round(away.get(name, 0), _SAME) for away in points): name for name in names}
    return list(found.values())


def _sides(values: Iterable[float]) -> list[tuple[float, float]]:
    """All pairs of a value below 0 and one above it, of the nearest."""
    values = list(values)
    low = heapq.nlargest(_NEAREST, (value for value in values if value < 0))
    high = heapq.nsmallest(_NEAREST, (value for value in values if value > 0))
    return list(product(low, high))


def _shares(side: tuple[float, float]) -> list[tuple[float, float]]:
    """Both ends with what each weighs at 0."""
    low, high = side
    return [(low, high / (high - low)), (high, -low / (high - low))]


def _simplex(points: Sequence[Away], parameters: frozenset[str]) -> tuple[Corner, ...]:
    """The corners of the simplex around the question, of points that are away in these parameters
    or in some of them; nothing where they do not enclose it.
    """
    # It is slow to load, and few questions need it.
    from scipy.spatial import Delaunay, QhullError

    among = {number: away for number, away in enumerate(points) if away.keys() <= parameters}
    axes = _axes(among.values())
    size = len(axes)
    if not _RECTANGLE < size <= MOST_PARAMETERS or len(among) <= size:
        return ()
    try:
        found = Delaunay([[away.get(axis, 0.0) for axis in axes] for away in among.values()])
    except QhullError:
        return ()  # All points lie in a plane.
    simplex = int(found.find_simplex([0.0] * size))
    if simplex < 0:
        return ()
    *inverse, origin = found.transform[simplex].tolist()
    weights = [-sum(a * b for a, b in zip(row, origin, strict=True)) for row in inverse]
    numbers = list(among)
    return tuple(
        Corner(numbers[corner], weight)
        for corner, weight in zip(
            found.simplices[simplex], [*weights, 1 - sum(weights)], strict=True
        )
        if weight > _NOTHING
    )
