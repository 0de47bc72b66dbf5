# SPDX-License-Identifier: Apache-2.0
"""How two figures of one metric compare: the one place of dividing them and of their noise.

Seeds that both have are paired (`analysis.noise`).
"""

from dataclasses import dataclass
from typing import Literal

from firesteel.analysis.noise import Sample, in_noise, ratio_margin
from firesteel.model.metrics import better

SLACK = 0.02
"""A ratio that is nearer to 1 than this is no difference."""

Standing = Literal["better", "equal", "worse"]


@dataclass(frozen=True)
class Comparison:
    """A figure, `other`, beside `one`."""

    metric: str
    one: Sample
    other: Sample

    @property
    def ratio(self) -> float | None:
        """The one divided by what it is beside; None where there is nothing to divide by."""
        return self.other.value / self.one.value if self.one.value else None

    @property
    def gain(self) -> float | None:
        """The ratio as more than 1 is better; None where there is nothing to divide by."""
        if better(self.metric) != "lower":
            return self.ratio
        return self.one.value / self.other.value if self.other.value else None

    @property
    def converged(self) -> bool:
        """Whether both have."""
        return self.one.converged and self.other.converged

    @property
    def in_noise(self) -> bool:
        """Whether seeds tell that the difference may be chance."""
        return in_noise(self.one, self.other)

    @property
    def margin(self) -> float | None:
        """By how much the ratio may be off by chance; None where that is unknown."""
        return ratio_margin(self.other, self.one)

    @property
    def standing(self) -> Standing:
        """How the other stands; `equal` for a metric that has no better way."""
        way = better(self.metric)
        one, other = self.one.value, self.other.value
        near = abs(other - one) <= SLACK * abs(one) * (1 + 1e-9)
        if way is None or near or self.in_noise:
            return "equal"
        return "better" if (other > one) == (way == "higher") else "worse"
