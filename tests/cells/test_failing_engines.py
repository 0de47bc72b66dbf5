# SPDX-License-Identifier: Apache-2.0
"""Web servers on four public-key engines, of which two fail amid their handshakes: HAProxy, which
has work at several engines at once, and lighttpd with wolfSSL, which does one thing after another.

A client that fails at a handshake ends at once, and then its job fails: so a record says that none
has.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_run import measure

from firesteel.boards.profile import PROFILES

pytestmark = pytest.mark.thorough

_EXPERIMENT = """
title = "Two of four engines fail"
topology = "host-host"
measured = "board"
profiles = {{ board = "failing.toml", peer = "clients" }}

[[configurations]]
protocol = "{protocol}"
suite = "aes-256-gcm:gcm"
implementation = "hardware"

[handshakes]
keys = {{ {protocol} = "{key}" }}
alone = 1
clients = 4
seconds = {{ {protocol} = {seconds} }}
"""


@dataclass(frozen=True)
class Scene:
    """A server, its key, and for how long clients come; at which of its operations an engine fails,
    and which other engines go on with more than that.
    """

    protocol: str
    key: str
    seconds: int
    faults: dict[str, tuple[str, int]]
    go_on: tuple[str, ...]


_SCENES = (
    # Without faults each of its engines has more than a hundred.
    Scene(
        "haproxy",
        "rsa-4096",
        1,
        {"crypto1": ("stuck-busy", 60), "crypto2": ("gone", 50)},
        ("crypto0", "crypto3"),
    ),
    # It has the first engine that works, and waits for one that is stuck as the library does.
    Scene(
        "lighttpd",
        "rsa-2048",
        4,
        {"crypto0": ("stuck-busy", 40), "crypto1": ("gone", 40)},
        ("crypto2",),
    ),
)


def _failing(scene: Scene) -> str:
    text = (PROFILES / "socrates-4pk.toml").read_text(encoding="utf-8")
    for name, (kind, number) in scene.faults.items():
        fault = f'[[cores.faults]]\nkind = "{kind}"\nnth = {number}\n'
        text = re.sub(rf'(name = "{name}"\n(?:.+\n)+)', rf"\1\n{fault}", text)
    return text


@pytest.mark.parametrize("scene", _SCENES, ids=lambda scene: scene.protocol)
def test_no_handshake_fails_and_the_others_go_on(tmp_path: Path, scene: Scene) -> None:
    (tmp_path / "failing.toml").write_text(_failing(scene), encoding="utf-8")
    fields = {"protocol": scene.protocol, "key": scene.key, "seconds": scene.seconds}
    (record,) = measure(tmp_path, _EXPERIMENT.format_map(fields))
    proof = record.proof
    for name, (kind, number) in scene.faults.items():
        assert proof[f"cores.{name}.fault_{kind.replace('-', '_')}"] == 1
        assert proof[f"cores.{name}.pk_operations"] <= number
    # A handshake has an exponentiation for the signature, and one that checks it
    signatures = sum(proof[f"cores.crypto{each}.pk_exponentiations"] for each in range(4)) / 2
    assert signatures >= proof[f"handshakes.{scene.key}"] - 4
    most = max(number for _, number in scene.faults.values())
    for name in scene.go_on:
        assert proof[f"cores.{name}.pk_operations"] > 1.2 * most
