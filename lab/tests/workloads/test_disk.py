# SPDX-License-Identifier: Apache-2.0
"""Disks: the job's lines, what a cipher makes of a sector, figures of a recorded run."""

import hmac
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as Encryption
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from made_cells import with_plan
from workloads import recorded_disk as recorded
from workloads.sites import jobs_of, settings, value

from firesteel.base.errors import FiresteelError
from firesteel.boards.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.protocols.disk import DM_CRYPT
from firesteel.protocols.disk_cipher import DiskCipher, xts
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_figures, cell_proof
from firesteel.workloads.disk import SAMPLE, DiskPlan


def cell_of(suite: str, **more: object) -> Cell:
    cipher, mac = suite.split(":")
    return recorded.cell().model_copy(update={"cipher": cipher, "mac": mac, **more})


def cipher_of(suite: str, seed: int = 1) -> DiskCipher:
    found = DM_CRYPT.cipher(cell_of(suite, seed=seed))
    assert found is not None
    return found


def with_items(run: TopologyRun, **items: bytes) -> TopologyRun:
    """The run with other data, whose names have `_` for `-`."""
    board = run.nodes["board"]
    data = board.data | {name.replace("_", "-"): content for name, content in items.items()}
    return replace(run, nodes={"board": replace(board, data=data)})


def test_a_job_has_a_line_for_each_run_and_one_for_the_overhead() -> None:
    files = jobs_of(recorded.cell())["board"].files
    assert files["/job/runs"].content.decode().splitlines() == [
        "overhead-512 512 --rw=read --bs=4096 --iodepth=1 --number_ios=1",
        "sequential-read-512-4096-1 512 --rw=read --bs=4096 --iodepth=1",
        "random-write-512-4096-1 512 --rw=randwrite --bs=4096 --iodepth=1",
        "overhead-4096 4096 --rw=read --bs=4096 --iodepth=1 --number_ios=1",
        "sequential-read-4096-4096-1 4096 --rw=read --bs=4096 --iodepth=1",
        "random-write-4096-4096-1 4096 --rw=randwrite --bs=4096 --iodepth=1",
    ]
    told = settings(recorded.cell())
    assert (told["SIZE"], told["CIPHER"]) == ("1048576", "aes-xts-plain64")
    bare = settings(cell_of("none:none"))
    assert (bare["CIPHER"], bare["KEY"], bare["METADATA"]) == ("", "", "0")
    for suite, size in (("aes-256-gcm:gcm", 28), ("aes-256-xts:hmac-sha256", 48)):
        of = cell_of(suite)
        assert settings(of)["METADATA"] == str(size)
        assert b"open_integrity" in jobs_of(of)["board"].files["/job/disk.sh"].content
    of_several = jobs_of(cell_of("adiantum:none"))["board"].files
    assert b"/proc/crypto" in of_several["/job/disk.sh"].content
    assert b"use_mapping disk" in of_several["/job/dm-crypt.sh"].content


@pytest.mark.parametrize("suite", DM_CRYPT.suites[1:])
def test_keys_are_as_long_as_the_cipher_says_and_differ_by_seed(suite: str) -> None:
    cipher = cipher_of(suite)
    sizes = {"aes-256-xts:none": 64, "aes-256-xts:hmac-sha256": 64 + 32}
    assert len(cipher.key) == sizes.get(suite, 32)
    assert cipher.key != cipher_of(suite, seed=2).key


@pytest.mark.parametrize(
    "suite", ["aes-128-xts:none", "aes-256-xts:none", "aes-256-cbc-essiv:none"]
)
def test_sectors_differ(suite: str) -> None:
    cipher = cipher_of(suite)
    small, large = (cipher.stored(SAMPLE, sector, b"").ciphertext for sector in (512, 4096))
    assert len(small) == len(large) == len(SAMPLE)
    assert small[:512] == large[:512], "the first sector has number 0 either way"
    assert len({small[at : at + 512] for at in range(0, len(small), 512)}) == 16
    assert large[4096:4608] == small[4096:4608], "sectors are numbered in units of 512 bytes"


def test_what_a_cipher_makes_of_a_sector_is_as_published() -> None:
    """IEEE 1619-2007, vector 4: XTS-AES-128, sector number 0, 512 bytes counting up."""
    key = bytes.fromhex("2718281828459045235360287471352631415926535897932384626433832795")
    made = xts(key, bytes(16), bytes(range(256)) * 2)
    assert made[:16].hex() == "27a7479befa1d476489f308cd4cfa6e2"
    assert made[-16:].hex() == "0a282df920147beabe421ee5319d0568"


def test_a_sector_of_gcm_is_that_of_another_library() -> None:
    """Opened with the number of the sector and the IV as associated data."""
    cipher = cipher_of("aes-256-gcm:gcm")
    iv = bytes(range(12))
    (ciphertext, metadata) = cipher.stored(SAMPLE[:512], 512, bytes(16) + iv)
    opened = Encryption(algorithms.AES(cipher.key), modes.GCM(iv, metadata[:16])).decryptor()
    opened.authenticate_additional_data(bytes(8) + iv)
    assert opened.update(ciphertext) + opened.finalize() == SAMPLE[:512]
    assert metadata[16:] == iv


def test_a_sector_of_xts_with_hmac_has_the_mac_of_number_iv_and_ciphertext() -> None:
    cipher = cipher_of("aes-256-xts:hmac-sha256")
    ivs = [bytes([number]) * 16 for number in (1, 2)]
    found = b"".join(bytes(32) + iv for iv in ivs)
    (ciphertext, metadata) = cipher.stored(SAMPLE, 4096, found)
    assert ciphertext[4096:] == xts(cipher.key[:64], ivs[1], SAMPLE[4096:])
    authenticated = (8).to_bytes(8, "little") + ivs[1] + ciphertext[4096:]
    assert metadata[48:] == hmac.digest(cipher.key[64:], authenticated, "sha256") + ivs[1]


def stored_run(suite: str, **items: bytes) -> tuple[Cell, TopologyRun]:
    """The recorded run as if its disk had been encrypted otherwise, with IVs of its own."""
    cipher = cipher_of(suite)
    for sector in (512, 4096):
        ivs = bytes(range(cipher.metadata_bytes)) * (len(SAMPLE) // sector)
        stored = cipher.stored(SAMPLE, sector, ivs)
        items[f"raw_{sector}"] = stored.ciphertext
        items[f"metadata_{sector}"] = stored.metadata.ljust(4096, b"\0")
    return cell_of(suite), with_items(recorded.run(), **items)


@pytest.mark.parametrize("suite", ["aes-256-gcm:gcm", "aes-256-xts:hmac-sha256"])
def test_ciphertext_and_tags_on_the_disk_are_checked(suite: str) -> None:
    cell, run = stored_run(suite)
    assert cell_proof(cell, run)["sectors_checked"] == 16 + 2
    for item, at in (("raw_4096", 4100), ("metadata_512", 3)):
        spoilt = bytearray(run.nodes["board"].data[item.replace("_", "-")])
        spoilt[at] ^= 1
        with pytest.raises(CellFailure, match="its cipher makes"):
            cell_proof(cell, with_items(run, **{item: bytes(spoilt)}))


BEST = "adiantum(xchacha12-neon,aes-arm,nhpoly1305-neon)"
GENERIC = BEST.replace("12-neon", "12-generic")


@pytest.mark.parametrize(
    ("code", "implementation", "says"),
    [
        (BEST, "software", ""),
        (GENERIC, "software-as-installed", ""),
        (GENERIC, "software", "took adiantum.* has generic code"),
        (BEST.replace("aes-arm", "aes-firesteel"), "software", "took adiantum.*, which is hardwa"),
        ("", "software", "'' does not name the kernel's code"),
        (f"{BEST}\n{BEST}", "software", "does not name the kernel's code"),
    ],
)
def test_adiantum_is_made_by_the_fastest_code(code: str, implementation: str, says: str) -> None:
    told = f"{code}\n".encode()
    cell, run = stored_run("adiantum:none", code_512=told, code_4096=told)
    cell = cell.model_copy(update={"implementation": implementation})
    if not says:
        assert cell_proof(cell, run)["sectors_checked"] == 16 + 2
        return
    with pytest.raises(CellFailure, match=says):
        cell_proof(cell, run)


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (
            {"cipher": "adiantum", "implementation": "hardware"},
            "dm-crypt does not support adiantum:none; allowed are none:none, aes-128-xts:none",
        ),
        ({"cipher": "aes-256-gcm"}, "not support aes-256-gcm:none; allowed are none:none, "),
        (
            {"topology": "host-host"},
            "a topology of one board, such as `one-board`; `host-host` has 2",
        ),
        ({"plans": ()}, "the table `disk` is missing"),
    ],
)
def test_what_does_not_go_together_is_told(update: dict[str, object], message: str) -> None:
    with pytest.raises(FiresteelError, match=message):
        jobs_of(recorded.cell().model_copy(update=update))


def test_figures_of_the_recorded_run() -> None:
    figures = cell_figures(recorded.cell(), recorded.run())
    rows = [(figure.workload, figure.parameter.text, figure.metric) for figure in figures]
    assert {name for name, _, _ in rows} == {"disk-sequential-read", "disk-random-write"}
    assert len(rows) == len(set(rows)) == 2 * 2 * 7
    assert all(figure.value > 0 for figure in figures)
    for sector in (512, 4096):
        at = ("disk-sequential-read", f"4 KiB, sector {sector} B")
        throughput, iops = value(figures, *at, "throughput"), value(figures, *at, "iops")
        assert throughput == pytest.approx(iops * 4096 / 1e6)
        busy = value(figures, *at, "cpu") / 100
        assert value(figures, *at, "cpu_seconds_per_mb") == pytest.approx(busy / throughput)
        # One I/O at a time: the time is that of all latencies and little besides.
        assert 0.9 < iops * value(figures, *at, "latency") / 1e6 < 1
    large, small = (
        value(figures, "disk-random-write", f"4 KiB, sector {sector} B", "throughput")
        for sector in (4096, 512)
    )
    assert large > small
    proof = cell_proof(recorded.cell(), recorded.run())
    counts = [proof[name] for name in ("sectors_checked", "disk_bytes", "disk_ios")]
    assert counts == [16 + 2, 4 << 20, 4 * 256]


def test_a_disk_with_other_bytes_is_a_failed_cell() -> None:
    raw = recorded.run().nodes["board"].data["raw-4096"]
    changed = recorded.with_data("raw-4096", raw[4096:4128], bytes(32))
    with pytest.raises(CellFailure, match="its cipher makes .*4096 bytes"):
        cell_proof(recorded.cell(), changed)
    with pytest.raises(CellFailure, match="its cipher makes"):
        cell_proof(cell_of("none:none"), recorded.run())


def test_hardware_is_proved_by_the_counters_of_the_cores() -> None:
    cell = recorded.cell().model_copy(update={"implementation": "hardware"})
    figures = cell_figures(cell, recorded.with_cores_at_work(1))
    assert value(figures, "disk-random-write", "4 KiB, sector 512 B", "offloaded") == 100
    with pytest.raises(CellFailure, match=r"4096-4096-1: the cores worked on 50 % of 1048576 byt"):
        cell_figures(cell, recorded.with_cores_at_work(0.5))
    with pytest.raises(CellFailure, match="cores did part"):
        cell_figures(recorded.cell(), recorded.with_cores_at_work(1))
    small = with_plan(cell, cell.needed(DiskPlan).model_copy(update={"sector_sizes": (512,)}))
    assert cell_proof(small, recorded.with_cores_at_work(0.01))
    with pytest.raises(CellFailure, match="cores did none"):
        cell_proof(small, recorded.with_cores_at_work(0))


@pytest.mark.parametrize(
    ("item", "old", "new", "says"),
    [
        ("", b'"total_ios" : 256', b'"total_ios" : 255', "fio did 255 I/Os of 1048576 bytes"),
        ("", b'"error" : 0', b'"error" : 5', "fio reported the error 5"),
        ("", b'"jobs"', b'"jibs"', "fio's report is incomplete: KeyError"),
        ("", b"{", b"", "fio's report is incomplete"),
        ("", b'"lat_ns"', b'"lot_ns"', "fio's report is incomplete: KeyError 'lat_ns'"),
        ("overhead-512", b'"total_ios" : 1,', b'"total_ios" : 2,', "2 I/Os; 1 "),
    ],
)
def test_a_damaged_report_gives_no_figures(item: str, old: bytes, new: bytes, says: str) -> None:
    run = recorded.with_data(item or "sequential-read-512-4096-1", old, new)
    with pytest.raises(CellFailure, match=says):
        cell_figures(recorded.cell(), run)
