# SPDX-License-Identifier: Apache-2.0
"""Which part of a node has IPsec's packets is told, and has to be the one that is meant."""

import shlex

import pytest
from workloads import recorded_runs as recorded
from workloads.sites import jobs_of

from firesteel.model.cell import BY_PCRYPT, Cell
from firesteel.protocols.between_hosts import TunnelProtocol
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.window import CellFailure

_BY_THREADS = "driver       : seqiv(pcrypt(rfc4106(gcm_base(ctr-aes-neonbs,ghash-generic))))"
_ITSELF = "driver       : seqiv(rfc4106(gcm_base(ctr-aes-neonbs,ghash-generic)))"


def _cell(**changes: object) -> Cell:
    return recorded.cell("ipsec").model_copy(update=changes)


def _check(of: Cell, **sections: str) -> None:
    protocol = protocol_of(of)
    assert isinstance(protocol, TunnelProtocol)
    protocol.check_path(of, sections)


def _settings(of: Cell, node: str) -> dict[str, str]:
    words = shlex.split(jobs_of(of)[node].files["/job/settings"].content.decode())
    return dict(word.split("=", 1) for word in words)


def test_threads_have_all_associations_or_none() -> None:
    _check(_cell(), crypto=f"{_ITSELF}\n{_ITSELF}\n")
    _check(_cell())
    _check(_cell(implementation=BY_PCRYPT), crypto=f"{_BY_THREADS}\n")
    for of, crypto in (
        (_cell(), _BY_THREADS),
        (_cell(implementation=BY_PCRYPT), f"{_BY_THREADS}\n{_ITSELF}"),
        (_cell(implementation=BY_PCRYPT), ""),
    ):
        with pytest.raises(CellFailure, match="the associations have"):
            _check(of, crypto=crypto)


def test_only_the_measured_node_has_threads() -> None:
    of = _cell(implementation=BY_PCRYPT)
    told = {node: _settings(of, node)["KERNEL_SOFTWARE"] for node in ("board", "peer")}
    assert told == {"board": "threads", "peer": "fastest"}


def test_threads_are_for_suites_that_authenticate() -> None:
    suites = protocol_of(_cell()).suites_of(BY_PCRYPT)
    assert suites == ("aes-256-cbc:sha256", "aes-256-gcm:gcm")


def test_the_kernel_has_no_associations_of_a_program() -> None:
    of = _cell(protocol="ipsec-user-space")
    _check(of, xfrm="\n")
    with pytest.raises(CellFailure, match=r"the kernel has associations: src 10\.0\.0\.1"):
        _check(of, xfrm="src 10.0.0.1 dst 10.0.0.2\n\tproto esp\n")


def test_a_program_s_tunnel_is_made_of_the_part_that_has_esp() -> None:
    job = jobs_of(_cell(protocol="ipsec-user-space"))["board"]
    name = _settings(_cell(protocol="ipsec-user-space"), "board")["STRONGSWAN"]
    assert b"kernel-libipsec" in job.files[f"/job/{name}.conf"].content
    usual = jobs_of(_cell())["board"]
    name = _settings(_cell(), "board")["STRONGSWAN"]
    assert b"libipsec" not in usual.files[f"/job/{name}.conf"].content
