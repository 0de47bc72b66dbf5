# SPDX-License-Identifier: Apache-2.0
"""What boards with several processors do to the driver: shell lines, and what a run says.

A scene goes over and over in one boot.  In each round every processor submits requests by a
transform of its own, of which the driver keeps `BACKLOG` at a time, and something happens to the
cores meanwhile: they are unbound, taken out of the machine, given to programs, or the module is
unloaded as soon as it can be.  Where the machine is busy the cores may be done with some first; a
round is told as deep if half of the requests had to wait.
guest/order/ compares each result with software's, and looks whether any came out of order.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bench import KeptRun
from driver_run import Told
from order_outcome import outcomes
from uio_scenes import FIRST

from firesteel.board.cores import Fault, Timing
from firesteel.board.profile import Profile, load_profile

BACKLOG = 2400
"""Requests that wait for the cores when something happens to them."""

OPTIONS = "minimum=0 user=none timeout=5000"
"""All that can goes to the cores, and both are the kernel's.  A busy host makes no core faulty."""

_DEEP = f"{OPTIONS} completion=irq"
"""On a busy host interrupts seem dear, so that the driver would poll: then nothing waits."""

_SLOW = Timing(clock_hz=1_000_000)

# A round ends when its traffic has ended, whose module says what came of it.
_FUNCTIONS = """
drivers=/sys/bus/pci/drivers/firesteel
queues=/sys/kernel/debug/firesteel/queues
processors=$(grep -c ^processor /proc/cpuinfo)
load() {{ insmod /job/firesteel.ko {options}; }}
traffic() {{
    insmod /job/order.ko threads=$processors mixed=1 "$@" &
    traffic=$!
}}
flood() {{ traffic flood=1 count=$(({backlog} / processors)) window=$(({backlog} / processors)); }}
backlogged() {{
    awk '{{ for (i = 2; i < NF; i += 2) if ($i == "backlogged") n += $(i + 1) }}
         END {{ print n + 0 }}' $queues
}}
flood_until_deep() {{
    deep=$(($(backlogged) + {backlog} / 2))
    flood
    depth=deep
    until [ $(backlogged) -ge $deep ]; do
        if [ "$(cat /sys/module/order/initstate 2>/dev/null)" = live ]; then
            depth=shallow
            break
        fi
        sleep 0.01
    done
    echo $depth >>/run/depths
}}
end_traffic() {{
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
            echo $owner >/sys/bus/pci/devices/$device/owner
            [ $owner = kernel ] || look $device
        done
    done
}}
each() {{ for device in $devices; do echo $device >$drivers/$1; done; }}
devices() {{ (cd $drivers && echo 0000:*); }}
"""

_ROUNDS = {
    "unbind": """
    flood_until_deep
    each unbind
    end_traffic
    each bind
""",
    "unplug": """
    flood_until_deep
    for device in $devices; do echo 1 >/sys/bus/pci/devices/$device/remove; done
    end_traffic
    echo 1 >/sys/bus/pci/rescan
""",
    "owner": """
    flood_until_deep
    switch_owners
    end_traffic
    # with room in the queue, so that processors are always about to give the cores something
    traffic count=0 window=64
    for again in 1 2 3; do sleep 0.05; switch_owners; done
    echo 1 >/sys/module/order/parameters/stop
    end_traffic
""",
    "unload": """
    flood_until_deep
    until rmmod firesteel 2>/dev/null; do :; done
    end_traffic
    load
""",
}

SCENES = tuple(_ROUNDS)


def scene(name: str, rounds: int) -> str:
    """Shell lines of a scene, after which the driver is loaded as it was before."""
    return f"""
devices=$(devices)
for round in $(seq {rounds}); do
{_ROUNDS[name]}
done
echo {name} >>/run/scenes
"""


def all_scenes(rounds: int) -> str:
    """Shell lines of all scenes, one after the other, and what a run says afterwards; debugfs is
    mounted."""
    return f"""
{_FUNCTIONS.format(options=_DEEP, backlog=BACKLOG)}
watch {FIRST}
load
traffic count={100 * rounds}
end_traffic
cat /sys/kernel/debug/firesteel/requests | probe data requests
{"".join(scene(name, rounds) for name in SCENES)}
rmmod firesteel
probe data scenes /run/scenes
probe data depths /run/depths
[ ! -e /run/live ] || probe data live /run/live
dmesg | probe data dmesg
"""


def under_resets(requests: int) -> str:
    """Shell lines with traffic on cores that are reset all the time; debugfs is mounted."""
    return f"""
{_FUNCTIONS.format(options=OPTIONS, backlog=BACKLOG)}
load
traffic count={requests}
end_traffic
cat $queues | probe data queues
cat /sys/kernel/debug/firesteel/requests | probe data requests
rmmod firesteel
dmesg | probe data dmesg
"""


def board() -> Profile:
    """Two windows of cores, so slow that a backlog stays deep."""
    profile = load_profile("socrates-hash")
    cores = tuple(each.model_copy(update={"timing": _SLOW}) for each in profile.cores)
    return profile.model_copy(update={"cores": cores})


def board_with_resets() -> Profile:
    """One window, which is gone for a moment once in some hundred jobs."""
    profile = load_profile("socrates-hash")
    fault = Fault(kind="gone", rate=200, for_ns=30_000, within_ns=60_000)
    core = profile.cores[0].model_copy(update={"faults": (fault,)})
    return profile.model_copy(update={"cores": (core,)})


@dataclass(frozen=True)
class Rounds:
    """What a run of all scenes says."""

    run: KeptRun
    rounds: int

    def assert_right(self) -> None:
        """All scenes were played to the end, and no request was lost, wrong, or out of order."""
        assert self.run.text("board", "scenes").split() == list(SCENES)
        found = outcomes(self.run.text("board", "dmesg"))
        depths = self.run.text("board", "depths").split()
        assert len(depths) == len(SCENES) * self.rounds
        assert depths.count("deep") >= len(depths) / 2
        # once by itself, and twice in each round of `owner`
        assert len(found) == 1 + (len(SCENES) + 1) * self.rounds
        assert [each for each in found if each[1:4] != (0, 0, 0)] == []

    def assert_empty(self) -> None:
        """When a program was given the cores they could reach nothing any more that the kernel had
        worked on; guest/arenas/ has looked."""
        lines = self.run.text("board", "live").splitlines()
        assert len(lines) == 4 * self.rounds
        assert [line for line in lines if not line.startswith("0 of ")] == []

    def hardware(self) -> Mapping[str, int]:
        """Requests that went to the cores while nothing happened to them."""
        return Told(self.run).requests("hardware")
