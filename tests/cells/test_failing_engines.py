# SPDX-License-Identifier: Apache-2.0
"""An asynchronous server on four public-key engines, of which two fail amid its handshakes.

A client that fails at a handshake ends at once, and then its job fails: so a record says that none
has.
"""

import re
from pathlib import Path

from lab_run import measure

from firesteel.board.profile import PROFILES

_EXPERIMENT = """
title = "Two of four engines fail"
topology = "host-host"
measured = "board"
profiles = { board = "failing.toml", peer = "clients" }

[[configurations]]
protocol = "haproxy"
suite = "aes-256-gcm:gcm"
implementation = "hardware"

[handshakes]
keys = { haproxy = "rsa-4096" }
alone = 1
clients = 4
seconds = { haproxy = 1 }
"""

_FAULTS = {"crypto1": ("stuck-busy", 60), "crypto2": ("gone", 50)}
"""At which of its operations; without faults each has more than a hundred."""


def _failing() -> str:
    text = (PROFILES / "socrates-4pk.toml").read_text(encoding="utf-8")
    for name, (kind, number) in _FAULTS.items():
        fault = f'[[cores.faults]]\nkind = "{kind}"\nnth = {number}\n'
        text = re.sub(rf'(name = "{name}"\n(?:.+\n)+)', rf"\1\n{fault}", text)
    return text


def test_no_handshake_fails_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "failing.toml").write_text(_failing(), encoding="utf-8")
    (record,) = measure(tmp_path, _EXPERIMENT)
    proof = record.measurement.proof
    for name, (kind, number) in _FAULTS.items():
        assert proof[f"cores.{name}.fault_{kind.replace('-', '_')}"] == 1
        assert proof[f"cores.{name}.pk_operations"] <= number
    # A handshake has an exponentiation for the signature, and one that checks it
    signatures = sum(proof[f"cores.crypto{each}.pk_exponentiations"] for each in range(4)) / 2
    assert signatures >= proof["handshakes.rsa-4096"] - 4
    for name in ("crypto0", "crypto3"):
        assert proof[f"cores.{name}.pk_operations"] > 1.2 * max(
            number for _, number in _FAULTS.values()
        )
