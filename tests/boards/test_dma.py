# SPDX-License-Identifier: Apache-2.0
"""DMA that is not coherent, on boards: results are as right as where it is, and cost more.

    board: crypto0 AES, hash, public key    the kernel's
           crypto1 AES, hash                a program's

The same work on both kinds of board, whose clocks count cycles, with counts by class in each mark.
"""

import hashlib
from collections.abc import Mapping

import pytest
from bench import Bench, KeptRun
from kernel_reports import unexpected
from library_program import build_library_program
from uio_scenes import LOAD, Played, job_files, play

from firesteel.boards.job import JobFile
from firesteel.boards.profile import Dma, Profile, load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products

KINDS: tuple[Dma, Dma] = ("coherent", "non-coherent")

SIZE, REQUESTS = 1408, 32
LINE = 32
"""Bytes of a line of the modelled caches."""

PROCESS = 100
"""More lines than the kernel cleans when a process starts, of its page tables."""

KERNEL = {
    "cbc": "kind=cipher algorithm=cbc-aes-firesteel reference=cbc(aes-generic) key=32 head=52",
    "gcm": (
        "kind=aead algorithm=rfc4106-gcm-aes-firesteel "
        "reference=rfc4106(gcm_base(ctr(aes-generic),ghash-generic)) key=36 ad=16 decrypt=1"
    ),
    "authenc": (
        "kind=aead algorithm=authenc-hmac-sha256-cbc-aes-firesteel "
        "reference=authenc(hmac(sha256-generic),cbc(aes-generic)) key=32 auth_key=32 ad=8"
    ),
    "hash": "kind=hash algorithm=sha256-firesteel reference=sha256-generic",
}
"""Requests that `cryptobench` makes, each of whose results it compares with the reference's."""

USER = {
    "short": f"cbc 64 {REQUESTS}",
    "long": f"cbc {SIZE} {REQUESTS}",
    "pieces": "cbc 200000 1",
    "device": "cbc 16384 1 device",
    "open": f"open {SIZE} {REQUESTS}",
    "sha256": f"sha256 {SIZE} {REQUESTS}",
}
"""Requests of a program (guest/dma/), which says what they gave."""


def kernel_job(name: str) -> str:
    """Shell lines; the first run loads what the second one needs."""
    line = f"echo '{KERNEL[name]} size={SIZE} requests={REQUESTS}' >/proc/cryptobench"
    return f"{line}\nprobe mark {name}.begin\n{line}\nprobe mark {name}.end\n"


def user_job(name: str) -> str:
    return (
        f"probe mark {name}.begin\n/job/dma {USER[name]} >/run/given\n"
        f"probe mark {name}.end\nprobe data {name} /run/given\n"
    )


SCRIPT = (
    "set -e\nmount -t debugfs none /sys/kernel/debug\nmodprobe cryptobench\n"
    + LOAD.format(options="minimum=0 user=last")
    + "find /proc/device-tree/ -name dma-coherent | probe data tree\n"
    + "".join(map(kernel_job, KERNEL))
    + "".join(map(user_job, USER))
    + "dmesg | probe data dmesg\n"
)


def board(dma: Dma) -> Profile:
    """`socrates-hash` of that kind, with a clock that counts cycles, and instructions by class."""
    profile = load_profile("socrates-hash").on_clock("cycles")
    return profile.model_copy(
        update={
            "cpu": profile.cpu.model_copy(update={"counted": True}),
            "memory": profile.memory.model_copy(update={"dma": dma}),
        }
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, JobFile]:
    products, directory = Products(), tmp_path_factory.mktemp("dma")
    (directory / "library").mkdir()
    (directory / "uio").mkdir()
    program = build_library_program(products, "dma", directory / "library")
    return {
        **job_files(products.driver().read_bytes(), directory / "uio"),
        "/job/dma": JobFile(program, 0o755),
    }


@pytest.fixture(scope="module")
def runs(bench: Bench, files: Mapping[str, JobFile]) -> Mapping[Dma, KeptRun]:
    alone = load_topology("one-board")
    return {
        dma: bench.run(alone, {"board": SCRIPT}, {"board": files}, {"board": board(dma)})
        for dma in KINDS
    }


def count(run: KeptRun, name: str, what: str) -> int:
    """How often something came while that was done."""
    node = run.run.nodes["board"]
    before, after = node.mark(f"{name}.begin").cycles, node.mark(f"{name}.end").cycles
    assert before
    assert after
    return after[what] - before[what]


def test_the_device_tree_says_which_it_is(runs: Mapping[Dma, KeptRun]) -> None:
    tree = {dma: runs[dma].text("board", "tree").split() for dma in KINDS}
    assert tree["non-coherent"] == []
    pcie = [path for path in tree["coherent"] if "/pcie@" in path]
    assert len(pcie) == 1


@pytest.mark.parametrize("name", USER)
def test_a_program_gets_the_same_results(runs: Mapping[Dma, KeptRun], name: str) -> None:
    results = {dma: runs[dma].text("board", name).strip() for dma in KINDS}
    assert results["coherent"] == results["non-coherent"]
    given = bytes(i * 7 % 256 for i in range(len(results["coherent"]) // 2))
    if name == "open":
        assert results["coherent"] == given.hex()
    elif name == "sha256":
        text = bytes(i * 7 % 256 for i in range(SIZE))
        assert results["coherent"] == hashlib.sha256(text).hexdigest()
    else:
        assert results["coherent"] != given.hex()


@pytest.mark.parametrize("name", [*KERNEL, *USER])
def test_where_dma_is_coherent_nothing_is_maintained(
    runs: Mapping[Dma, KeptRun], name: str
) -> None:
    assert count(runs["coherent"], name, "cache-maintenance") < PROCESS
    assert count(runs["coherent"], name, "uncached-load") == 0
    assert count(runs["coherent"], name, "uncached-store") == 0


@pytest.mark.parametrize("name", KERNEL)
def test_a_request_to_the_kernel_maintains_its_lines(
    runs: Mapping[Dma, KeptRun], name: str
) -> None:
    """Cleaned before, and invalidated after where the core has written; associated data and tag are
    in segments of their own.
    """
    lines = count(runs["non-coherent"], name, "cache-maintenance") / (REQUESTS + 1)
    least = SIZE / LINE * (1 if name == "hash" else 2)
    assert least <= lines <= least + 12
    # a digest, or a tag that the core has compared
    assert count(runs["non-coherent"], name, "uncached-load") <= 4 * (REQUESTS + 1)
    assert count(runs["non-coherent"], name, "uncached-store") > 0


def test_a_program_reads_long_results_through_the_caches(runs: Mapping[Dma, KeptRun]) -> None:
    """Short ones word by word, as a system call would take longer.  A few more are those with which
    the library measures the core when it opens it.
    """
    run = runs["non-coherent"]
    words = {name: count(run, name, "uncached-load") / REQUESTS for name in ("short", "long")}
    assert 64 / 8 <= words["short"] < 64 / 8 + 4
    assert words["long"] < 4
    # both clean what the driver wipes when CryptoMaster is closed
    lines = {name: count(run, name, "cache-maintenance") for name in words}
    assert lines["long"] - lines["short"] == pytest.approx(REQUESTS * SIZE / LINE, rel=0.02)


def test_the_map_of_results_can_only_be_read(bench: Bench, files: Mapping[str, JobFile]) -> None:
    script = (
        LOAD.format(options="user=last") + play("results", "message") + "dmesg | probe data dmesg\n"
    )
    profiles = {"board": board("non-coherent")}
    played = Played(
        bench.run(load_topology("one-board"), {"board": script}, {"board": files}, profiles)
    )
    for scenario in ("results", "message"):
        played.assert_well(scenario)
    played.assert_quiet()


def test_the_kernel_has_reported_nothing(runs: Mapping[Dma, KeptRun]) -> None:
    for dma in KINDS:
        assert unexpected(runs[dma].text("board", "dmesg")) == []
