# SPDX-License-Identifier: Apache-2.0
"""Topologies in a line each, and random ones."""

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from firesteel.boards.topology import Link, Node, Role, Topology

_ROLES: Mapping[str, Role] = {"h": "host", "g": "gateway", "r": "router"}


def topology(*links: str, tunnels: Sequence[str] | None = None, **keys: Any) -> Topology:
    """`topology("h1 g1", "g1 h2")`: a link for each text, of nodes whose first letter is that of
    their role; nodes are in the order in which they are named.
    """
    names = dict.fromkeys(name for link in links for name in link.split())
    return Topology(
        nodes={name: Node(role=_ROLES[name[0]], profile="peer") for name in names},
        links=tuple(_link(number, link.split()) for number, link in enumerate(links)),
        tunnels=None if tunnels is None else tuple(tuple(pair.split()) for pair in tunnels),
        **keys,
    )


def _link(number: int, nodes: Sequence[str]) -> Link:
    kind = "point-to-point" if len(nodes) == 2 else "switch"
    return Link.model_validate({"name": f"link-{number}", "kind": kind, "nodes": tuple(nodes)})


@st.composite
def trees(draw: st.DrawFn) -> Topology:
    """Each node but the first is on a link with one of those before it, or joins one of theirs."""
    roles = draw(st.lists(st.sampled_from("hgr"), min_size=2, max_size=8))
    names = [f"{role}{number}" for number, role in enumerate(roles)]
    links = [names[:2]]
    for number, name in enumerate(names[2:], start=2):
        at = draw(st.integers(0, len(links) + number - 1))
        if at < len(links):
            links[at].append(name)
        else:
            links.append([names[at - len(links)], name])
    return topology(*(" ".join(link) for link in links))


@st.composite
def graphs(draw: st.DrawFn) -> Topology:
    """Trees with further links between any of their nodes."""
    tree = draw(trees())
    links = [" ".join(link.nodes) for link in tree.links]
    more = st.lists(st.sampled_from(list(tree.nodes)), min_size=2, max_size=4, unique=True)
    links += [" ".join(link) for link in draw(st.lists(more, max_size=4))]
    return topology(*links)
