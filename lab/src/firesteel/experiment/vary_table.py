# SPDX-License-Identifier: Apache-2.0
"""The tables `[vary]` and `[sample]` of an experiment's file, and the options that stand for them:
which numbers of boards and links vary, and how.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from firesteel.base.errors import FiresteelError
from firesteel.base.schema import Table
from firesteel.experiment.sweep import USUAL_BUDGET, Axis, Method, Sweep

_VALUE: list[dict[str, Any]] = [{"type": "string"}, {"type": "number"}]

_SCHEMA = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [*_VALUE, {"type": "array", "items": {"anyOf": _VALUE}}, {"type": "object"}]
    },
}


def _flat(told: Any) -> Any:
    """Tables in the table are keys with dots: TOML reads `cpu.hertz = 1` as such."""
    return dict(_items(told, "")) if isinstance(told, Mapping) else told


def _items(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _items(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value if isinstance(value, list) else [value]


VaryTable = Annotated[
    dict[str, list[str | int | float]], BeforeValidator(_flat), WithJsonSchema(_SCHEMA)
]
"""Values by paths, as people write them."""


class Sample(Table):
    """Some of all combinations of the values in `vary`, where there are too many."""

    method: Method
    """`lhs`, a Latin hypercube, or `sobol`, a scrambled Sobol sequence, whose length is a power
    of two.
    """
    cells: Annotated[int, Field(ge=1)] = USUAL_BUDGET
    """Budget: the most cells that are measured."""


def sweep_of(table: Mapping[str, Sequence[str | float]], sample: Sample | None) -> Sweep:
    """What a file's tables say; ValueError where there is no such number, or its values cannot be
    understood.
    """
    axes = []
    for path, said in table.items():
        try:
            axes.append(Axis.read(path, said))
        except ValueError as error:
            raise ValueError(f"key `vary.{path}`: {error}") from None
    return Sweep(tuple(axes), sample.method, sample.cells) if sample else Sweep(tuple(axes))


def sweep_of_options(
    vary: Iterable[str], method: Method | None = None, budget: int | None = None
) -> Sweep:
    """The same of `--vary PATH=VALUES`, `--sample` and `--cells`; `FiresteelError` likewise."""
    axes: dict[str, Axis] = {}
    for text in vary:
        path, equals, said = text.partition("=")
        try:
            if not equals:
                raise ValueError("allowed is PATH=VALUES, such as cpu.hertz=800MHz,1.6GHz")
            axis = Axis.read(path, said)
        except ValueError as error:
            raise FiresteelError(f"--vary {text}: {error}.") from None
        if axis.path in axes:
            raise FiresteelError(f"--vary {text}: {axis.path} is there already.")
        axes[axis.path] = axis
    return Sweep(tuple(axes.values()), method, budget)
