# SPDX-License-Identifier: Apache-2.0
"""Loads for the orders in which the CPUs of a board can run, each a few virtual seconds, on the
debug kernel and in virtual time.

The emulator varies the order by a seed, so a load that fails under a seed does so each time.  For
the same reason a load that does not end within `HANG` virtual seconds ends with a panic: how much
wall time a board takes depends on the machine.  The kernel's first report is a panic, too, so the
last turns of a trace are those before it.
"""

import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench import Bench, KeptRun
from debug_board import debug_boards
from driver_run import Told
from kernel_reports import PREPARE, in_log, unexpected
from order_outcome import outcomes
from several_processors import (
    OPTIONS,
    SCENES,
    Rounds,
    Sizes,
    board,
    board_with_resets,
    play,
    under_resets,
)

from firesteel.architectures.armhf import ARMHF
from firesteel.base.checkout import BOARD, CHECKOUT
from firesteel.boards.command import BoardProducts
from firesteel.boards.cores import Timing
from firesteel.boards.job import Job, JobFile, job_archive, write_initramfs
from firesteel.boards.profile import Profile, load_profile
from firesteel.boards.run import BoardFailure, console_text
from firesteel.boards.topology import load_topology
from firesteel.build.buildroot import Room
from firesteel.build.products import Products
from firesteel.build.progress import Runner

CPUS = (2, 4)
"""How many a board has."""

HANG = 30
"""Virtual seconds; a load takes a tenth."""

RATE = 5_000_000_000
"""Instructions per second.  At the usual rate this kernel does little else than take interrupts."""

QUANTUM_NS = 20_000
"""By which clocks may be apart: longer than most of the driver's sections, so that one CPU can do a
whole section while another one stands between two instructions."""

_ARGUMENTS = " kasan.fault=panic oops=panic panic_on_warn=1 kmemleak=off"
"""More arguments of the debug kernel.  No load lives long enough for a scan for leaks."""

_NO_SCANS = "kmemleak: Kernel memory leak detector disabled"

_SIZES = Sizes(backlog=96, fewer=96, alone=4, endless=True)
"""More than the commands of two CryptoMasters, so that requests wait for these."""

_RESETS = 2

_AT = "firesteel.ko is at "

_OF_THE_GUEST = re.compile(r"its (kernel panicked|job reported a failure)")
"""Reasons for a board's failure that its order may have: all others are this machine's."""

# Of templates that are not there each request would start a program that looks for a module.
_MODULES = (
    "uio aes_generic aes-arm aes-arm-bs ecb cbc ctr cts xts gcm ghash-generic ccm cmac hmac "
    "authenc crypto_null seqiv cryptd sha1_generic sha256_generic sha512_generic"
)
_BEFORE_THE_JOB = f"""
{PREPARE}
modprobe -a {_MODULES}
echo >/proc/sys/kernel/modprobe
echo Y >/sys/module/cryptomgr/parameters/notests
"""
"""Shell lines that a board has behind it when it becomes a snapshot."""

_BEGIN = f"""
(sleep {HANG}; echo w >/proc/sysrq-trigger; echo c >/proc/sysrq-trigger) &
watchdog=$!
insmod() {{
    command insmod "$@"
    [ $1 != /job/firesteel.ko ] ||
        echo "<3>{_AT}$(cat /sys/module/firesteel/sections/.text)" >/dev/kmsg
}}
"""

_END = """
probe data lockdep /proc/lockdep_stats
kill $watchdog
"""

_SLOW = Timing(clock_hz=2_000_000)
"""Slower than submitters, so that a chain is full when another one ends."""

# Submitters poll for commands of their own while the interrupt handler passes from chain to chain.
_POLLED = f"""
insmod /job/firesteel.ko {OPTIONS} completion=poll
insmod /job/order.ko threads=$((2 * $(grep -c ^processor /proc/cpuinfo))) count=32 window=8
rmmod order
rmmod firesteel
dmesg | probe data dmesg
"""

# The public-key engine and a CryptoMaster are the program's.
_PROVIDER = """
insmod /job/firesteel.ko user=last minimum=0
export PROVIDER_DIRECTORY=/usr/lib/arm-linux-gnueabihf/ossl-modules
/job/threads auto 4 5 >/run/threads 2>&1 && echo ok >>/run/threads
probe data threads /run/threads
rmmod firesteel
dmesg | probe data dmesg
"""


def order_boards(directory: Path) -> BoardProducts:
    """The debug kernel, which panics at its first report, and an image that has all modules loaded
    when it is ready for its job; made in `directory`."""
    boards = debug_boards()
    cmdline, initramfs = directory / "cmdline", directory / "initramfs"
    cmdline.write_text(boards.cmdline.read_text().rstrip("\n") + _ARGUMENTS)
    begin, ready, rest = (BOARD / "image" / "init").read_text().partition("if probe ready")
    assert ready, "the image's init says when it is ready"
    init = ARMHF.fill_in(f"{begin}{_BEFORE_THE_JOB}{ready}{rest}").encode()
    write_initramfs(boards.initramfs, job_archive(Job({"/init": JobFile(init, 0o755)})), initramfs)
    return replace(boards, cmdline=cmdline, initramfs=initramfs)


class LoadFailure(Exception):  # noqa: N818 - a board fails, the test does not err
    """What is wrong under an order, the report first."""

    def __init__(self, what: str, console: str) -> None:
        super().__init__(what)
        found = re.findall(rf"{_AT}0x([0-9a-f]+)", console)
        self.text: int | None = int(found[-1], 16) if found else None
        """Where the driver's code was; None if it was not loaded."""


@dataclass(frozen=True)
class Load:
    """What a board does, and how to know that all went well; `check` asserts it."""

    script: str
    profile: Profile
    check: Callable[[KeptRun], None]


def _check_scene(name: str, run: KeptRun) -> None:
    rounds = Rounds(run, (name,), 1)
    rounds.assert_right()
    rounds.assert_empty()


def _check_requests(run: KeptRun) -> None:
    (found,) = outcomes(run.text("board", "dmesg"))
    assert found[1:4] == (0, 0, 0)


def _check_resets(run: KeptRun) -> None:
    _check_requests(run)
    assert Told(run).queues()["vanished"] >= _RESETS


def _check_threads(run: KeptRun) -> None:
    said = run.text("board", "threads")
    assert said.split() == ["ok"], said


_USUAL = load_profile("socrates-hash").cores[0].timing


def _of(
    profile: Profile, windows: int = 3, timing: Timing = _USUAL, *, hashes: bool = False
) -> Profile:
    """The first windows of a board.  Boards with the same windows share a snapshot.  Without hashes
    there are fewer algorithms for the driver to measure."""
    cores = (
        each.model_copy(update={"hash": each.hash and hashes, "timing": timing})
        for each in profile.cores[:windows]
    )
    return profile.model_copy(update={"cores": tuple(cores)})


def _scene(name: str) -> Load:
    check = partial(_check_scene, name)
    if SCENES[name].always_deep:
        # traffic has to end before anything happens, so slow cores keep a backlog
        sizes = replace(_SIZES, backlog=192)
        return Load(play((name,), 1, sizes=sizes), _of(board(), timing=_SLOW), check)
    return Load(play((name,), 1, sizes=_SIZES), _of(board()), check)


_SCENES = ("unbind", "unplug", "owner", "sleep", "unload", "parameters", "programs")

LOADS: Mapping[str, Load] = {
    **{name: _scene(name) for name in _SCENES},
    "polled": Load(_POLLED, _of(board(), 1, _SLOW), _check_requests),
    "resets": Load(under_resets(_RESETS), _of(board_with_resets(), 1), _check_resets),
    "provider": Load(_PROVIDER, _of(board(), hashes=True), _check_threads),
}


def seeds_of(said: str) -> range:
    """The seeds of `FIRST-LAST` or of one number; ValueError says what is allowed."""
    first, dash, last = said.partition("-")
    last = last if dash else first
    if not (first.isdecimal() and last.isdecimal() and 0 < int(first) <= int(last)):
        raise ValueError(f"{said} is neither FIRST-LAST nor a number; seeds begin at 1")
    return range(int(first), int(last) + 1)


@dataclass(frozen=True)
class Order:
    """A load on so many CPUs, in the order of a seed; 0 is the usual order."""

    load: str
    cpus: int
    seed: int

    def __str__(self) -> str:
        """Its name in tests."""
        return f"{self.load}-{self.cpus}-{self.seed}"

    @property
    def profile(self) -> Profile:
        """The board."""
        profile = LOADS[self.load].profile.on_clock("flat")
        changes = {
            "instructions_per_second": RATE,
            "count": self.cpus,
            "quantum_ns": QUANTUM_NS,
        }
        return profile.model_copy(update={"cpu": profile.cpu.model_copy(update=changes)})

    def run(
        self, bench: Bench, files: Mapping[str, JobFile], directory: Path, more: str = ""
    ) -> None:
        """Run it, with its files in `directory`; `more` are options of the emulator.

        Raises `LoadFailure` when the guest fails, `BoardFailure` when the emulator does.
        """
        load = LOADS[self.load]
        script = f"{_BEGIN}\n{load.script}\n{_END}"
        try:
            run = bench.with_order(self.seed, directory, more).run(
                load_topology("one-board"),
                {"board": script},
                {"board": files},
                {"board": self.profile},
            )
        except BoardFailure as failure:
            if not _OF_THE_GUEST.match(failure.reason):
                raise
            console = console_text(failure.directory / "board" / "console")
            reported = "\n".join(report.headline for report in in_log(console))
            raise LoadFailure(reported or str(failure), console) from None
        _look(load, run)


def _look(load: Load, run: KeptRun) -> None:
    log = run.text("board", "dmesg")
    if found := [line for line in unexpected(log) if line != _NO_SCANS]:
        raise LoadFailure("\n".join(found), log)
    try:
        assert re.search(r"^ *debug_locks: +1$", run.text("board", "lockdep"), re.MULTILINE)
        load.check(run)
    except AssertionError:
        raise LoadFailure(traceback.format_exc(limit=-1), log) from None


_BUILD = """
set -e
cd /firesteel/source/provider
{triplet}-gcc -std=c17 -O2 -D_GNU_SOURCE -Wall -Wextra -Werror -pthread -I. -I../frontends/common \\
    -isystem {usr}/include -isystem {usr}/include/{triplet} \\
    -o /firesteel/work/threads tests/test-threads.c tests/unit.c \\
    -L{usr}/lib/{triplet} -Wl,--allow-shlib-undefined -lcrypto
{triplet}-strip /firesteel/work/threads
"""


def build_threads(products: Products, directory: Path) -> bytes:
    """The provider's test of threads, for the guest, built in the empty `directory`."""
    work = directory / "work"
    work.mkdir()
    parts = ("provider", "lib", "silex", "frontends")
    room = Room(
        writable={"/firesteel/work": work},
        readable={
            **{f"/firesteel/source/{part}": CHECKOUT / part for part in parts},
            "/firesteel/target": products.development(),
        },
    )
    triplet = products.architecture.toolchain.triplet
    command = ["sh", "-c", _BUILD.format(triplet=triplet, usr="/firesteel/target/usr")]
    products.build_root().run(Runner(directory / "logs"), "Building threads", command, room)
    return (work / "threads").read_bytes()
