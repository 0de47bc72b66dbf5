# SPDX-License-Identifier: Apache-2.0
"""The kernel's own code for crypto: what the jobs' script loads is what is fastest on the board."""

import re

import pytest
from bench import Bench, KeptRun
from ipsec_traffic import SUITES

from firesteel.boards.job import JobFile
from firesteel.boards.topology import load_topology
from firesteel.protocols.kernel import KERNEL_SOFTWARE
from firesteel.workloads.crypto_api import parse_output

_CBC = "kind=cipher reference=cbc(aes-generic) key=32 head=52"
_CTR = "kind=cipher reference=ctr(aes-generic) key=32 head=52"
_XTS = "kind=cipher reference=xts(ecb(aes-generic)) key=64"
_GCM = "kind=aead reference=rfc4106(gcm_base(ctr(aes-generic),ghash-generic)) key=36 ad=16 head=52"
_ESP = "kind=aead reference=authenc(hmac(sha256-generic),cbc(aes-generic)) key=32 auth_key=32 ad=24"
_SHA = "kind=hash reference=sha256-generic"
_HMAC = "kind=hash reference=hmac(sha256-generic) key=32"

NAMES = {
    "cbc(aes)": (_CBC, ["cbc-aes-neonbs", "cbc(aes-arm)", "cbc(aes-generic)"]),
    "ctr(aes)": (_CTR, ["ctr-aes-neonbs", "ctr(aes-arm)", "ctr(aes-generic)"]),
    "xts(aes)": (_XTS, ["xts-aes-neonbs", "xts(ecb(aes-arm))", "xts(ecb(aes-generic))"]),
    "rfc4106(gcm(aes))": (
        _GCM,
        [
            "rfc4106(gcm_base(ctr-aes-neonbs,ghash-ce-sync))",
            "rfc4106(gcm_base(ctr-aes-neonbs,ghash-generic))",
            "rfc4106(gcm_base(ctr(aes-arm),ghash-ce-sync))",
            "rfc4106(gcm_base(ctr-aes-neonbs,cryptd(ghash-ce-sync)))",
        ],
    ),
    "authenc(hmac(sha256),cbc(aes))": (
        _ESP,
        [
            "authenc(hmac(sha256-neon),cbc-aes-neonbs)",
            "authenc(hmac(sha256-asm),cbc-aes-neonbs)",
            "authenc(hmac(sha256-generic),cbc-aes-neonbs)",
            "authenc(hmac(sha256-neon),cbc(aes-arm))",
        ],
    ),
    "sha256": (_SHA, ["sha256-neon", "sha256-asm", "sha256-generic"]),
    "hmac(sha256)": (
        _HMAC,
        ["hmac(sha256-neon)", "hmac(sha256-asm)", "hmac(sha256-generic)"],
    ),
}
"""What the kernel's users ask for, and the code of its own that it has for each."""

SIZES = (64, 1408, 16384)


def _measure(suite: int, settings: str, names: list[str]) -> str:
    lines = ""
    for number, name in enumerate(names):
        for size in SIZES:
            lines += (
                f"echo '{settings} algorithm={name} size={size} requests=9 decrypt=0' "
                ">/proc/cryptobench\n"
                f"probe data n{suite}-{number}-{size} /proc/cryptobench\n"
            )
    return lines


def _measured(bench: Bench, suite: int, settings: str, names: list[str], software: str) -> KeptRun:
    """A boot: once a name stands for something, the kernel keeps it so."""
    script = f"""
KERNEL_SOFTWARE={software}
. /job/kernel-software.sh
modprobe cryptobench
{_measure(suite, settings, names)}"""
    files = {"/job/kernel-software.sh": JobFile(KERNEL_SOFTWARE.read_bytes())}
    return bench.run(load_topology("one-board"), {"board": script}, {"board": files})


@pytest.mark.matrix
@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_takes_the_fastest_that_it_has(bench: Bench, name: str) -> None:
    settings, known = NAMES[name]
    run = _measured(bench, 0, settings, [name, *known], "fastest").run
    outputs = {
        (number, size): parse_output(run.nodes["board"].data[f"n0-{number}-{size}"], "n")
        for number in range(len(known) + 1)
        for size in SIZES
    }
    for size in SIZES:
        taken = outputs[0, size]
        assert taken.driver == known[0]
        for number, other in enumerate(known[1:], 2):
            assert outputs[number, size].driver == other
            # Where the scheduler's tick falls into one of both
            assert taken.instructions < outputs[number, size].instructions * 1.01, (size, other)


@pytest.mark.matrix
@pytest.mark.parametrize(("software", "by_threads"), [("fastest", False), ("as-installed", True)])
def test_gcm_of_a_second_user_waits_for_no_thread(
    bench: Bench, software: str, by_threads: bool
) -> None:
    """As installed it does: the first one's opening brings GHASH by cryptd."""
    states = "".join(
        f"ip xfrm state add src 10.0.0.1 dst 10.0.0.2 proto esp spi {spi} {SUITES['gcm']}\n"
        for spi in (1, 2)
    )
    script = f"""
KERNEL_SOFTWARE={software}
. /job/kernel-software.sh
{states}
check_fastest
grep -E "^driver.*: rfc4106" /proc/crypto | probe data drivers
"""
    files = {"/job/kernel-software.sh": JobFile(KERNEL_SOFTWARE.read_bytes())}
    run = bench.run(load_topology("one-board"), {"board": script}, {"board": files})
    assert ("cryptd" in run.text("board", "drivers")) is by_threads


def test_as_installed_hashes_are_generic_and_ciphers_are_not(bench: Bench) -> None:
    name = "authenc(hmac(sha256),cbc(aes))"
    run = _measured(bench, 0, NAMES[name][0], [name], "as-installed").run
    output = parse_output(run.nodes["board"].data["n0-0-64"], "n")
    assert re.fullmatch(r"authenc\(hmac\(sha256-generic\),cbc-aes-neonbs\)", output.driver)


def test_threads_are_taken_by_what_esp_asks_for(bench: Bench) -> None:
    """Associations come after other code has taken the place of some, at its first use."""
    states = "".join(
        f"ip xfrm state add src 10.0.0.1 dst 10.0.0.2 proto esp spi {spi} {algorithms}\n"
        for spi, algorithms in enumerate((SUITES["gcm"], SUITES["cbc-sha256"]), 1)
    )
    script = f"""
KERNEL_SOFTWARE=threads
. /job/kernel-software.sh
{states}
grep -E "^driver.*: (seqiv|echainiv)" /proc/crypto | probe data drivers
"""
    files = {"/job/kernel-software.sh": JobFile(KERNEL_SOFTWARE.read_bytes())}
    run = bench.run(load_topology("one-board"), {"board": script}, {"board": files})
    drivers = sorted(line.split(": ")[1] for line in run.text("board", "drivers").splitlines())
    assert [re.sub(r"\(.*", "", each.split("(", 1)[1]) for each in drivers] == ["pcrypt", "pcrypt"]
    assert [each.split("(")[0] for each in drivers] == ["echainiv", "seqiv"]
