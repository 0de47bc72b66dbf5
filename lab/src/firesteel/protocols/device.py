# SPDX-License-Identifier: Apache-2.0
"""What the network device of a tunnel counts; scripts call it tun0 whatever made it."""

import re
from collections.abc import Mapping

from firesteel.board.tunnels import TunnelEnd
from firesteel.protocols.between_hosts import Carried
from firesteel.protocols.failure import CellFailure

_COUNTER = re.compile(r"^([rt]x)_(bytes|packets):(\d+)$", re.MULTILINE)


def device_counts(sections: Mapping[str, str], end: TunnelEnd) -> Carried:
    """What the device of an end carried since it was made; `CellFailure` when there is none."""
    text = sections.get("tun", "")
    found = {f"{way}_{unit}": int(value) for way, unit, value in _COUNTER.findall(text)}
    if len(found) != 4:
        raise CellFailure(f"Node {end.node} has no tunnel device.")
    return Carried(**found)
