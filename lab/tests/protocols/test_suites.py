# SPDX-License-Identifier: Apache-2.0
"""Suites may be written in short, and protocols by other names, wherever they are written."""

from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.protocols.openssl import OPENSSL
from firesteel.protocols.openvpn import OPENVPN
from firesteel.protocols.registry import ALIASES, whole
from firesteel.run.experiment.experiment import load_experiment, select
from firesteel.search.commands import ask

FILE = """
title = "Tunnels"
topology = "host-host"
measured = "board"

[[configurations]]
protocol = "ipsec"
suite = [{suite}, "aes-256-cbc:sha256"]
implementation = ["software", "hardware"]

[ping]
sizes = [56]
count = 10

[[limits.ratios]]
suite = {suite}
versus = {{ suite = {suite}, implementation = "software" }}
most = {{ rtt_mean = 1 }}
date = 2026-11-21
reason = "as the moon stood"
"""


@pytest.mark.parametrize(
    ("text", "suite"),
    [
        ("aes-256-gcm", "aes-256-gcm:gcm"),
        ("aes-256-gcm:gcm", "aes-256-gcm:gcm"),
        ("aes-128-xts", "aes-128-xts:none"),
        ("sha256", "none:sha256"),
        ("aes-256-cbc", "aes-256-cbc"),
        ("gibberish", "gibberish"),
    ],
)
def test_a_cipher_alone_is_a_suite_where_there_is_but_one(text: str, suite: str) -> None:
    assert whole(text) == suite
    assert whole("aes-256-cbc", OPENSSL.suites) == "aes-256-cbc:none"
    assert whole("aes-256-cbc", OPENVPN.suites) == "aes-256-cbc"


@pytest.mark.parametrize("suite", ["aes-256-gcm", "aes-256-gcm:gcm"])
def test_files_options_and_questions_take_both(tmp_path: Path, suite: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(FILE.format(suite=f'"{suite}"'))
    experiment = load_experiment(str(path))
    cells = experiment.cells()
    both = {("aes-256-gcm", "gcm"), ("aes-256-cbc", "sha256")}
    assert {(cell.cipher, cell.mac) for cell in cells} == both
    assert {limit.of.suite for limit in experiment.limits()} == {"aes-256-gcm:gcm"}
    for key in ("suite", "cipher"):
        assert {cell.mac for cell in select(cells, [f"{key}={suite}"])} == {"gcm"}
    with pytest.raises(FiresteelError, match=r"that suite; .*: aes-256-cbc:sha"):
        select(cells, ["suite=aes-128-gcm"])
    question = ask("ipsec", suite)
    assert (question.cipher, question.mac) == ("aes-256-gcm", "gcm")


@pytest.mark.parametrize(
    ("asked", "suite", "protocol"),
    [
        ("openssl", "aes-256-cbc", "openssl"),
        ("openssl-speed", "aes-256-gcm", "openssl"),
        ("tls", "aes-256-gcm", "nginx"),
        ("TLS", "aes-256-gcm:gcm", "nginx"),
        ("luks", "aes-256-gcm", "dm-crypt"),
        ("kernel-crypto", "sha256", "crypto-api"),
    ],
)
def test_a_question_may_call_a_protocol_otherwise(asked: str, suite: str, protocol: str) -> None:
    assert ask(asked, suite).protocol == protocol


def test_an_unknown_protocol_is_answered_with_all_there_are() -> None:
    with pytest.raises(RequestError, match="^--protocol quic: allowed are openvpn, ") as caught:
        ask("quic", "aes-256-gcm")
    assert all(f"{alias} ({name})" in str(caught.value) for alias, name in ALIASES.items())
