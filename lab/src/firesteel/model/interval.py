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
    # Not `scipy.stats`: it takes three times as long to load, and its tests warn of samples whose
    # values are all equal, as those of seeds often are.  With one seed no quantile is needed.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))
