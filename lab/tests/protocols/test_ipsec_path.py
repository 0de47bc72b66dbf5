# SPDX-License-Identifier: Apache-2.0
"""Which part of a node has IPsec's packets is told, and has to be the one that is meant."""

import pytest
from workloads import recorded_runs as recorded
from workloads.sites import jobs_of, settings

from firesteel.model.cell import BY_PCRYPT, Cell
from firesteel.protocols.ipsec import IPSEC, IPSEC_USER_SPACE
from firesteel.protocols.window import CellFailure

_BY_THREADS = "driver       : seqiv(pcrypt(rfc4106(gcm_base(ctr-aes-neonbs,ghash-generic))))"
_ITSELF = "driver       : seqiv(rfc4106(gcm_base(ctr-aes-neonbs,ghash-generic)))"

ITSELF = recorded.cell("ipsec")
BY_THREADS = recorded.cell("ipsec", implementation=BY_PCRYPT)
BY_PROGRAM = recorded.cell("ipsec-user-space")


def test_threads_have_all_associations_or_none() -> None:
    for of, crypto in (
        (ITSELF, f"{_ITSELF}\n{_ITSELF}\n"),
        (ITSELF, ""),
        (BY_THREADS, f"{_BY_THREADS}\n"),
    ):
        IPSEC.check_path(of, {"crypto": crypto})
    for of, crypto in (
        (ITSELF, _BY_THREADS),
        (BY_THREADS, f"{_BY_THREADS}\n{_ITSELF}"),
        (BY_THREADS, ""),
    ):
        with pytest.raises(CellFailure, match="the associations have"):
            IPSEC.check_path(of, {"crypto": crypto})
    told = [settings(BY_THREADS, node)["KERNEL_SOFTWARE"] for node in ("board", "peer")]
    assert told == ["threads", "fastest"]
    assert IPSEC.suites_of(BY_PCRYPT) == ("aes-256-cbc:sha256", "aes-256-gcm:gcm")


def test_the_kernel_has_no_associations_of_a_program() -> None:
    IPSEC_USER_SPACE.check_path(BY_PROGRAM, {"xfrm": "\n"})
    with pytest.raises(CellFailure, match=r"the kernel has associations: src 10\.0\.0\.1"):
        IPSEC_USER_SPACE.check_path(BY_PROGRAM, {"xfrm": "src 10.0.0.1 dst 10.0.0.2\n\tesp\n"})


@pytest.mark.parametrize(("of", "by_program"), [(ITSELF, False), (BY_PROGRAM, True)])
def test_a_tunnel_is_made_of_the_part_that_has_esp(of: Cell, by_program: bool) -> None:
    name = settings(of)["STRONGSWAN"]
    content = jobs_of(of)["board"].files[f"/job/{name}.conf"].content
    assert (b"kernel-libipsec" in content) is by_program
