# SPDX-License-Identifier: Apache-2.0
"""What configurations, cells and experiments are called in front of people."""

from firesteel.model.cell import USUAL_COMPLETION, Cell
from firesteel.model.identity import Identity
from firesteel.protocols.protocol import implementation_in_words, suite_in_words
from firesteel.protocols.registry import find
from firesteel.workloads.handshakes import HANDSHAKES
from firesteel.workloads.registry import SERIES


def configuration(
    protocol: str,
    cipher: str,
    mac: str,
    implementation: str = "software",
    completion: str = "",
    habits: str = "",
    affinity: str = "",
) -> str:
    """A tunnel and its suite, as `IPsec AES-256-CBC:SHA-256`; software goes without saying, and so
    does the usual completion.  Habits of 2015 and affinity use the text of columns.
    """
    return measured("", protocol, cipher, mac, implementation, completion, habits, affinity)


def measured(
    experiment: str,
    protocol: str,
    cipher: str,
    mac: str,
    implementation: str = "software",
    completion: str = "",
    habits: str = "",
    affinity: str = "",
) -> str:
    """What figures of an experiment are of: the configuration, and of handshakes the program and
    the exchange of keys instead, as `OpenVPN, DHE-RSA`.
    """
    known = find(protocol)
    if known and known.handshakes and experiment in HANDSHAKES.titles:
        parts = [known.title, known.handshakes.key_exchange]
    else:
        suite = suite_in_words(cipher, mac)
        parts = [known.in_words(cipher, mac) if known else f"{protocol} {suite}"]
    if implementation != "software":
        parts.append(implementation_in_words(implementation))
    if completion not in ("", USUAL_COMPLETION):
        parts.append(completion)
    parts += filter(None, [affinity])
    return ", ".join(parts) + (f" with {habits.replace('+', ' and ')}" if habits else "")


def of_identity(identity: Identity) -> str:
    """What a figure is of, but for its board, parameter and metric."""
    suite = (identity.protocol, identity.cipher, identity.mac)
    return measured(identity.workload, *suite, *identity.how)


implementation = implementation_in_words
"""An implementation, in words: `software as installed`."""

suite = suite_in_words
"""A cipher and a MAC, as `AES-256-CBC:SHA-256`."""


def of_cell(cell: Cell) -> str:
    """What a cell's configuration is called, and its seed unless that is 1."""
    how = (cell.implementation, cell.completion or "", "", cell.pinned)
    name = configuration(cell.protocol, cell.cipher, cell.mac, *how)
    for said in filter(None, (plan.label(cell.protocol) for plan in cell.plans)):
        name += f", {said}"
    if cell.as_in_2015:
        name += f" with {' and '.join(cell.as_in_2015)}"
    return name if cell.seed == 1 else f"{name}, seed {cell.seed}"


def experiment(name: str) -> str:
    """An experiment's name as a title."""
    return SERIES[name].title if name in SERIES else name.replace("-", " ").capitalize()


def protocol(name: str) -> str:
    """A protocol's usual spelling: `IPsec`."""
    known = find(name)
    return known.title if known else name
