# SPDX-License-Identifier: Apache-2.0
"""Where something was measured."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """The profile of the measured `node`, in `topology`, whose links have the rate `link`, or their
    own where that is empty.
    """

    board: str
    topology: str
    node: str
    link: str = ""
