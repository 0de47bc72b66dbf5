# SPDX-License-Identifier: Apache-2.0
"""Disks: the job's lines, what a cipher makes of a sector, figures of a recorded run."""

import hmac
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as Encryption
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from made_cells import with_plan
from workloads import recorded_disk as recorded
from workloads.sites import jobs_of

from firesteel.base.errors import FiresteelError
from firesteel.board.result import TopologyRun
from firesteel.model.cell import Cell
from firesteel.model.figure import Figure
from firesteel.protocols.disk import DM_CRYPT
from firesteel.protocols.disk_cipher import DiskCipher, xts
from firesteel.protocols.window import CellFailure
from firesteel.workloads.cells import cell_figures, cell_proof
from firesteel.workloads.disk import SAMPLE, DiskPlan


def value(figures: list[Figure], experiment: str, parameter: str, metric: str) -> float:
    (found,) = [
        figure.value
        for figure in figures
        if (figure.workload, figure.parameter.text, figure.metric)
        == (experiment, parameter, metric)
    ]
    return found


def test_a_job_has_a_line_for_each_run_and_one_for_the_overhead() -> None:
    (job,) = jobs_of(recorded.cell()).values()
    lines = job.files["/job/runs"].content.decode().splitlines()
    assert lines == [
        "overhead-512 512 --rw=read --bs=4096 --iodepth=1 --number_ios=1",
        "sequential-read-512-4096-1 512 --rw=read --bs=4096 --iodepth=1",
        "random-write-512-4096-1 512 --rw=randwrite --bs=4096 --iodepth=1",
        "overhead-4096 4096 --rw=read --bs=4096 --iodepth=1 --number_ios=1",
        "sequential-read-4096-4096-1 4096 --rw=read --bs=4096 --iodepth=1",
        "random-write-4096-4096-1 4096 --rw=randwrite --bs=4096 --iodepth=1",
    ]
    settings = job.files["/job/settings"].content.decode()
    assert "SIZE=1048576\nCIPHER=aes-xts-plain64\nKEY=" in settings


def test_a_bare_disk_has_no_cipher() -> None:
    cell = recorded.cell().model_copy(update={"cipher": "none"})
    settings = jobs_of(cell)["board"].files["/job/settings"].content.decode()
    assert settings.endswith("CIPHER=''\nKEY=''\nMETADATA=0\nSTART_OFFSET=0\n")


def cipher_of(suite: str, seed: int = 1) -> DiskCipher:
    cipher, mac = suite.split(":")
    update = {"cipher": cipher, "mac": mac, "seed": seed}
    found = DM_CRYPT.cipher(recorded.cell().model_copy(update=update))
    assert found is not None
    return found


KEY_BYTES = {"aes-256-xts:none": 64, "aes-256-xts:hmac-sha256": 64 + 32}


@pytest.mark.parametrize("suite", DM_CRYPT.suites[1:])
def test_keys_are_as_long_as_the_cipher_says_and_differ_by_seed(suite: str) -> None:
    cipher = cipher_of(suite)
    assert len(cipher.key) == KEY_BYTES.get(suite, 32)
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
    mac = hmac.digest(cipher.key[64:], authenticated, "sha256")
    assert metadata[48:] == mac + ivs[1]


def stored_run(suite: str) -> tuple[Cell, TopologyRun]:
    """The recorded run as if its disk had been encrypted otherwise, with IVs of its own."""
    name, mac = suite.split(":")
    cipher = cipher_of(suite)
    whole = recorded.run()
    board = whole.nodes["board"]
    data = dict(board.data)
    for sector in (512, 4096):
        ivs = bytes(range(cipher.metadata_bytes)) * (len(SAMPLE) // sector)
        stored = cipher.stored(SAMPLE, sector, ivs)
        data[f"raw-{sector}"] = stored.ciphertext
        data[f"metadata-{sector}"] = stored.metadata.ljust(4096, b"\0")
    cell = recorded.cell().model_copy(update={"cipher": name, "mac": mac})
    return cell, replace(whole, nodes={"board": replace(board, data=data)})


AUTHENTICATED = ["aes-256-gcm:gcm", "aes-256-xts:hmac-sha256"]


@pytest.mark.parametrize("suite", AUTHENTICATED)
def test_the_job_of_an_authenticated_disk_has_its_metadata(suite: str) -> None:
    cell, _ = stored_run(suite)
    files = jobs_of(cell)["board"].files
    size = cipher_of(suite).metadata_bytes
    assert f"METADATA={size}\n" in files["/job/settings"].content.decode()
    assert b"dm-integrity" in files["/job/disk.sh"].content


@pytest.mark.parametrize("suite", AUTHENTICATED)
def test_ciphertext_and_tags_on_the_disk_are_checked(suite: str) -> None:
    cell, run = stored_run(suite)
    assert cell_proof(cell, run)["sectors_checked"] == 16 + 2
    for item, at in (("raw-4096", 4100), ("metadata-512", 3)):
        board = run.nodes["board"]
        spoilt = bytearray(board.data[item])
        spoilt[at] ^= 1
        data = board.data | {item: bytes(spoilt)}
        with pytest.raises(CellFailure, match="its cipher makes"):
            cell_proof(cell, replace(run, nodes={"board": replace(board, data=data)}))


def adiantum_run(code: str) -> tuple[Cell, TopologyRun]:
    """The same with Adiantum, of which the kernel took that code."""
    cell, run = stored_run("adiantum:none")
    board = run.nodes["board"]
    data = board.data | {f"code-{sector}": f"{code}\n".encode() for sector in (512, 4096)}
    return cell, replace(run, nodes={"board": replace(board, data=data)})


BEST = "adiantum(xchacha12-neon,aes-arm,nhpoly1305-neon)"


def test_the_job_of_adiantum_hands_out_its_code() -> None:
    cell, run = adiantum_run(BEST)
    files = jobs_of(cell)["board"].files
    assert b"/proc/crypto" in files["/job/disk.sh"].content
    assert b"use_mapping disk" in files["/job/dm-crypt.sh"].content
    assert cell_proof(cell, run)["sectors_checked"] == 16 + 2


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (BEST.replace("12-neon", "12-generic"), "took adiantum.* has generic code"),
        (BEST.replace("aes-arm", "aes-firesteel"), "took adiantum.*, which is hardware"),
        ("", "'' does not name the kernel's code"),
        (f"{BEST}\n{BEST}", "does not name the kernel's code"),
    ],
)
def test_adiantum_of_other_code_fails_the_cell(code: str, says: str) -> None:
    cell, run = adiantum_run(code)
    with pytest.raises(CellFailure, match=says):
        cell_proof(cell, run)


def test_as_installed_adiantum_may_have_generic_code() -> None:
    cell, run = adiantum_run(BEST.replace("nhpoly1305-neon", "nhpoly1305-generic"))
    cell = cell.model_copy(update={"implementation": "software-as-installed"})
    assert cell_proof(cell, run)["sectors_checked"] == 16 + 2


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (
            {"cipher": "adiantum", "implementation": "hardware"},
            "dm-crypt does not go with adiantum:none; allowed are none:none, aes-128-xts:none",
        ),
        (
            {"cipher": "aes-256-gcm"},
            "not go with aes-256-gcm:none; allowed are none:none, ",
        ),
        ({"topology": "host-host"}, "measured on one board, and the topology `host-host` has 2"),
        ({"plans": ()}, "the table `disk` is missing"),
    ],
)
def test_what_does_not_go_together_is_told(update: dict[str, object], message: str) -> None:
    with pytest.raises(FiresteelError, match=message):
        jobs_of(recorded.cell().model_copy(update=update))


def test_figures_of_the_recorded_run() -> None:
    figures = cell_figures(recorded.cell(), recorded.run())
    assert {figure.workload for figure in figures} == {
        "disk-sequential-read",
        "disk-random-write",
    }
    rows = [(figure.workload, figure.parameter.text, figure.metric) for figure in figures]
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
    large = value(figures, "disk-random-write", "4 KiB, sector 4096 B", "throughput")
    assert large > value(figures, "disk-random-write", "4 KiB, sector 512 B", "throughput")


def test_the_proof_counts_sectors_that_lay_on_the_disk_as_they_should() -> None:
    proof = cell_proof(recorded.cell(), recorded.run())
    assert proof["sectors_checked"] == 16 + 2
    assert proof["disk_bytes"] == 4 << 20
    assert proof["disk_ios"] == 4 * 256


def test_a_disk_with_other_bytes_is_a_failed_cell() -> None:
    raw = recorded.run().nodes["board"].data["raw-4096"]
    changed = recorded.with_data("raw-4096", raw[4096:4128], bytes(32))
    with pytest.raises(CellFailure, match="its cipher makes .*4096 bytes"):
        cell_proof(recorded.cell(), changed)
    with pytest.raises(CellFailure, match="its cipher makes"):
        cell_proof(recorded.cell().model_copy(update={"cipher": "none"}), recorded.run())


def test_hardware_is_proved_by_the_counters_of_the_cores() -> None:
    cell = recorded.cell().model_copy(update={"implementation": "hardware"})
    figures = cell_figures(cell, recorded.with_cores_at_work(1))
    at = ("disk-random-write", "4 KiB, sector 512 B")
    assert value(figures, *at, "offloaded") == 100
    with pytest.raises(CellFailure, match=r"4096-4096-1: the cores worked on 50 % of 1048576 byt"):
        cell_figures(cell, recorded.with_cores_at_work(0.5))
    with pytest.raises(CellFailure, match="cores did part"):
        cell_figures(recorded.cell(), recorded.with_cores_at_work(1))


def test_hardware_with_small_sectors_needs_some_work_of_the_cores() -> None:
    cell = recorded.cell()
    small = cell.needed(DiskPlan).model_copy(update={"sector_sizes": (512,)})
    cell = with_plan(cell.model_copy(update={"implementation": "hardware"}), small)
    assert cell_proof(cell, recorded.with_cores_at_work(0.01))
    with pytest.raises(CellFailure, match="cores did none"):
        cell_proof(cell, recorded.with_cores_at_work(0))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b'"total_ios" : 256', b'"total_ios" : 255', "fio did 255 I/Os of 1048576 bytes"),
        (b'"error" : 0', b'"error" : 5', "fio reported the error 5"),
        (b'"jobs"', b'"jibs"', "fio's report is incomplete: KeyError"),
        (b"{", b"", "fio's report is incomplete"),
        (b'"lat_ns"', b'"lot_ns"', "fio's report is incomplete: KeyError 'lat_ns'"),
    ],
)
def test_a_damaged_report_gives_no_figures(old: bytes, new: bytes, says: str) -> None:
    with pytest.raises(CellFailure, match=says):
        cell_figures(recorded.cell(), recorded.with_data("sequential-read-512-4096-1", old, new))


def test_an_overhead_of_more_than_one_io_gives_no_figures() -> None:
    changed = recorded.with_data("overhead-512", b'"total_ios" : 1,', b'"total_ios" : 2,')
    with pytest.raises(CellFailure, match="2 I/Os; 1 "):
        cell_figures(recorded.cell(), changed)
