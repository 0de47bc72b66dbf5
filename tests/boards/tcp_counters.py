# SPDX-License-Identifier: Apache-2.0
"""What a node's kernel counts of TCP: what was reordered, and what was sent again."""

from collections.abc import Mapping

from bench import KeptRun

FILES = "/proc/net/netstat /proc/net/snmp"


def tell_counters(name: str) -> str:
    """A shell line that hands over what a node has counted so far."""
    return f"cat {FILES} | probe data tcp-{name}\n"


def counters(run: KeptRun, node: str, name: str) -> Mapping[str, int]:
    """What `tell_counters()` handed over, by the kernel's names without their groups."""
    found: dict[str, int] = {}
    lines = run.text(node, f"tcp-{name}").splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        found.update(zip(names.split()[1:], map(int, values.split()[1:]), strict=True))
    return found


DISORDER = ("TCPSACKReorder", "TCPTSReorder", "TCPRenoReorder", "TCPOFOQueue", "RetransSegs")
"""Zero, if each segment has come in its order, and once."""


def disorder(run: KeptRun, node: str, name: str, since: str | None = None) -> dict[str, int]:
    """Those of `DISORDER` that are not zero; `since` names counters that are subtracted."""
    counted = counters(run, node, name)
    before = counters(run, node, since) if since else dict.fromkeys(DISORDER, 0)
    found = {name: counted[name] - before[name] for name in DISORDER}
    return {name: count for name, count in found.items() if count}
