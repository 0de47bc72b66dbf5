# SPDX-License-Identifier: Apache-2.0
"""The table of topologies in docs/boards.md names the experiments that use each."""

import re

from firesteel.base import toml
from firesteel.base.checkout import CHECKOUT
from firesteel.board.topology import TOPOLOGIES
from firesteel.experiment.collection import Collection, load
from firesteel.experiment.experiment import experiment_names

_ROW = re.compile(r"^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)


def test_each_topology_has_its_experiments() -> None:
    page = (CHECKOUT / "docs/boards.md").read_text()
    _, _, section = page.partition("### The topologies of the checkout")
    rows = dict(_ROW.findall(section))
    assert set(toml.names_in(TOPOLOGIES)) <= set(rows)
    told = {name: set(re.findall(r"`([a-z-]+)`", text)) for name, text in rows.items()}
    elsewhere = set().union(*told.values())
    for name in experiment_names():
        experiment = load(name)
        if isinstance(experiment, Collection):
            continue
        topology = experiment.file.topology
        assert name in told[topology] or (rows[topology] == "all others" and name not in elsewhere)
