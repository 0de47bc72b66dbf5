# SPDX-License-Identifier: Apache-2.0
"""What the network device of a tunnel counts.

Scripts call it tun and the tunnel's number, whatever made it.  The tunnel that carries the client's
traffic is number 0 at both its ends, and what tun0 counts is what nodes send.
"""

import re
from collections.abc import Mapping

from firesteel.board.network import Side
from firesteel.protocols.between_hosts import Carried
from firesteel.protocols.failure import CellFailure

_COUNTER = re.compile(r"^([rt]x)_(bytes|packets):(\d+)$", re.MULTILINE)


def device_counts(sections: Mapping[str, str], side: Side) -> Carried:
    """What the device of the tunnel carried since it was made, at one of its ends.

    Raises `CellFailure` when there is none.
    """
    text = sections.get("tun", "")
    found = {f"{way}_{unit}": int(value) for way, unit, value in _COUNTER.findall(text)}
    if len(found) != 4:
        raise CellFailure(f"Node {side.here.node} has no tunnel device.")
    return Carried(**found)
