# SPDX-License-Identifier: Apache-2.0
"""Where a scheduler is, files for TLS, and what is said of machines that come and go."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from distributed.security import Security

from firesteel.base.errors import FiresteelError, RequestError
from firesteel.boards.files import NODE_BYTES
from firesteel.machines.cluster import WorkerRegistry
from firesteel.machines.scheduler import address_of, security_of
from firesteel.machines.task import CELLS, MEMORY, Tls, lab_version


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("head:8786", "tcp://head:8786"),
        ("tcp://10.0.0.1:8786", "tcp://10.0.0.1:8786"),
        ("[::1]:1", "tcp://[::1]:1"),
    ],
)
def test_addresses_are_dask_s(text: str, address: str) -> None:
    assert address_of(text, Security()) == address


def test_with_files_for_tls_it_is_used() -> None:
    assert address_of("head:1", Security.temporary()) == "tls://head:1"


@pytest.mark.parametrize(
    "text",
    ["", "head", "tcp://head", "head:", ":8786", "head:0", "head:70000", "head:x", "a://b:1"],
)
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(
        RequestError, match="is not an address of a Dask scheduler; allowed are HOST:P"
    ):
        address_of(text, Security())


def test_an_address_with_tls_needs_files() -> None:
    with pytest.raises(RequestError, match=r"^tls://head:1 needs --tls-ca, --tls-cert and --tls-k"):
        address_of("tls://head:1", Security())


def test_tls_needs_three_files_in_pem(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"; missing: --tls-cert, --tls-key\.$"):
        security_of(Tls(tls_ca=tmp_path / "ca"))
    files = Tls(tmp_path / "ca", tmp_path / "certificate", tmp_path / "key")
    with pytest.raises(FiresteelError, match=r"^--tls-ca .*: No such file or directory; each is a"):
        security_of(files)
    for name in ("ca", "certificate", "key"):
        (tmp_path / name).write_text("no PEM")
    with pytest.raises(FiresteelError, match=r"^--tls-ca .*; each is a file in PEM\.$"):
        security_of(files)


def test_without_files_dask_s_own_settings_count() -> None:
    assert security_of(Tls()).require_encryption == Security().require_encryption


def worker(name: str, cells: int = 2, nodes: int = 4, lab: str = "") -> dict[str, Any]:
    offered = {f"{CELLS} {lab or lab_version()}": cells, MEMORY: nodes * NODE_BYTES}
    return {"name": name, "status": "running", "resources": offered}


def look(
    registry: WorkerRegistry, workers: Mapping[str, Mapping[str, Any]], nodes: int = 2
) -> list[str]:
    return [*registry.look(workers), *registry.lack(nodes)]


def test_who_comes_and_goes_is_said_once() -> None:
    registry = WorkerRegistry("tcp://head:1")
    nobody = [
        (
            "no machine is ready at tcp://head:1; the cells wait until one is: `firesteel machines "
            "tcp://head:1`"
        )
    ]
    assert look(registry, {}) == nobody
    assert look(registry, {}) == []
    both = {"a": worker("one"), "b": worker("two", 3, 6)}
    assert look(registry, both) == ["one, two joined; 2 machines for 5 cells at a time"]
    assert look(registry, both) == []
    assert registry.room(2) == 5
    del both["a"]
    assert look(registry, both) == ["one left; what ran there is handed to others"]
    assert look(registry, {}) == ["two left; what ran there is handed to others", *nobody]


def test_many_are_not_all_named() -> None:
    many = {str(number): worker(f"m{number}") for number in range(7)}
    (said,) = look(WorkerRegistry("x"), many)
    assert said == "m0, m1, m2, m3 and 3 more joined; 7 machines for 14 cells at a time"


def test_workers_of_another_version_are_told_once_and_others_not_at_all() -> None:
    registry = WorkerRegistry("tcp://head:1")
    workers = {
        "a": worker("old", lab="0123456789ab"),
        "b": {"name": "plain", "status": "running", "resources": {"GPU": 1}},
        "c": worker("paused") | {"status": "paused"},
    }
    first, second = look(registry, workers)
    assert re.match(r"old runs another version of Firesteel or Dask \(0123456789ab, here ", first)
    assert second.startswith("no machine is ready")
    assert look(registry, workers) == []
    assert registry.room(2) == 0
