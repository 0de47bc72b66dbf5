# SPDX-License-Identifier: Apache-2.0
"""What boards with several processors do to the driver: shell lines, and what a run says.

A scene goes over and over in one boot.  In most of them every processor submits requests by a
transform of its own, of which the driver keeps hundreds at a time, and something happens to the
cores meanwhile: they are unbound, taken out of the machine, given to programs, put to sleep, or the
module is unloaded as soon as it can be.  Where the machine is busy the cores may be done with some
first; a round is told as deep if half of the requests had to wait.  Where there are many rounds
most have fewer requests, so that more happens in the same time.
guest/order/ compares each result with software's, and looks whether any came out of order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench import KeptRun
from driver_run import Told
from ipsec_traffic import BOARD, PEER, associations
from order_outcome import outcomes
from uio_scenes import FIRST

from firesteel.boards.cores import Cores, Fault, Timing
from firesteel.boards.profile import Profile, load_profile


@dataclass(frozen=True)
class Sizes:
    """How many requests there are."""

    backlog: int = 2400
    """Of all processors, which wait for the cores when something happens to them."""

    fewer: int = 480
    """In most rounds where there are many."""

    alone: int = 100
    """Of each processor, for each round, before anything happens."""

    endless: bool = False
    """Processors go on to submit, as many at a time, until something has happened; not where they
    keep that from happening."""


USUAL = Sizes()

OPTIONS = "minimum=0 user=none timeout=5000"
"""All that can goes to the cores, and both are the kernel's.  A busy host makes no core faulty."""

_DEEP = f"{OPTIONS} completion=irq"
"""On a busy host interrupts seem dear, so that the driver would poll: then nothing waits."""

_SLOW = Timing(clock_hz=1_000_000)

# A round ends when its traffic has ended, whose module says what came of it.
_FUNCTIONS = """
drivers=/sys/bus/pci/drivers/firesteel
queues=/sys/kernel/debug/firesteel/queues
requests=/sys/kernel/debug/firesteel/requests
endless=
processors=$(grep -c ^processor /proc/cpuinfo)
load() {{ insmod /job/firesteel.ko {options}; }}
traffic() {{
    insmod /job/order.ko threads=$processors mixed=1 "$@" &
    traffic=$!
}}
flood() {{
    traffic flood=1 count=${{endless:-$((backlog / processors))}} window=$((backlog / processors))
}}
queued() {{
    awk -v name=$1 '{{ for (i = 2; i < NF; i += 2) if ($i == name) n += $(i + 1) }}
         END {{ print n + 0 }}' $queues
}}
flood_until_deep() {{
    deep=$(($(queued backlogged) + backlog / 2))
    flood
    depth=deep
    until [ $(queued backlogged) -ge $deep ]; do
        if [ "$(cat /sys/module/order/initstate 2>/dev/null)" = live ]; then
            depth=shallow
            break
        fi
        sleep 0.01
    done
    echo $depth >>/run/depths
}}
end_traffic() {{
    [ -z "$endless" ] || echo 1 >/sys/module/order/parameters/stop
    wait $traffic
    rmmod order
}}
watch() {{
    watched=$1
    [ ! -e /job/arenas.ko ] || insmod /job/arenas.ko device=$1
}}
look() {{
    if [ $1 = $watched ] && [ -e /job/arenas.ko ]; then
        cat /sys/module/arenas/parameters/live >>/run/live
    fi
}}
switch_owners() {{
    for owner in user kernel; do
        for device in $devices; do
            file=/sys/bus/pci/devices/$device/owner
            [ -e $file ] || continue
            echo $owner >$file
            [ $owner = kernel ] || look $device
        done
    done
}}
each() {{ for device in $devices; do echo $device >$drivers/$1; done; }}
devices() {{ (cd $drivers && echo 0000:*); }}
used() {{ awk -v name=$1-firesteel '$1 == name && $2 == "hardware" {{ print $3 }}' $requests; }}
note_use() {{ noted=$(used $1); }}
until_used() {{ until [ "$(used $1)" != "$noted" ]; do sleep 0.01; done; }}
program() {{
    /job/uio $1 >>/run/programs 2>&1 &
    program=$!
    until [ -e /run/ready ]; do kill -0 $program; sleep 0.01; done
    rm /run/ready
}}
nap() {{ echo freeze >/sys/power/state; }}
"""


@dataclass(frozen=True)
class Scene:
    """Shell lines of a round, and of what comes before the first one."""

    round: str
    before: str = ""
    always_deep: bool = False
    """The backlog is what it is about: no round has fewer requests."""

    @property
    def traffic(self) -> int:
        """How often a round loads guest/order/."""
        return self.round.count("end_traffic")

    @property
    def floods(self) -> int:
        """How often of those the driver has a backlog to keep."""
        return self.round.count("flood_until_deep")


_SLEEP = """
echo devices >/sys/power/pm_test
echo 0 >/sys/module/suspend/parameters/pm_test_delay
"""
"""The kernel's test of suspend: devices sleep for a moment."""

# A window whose public-key engine a program has at work is unbound, sleeps, and goes with the
# module when the program has just been killed.
_PROGRAMS = f"""
    echo user >/sys/bus/pci/devices/{FIRST}/owner
    program away
    flood_until_deep
    each unbind
    end_traffic
    wait $program || {{ cat /run/programs && exit 1; }}
    each bind
    program own
    nap
    kill -9 $program
    until rmmod firesteel 2>/dev/null; do :; done
    wait $program 2>/dev/null || true
    load
"""

_SAMPLE = """
[ -e /run/sample ] || head -c 262144 /dev/urandom >/run/sample
md5sum </run/sample >/run/digest
"""

# What is written by the cores and, in the end, by software is read by the cores and by software.
_DISK = f"""
{_SAMPLE}
modprobe -a brd dm-crypt
table="0 8192 crypt aes-xts-plain64 $(printf %0128d 7) 0 /dev/ram0 0"
on_disk() {{
    dmsetup create --noudevrules --noudevsync disk --table "$table"
    note_use xts-aes
    "$@" &
    user=$!
    until_used xts-aes
    each unbind
    wait $user
    dmsetup remove --noudevrules --noudevsync disk
    each bind
}}
write_sample() {{ dd if=/run/sample of=/dev/dm-0 bs=65536 oflag=direct; }}
read_back() {{ dd if=/dev/dm-0 bs=65536 count=4 iflag=direct | md5sum >>/run/disk; }}
"""

_STATES = [
    line for line in associations(BOARD, PEER, "gcm").splitlines() if line.startswith("ip xfrm s")
]


def _of_peer(lines: str) -> str:
    return lines.replace("ip ", "ip -n peer ")


# Two ends on this board, in network namespaces.  Only new associations use cores that have come.
_PACKETS = f"""
{_SAMPLE}
mkfifo /run/open
exec 4<>/run/open
ip netns add peer
ip link add wire type veth peer name wire netns peer
ip address add {BOARD}/24 dev wire
ip link set wire up
{_of_peer(f"ip address add {PEER}/24 dev wire")}
{_of_peer("ip link set wire up")}
{associations(BOARD, PEER, "gcm")}
{_of_peer(associations(PEER, BOARD, "gcm"))}
flush() {{
    ip xfrm state flush
    ip -n peer xfrm state flush
}}
renew() {{
    flush
    {"; ".join(_STATES)}
    {_of_peer("; ".join(_STATES))}
}}
receive() {{ ip netns exec peer nc -l -p 5000 <&4 | md5sum >>/run/packets; }}
send() {{ until nc {PEER} 5000 </run/sample; do sleep 0.05; done; }}
"""

SCENES: Mapping[str, Scene] = {
    "unbind": Scene("""
    flood_until_deep
    each unbind
    end_traffic
    each bind
"""),
    "unplug": Scene("""
    flood_until_deep
    for device in $devices; do echo 1 >/sys/bus/pci/devices/$device/remove; done
    end_traffic
    echo 1 >/sys/bus/pci/rescan
"""),
    "owner": Scene("""
    flood_until_deep
    switch_owners
    end_traffic
    # with room in the queue, so that processors are always about to give the cores something
    traffic count=0 window=64
    for again in 1 2 3; do sleep 0.05; switch_owners; done
    echo 1 >/sys/module/order/parameters/stop
    end_traffic
"""),
    "sleep": Scene(
        """
    flood_until_deep
    nap
    end_traffic
""",
        _SLEEP,
    ),
    "unload": Scene(
        """
    flood_until_deep
    until rmmod firesteel 2>/dev/null; do :; done
    end_traffic
    load
""",
        always_deep=True,
    ),
    # parameters that requests read are written, and all that the driver tells is read
    "parameters": Scene("""
    traffic count=0 window=64
    for completion in poll adaptive irq; do
        echo $completion >/sys/module/firesteel/parameters/completion
        for minimum in -1 0; do
            echo $minimum >/sys/module/firesteel/parameters/minimum
            cat /sys/kernel/debug/firesteel/* /sys/module/firesteel/parameters/* >/run/told
        done
    done
    echo 1 >/sys/module/order/parameters/stop
    end_traffic
"""),
    "programs": Scene(_PROGRAMS, _SLEEP),
    "disk": Scene("on_disk write_sample\non_disk read_back\n", _DISK),
    "packets": Scene(
        """
    renew
    receive &
    receiver=$!
    note_use rfc4106-gcm-aes
    send &
    sender=$!
    until_used rfc4106-gcm-aes
    each unbind
    wait $receiver $sender
    each bind
    flush
""",
        _PACKETS,
    ),
}

WITHOUT_USERS = tuple(name for name in SCENES if name not in ("programs", "disk", "packets"))
"""Those that need no more than a shell and guest/order/."""


def _scene(name: str, rounds: int, deep: int, sizes: Sizes) -> str:
    """Shell lines of a scene, after which the driver is loaded as it was before.  One round in
    `deep` has the whole backlog."""
    scene = SCENES[name]
    fewer = sizes.backlog if scene.always_deep else sizes.fewer
    return f"""
devices=$(devices)
{scene.before}
endless={"0" * (sizes.endless and not scene.always_deep)}
for round in $(seq 0 {rounds - 1}); do
backlog={fewer}
[ $((round % {deep})) != 0 ] || backlog={sizes.backlog}
{scene.round}
done
echo {name} >>/run/scenes
"""


def play(scenes: Sequence[str], rounds: int, deep: int = 1, sizes: Sizes = USUAL) -> str:
    """Shell lines of scenes, one after the other, and what a run says afterwards; debugfs is
    mounted.  One round in `deep` has the whole backlog."""
    return f"""
{_FUNCTIONS.format(options=_DEEP)}
watch {FIRST}
load
traffic count={sizes.alone * rounds}
end_traffic
cat $requests | probe data requests
{"".join(_scene(name, rounds, deep, sizes) for name in scenes)}
until rmmod firesteel 2>/dev/null; do sleep 0.1; done  # associations go a moment later
touch /run/depths /run/live /run/programs /run/disk /run/packets /run/digest
for file in scenes depths live programs disk packets digest; do probe data $file /run/$file; done
dmesg | probe data dmesg
"""


def under_resets(resets: int) -> str:
    """Shell lines with traffic on cores until the driver has met so many resets of them; debugfs is
    mounted.  How many requests that takes depends on the machine."""
    return f"""
{_FUNCTIONS.format(options=OPTIONS)}
load
met=$(queued vanished)
traffic count=0 window=64
until [ $(queued vanished) -ge $((met + {resets})) ]; do sleep 0.1; done
echo 1 >/sys/module/order/parameters/stop
end_traffic
cat $queues | probe data queues
cat /sys/kernel/debug/firesteel/requests | probe data requests
rmmod firesteel
dmesg | probe data dmesg
"""


def board() -> Profile:
    """Two CryptoMasters, so slow that a backlog stays deep, and a public-key engine."""
    profile = load_profile("socrates-hash")
    slow = (each.model_copy(update={"timing": _SLOW, "pk": False}) for each in profile.cores)
    return profile.model_copy(update={"cores": (*slow, Cores(name="pk0", bus="pci", pk=True))})


def board_with_resets() -> Profile:
    """One window, which is gone for a moment once in some hundred jobs."""
    profile = load_profile("socrates-hash")
    fault = Fault(kind="gone", rate=200, for_ns=30_000, within_ns=60_000)
    core = profile.cores[0].model_copy(update={"faults": (fault,)})
    return profile.model_copy(update={"cores": (core,)})


@dataclass(frozen=True)
class Rounds:
    """What a run of scenes says."""

    run: KeptRun
    scenes: Sequence[str]
    rounds: int

    def assert_right(self) -> None:
        """All scenes were played to the end; no request was lost, wrong, or out of order, and no
        byte of a file."""
        assert self.run.text("board", "scenes").split() == list(self.scenes)
        self._assert_traffic()
        for name in ("disk", "packets"):
            self._assert_files(name)
        if "programs" in self.scenes:
            self._assert_programs()

    def _assert_traffic(self) -> None:
        played = [SCENES[name] for name in self.scenes]
        found = outcomes(self.run.text("board", "dmesg"))
        depths = self.run.text("board", "depths").split()
        assert len(depths) == self.rounds * sum(scene.floods for scene in played)
        assert depths.count("deep") >= len(depths) / 2
        # once by itself
        assert len(found) == 1 + self.rounds * sum(scene.traffic for scene in played)
        assert [each for each in found if each[1:4] != (0, 0, 0)] == []

    def _assert_files(self, name: str) -> None:
        came = self.run.text("board", name).splitlines()
        assert len(came) == self.rounds * (name in self.scenes)
        assert set(came) <= {self.run.text("board", "digest").strip()}

    def _assert_programs(self) -> None:
        lines = self.run.text("board", "programs").splitlines()
        assert [line for line in lines if not line.startswith(("#", "ok "))] == []
        assert lines.count("ok away has ended") == self.rounds

    def assert_empty(self) -> None:
        """When a program was given the cores they could reach nothing any more that the kernel had
        worked on; guest/arenas/ has looked."""
        lines = self.run.text("board", "live").splitlines()
        assert len(lines) == 4 * self.rounds * ("owner" in self.scenes)
        assert [line for line in lines if not line.startswith("0 of ")] == []

    def hardware(self) -> Mapping[str, int]:
        """Requests that went to the cores while nothing happened to them."""
        return Told(self.run).requests("hardware")
