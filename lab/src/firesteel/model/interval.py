# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals of means, by Student's t distribution."""

import functools

CONFIDENCE = 0.95
"""Of all intervals."""


@functools.cache
def t_quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    """How many standard errors an interval of that confidence extends to either side.

    `freedom` are the degrees of freedom of Student's t distribution, one at the least.
    """
    from scipy.special import stdtrit  # Slow to load, and not needed with one seed.

    return float(stdtrit(freedom, (1 + confidence) / 2))
