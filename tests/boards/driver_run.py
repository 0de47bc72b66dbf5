# SPDX-License-Identifier: Apache-2.0
"""The Linux driver in a run of boards: how it is loaded, and what it says afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass

from bench import KeptRun
from kernel_reports import algorithms, unexpected

from firesteel.boards.cores import Fault

AES = frozenset(
    {
        *("ecb-aes", "cbc-aes", "ctr-aes", "cts-cbc-aes", "xts-aes"),
        *("gcm-aes", "rfc4106-gcm-aes", "ccm-aes", "rfc4309-ccm-aes", "cmac-aes"),
        *(f"authenc-hmac-{name}-cbc-aes" for name in ("sha1", "sha256", "sha384", "sha512")),
        *("authenc-null-cbc-aes", "authenc-hmac-sha256-xts-aes"),
    }
)
"""Algorithms that need the AES core alone."""

HASH = frozenset(
    f"{kind}{name}"
    for kind in ("", "hmac-")
    for name in ("sha1", "sha224", "sha256", "sha384", "sha512")
)
"""Algorithms that need the hash core."""

PREPARE = """
mount -t debugfs none /sys/kernel/debug
echo N > /sys/module/cryptomgr/parameters/notests
"""
"""Shell lines with which a job begins: the image boots without self-tests, for speed."""

LOAD = """
modprobe -a authenc uio
insmod /job/firesteel.ko user=last
"""

UNPLUG = """
for device in /sys/bus/pci/drivers/firesteel/0000:*; do
    echo ${device##*/} >/sys/bus/pci/drivers/firesteel/unbind
done
"""
"""Shell lines that take all cores from the driver."""


def await_requests(algorithm: str, count: int) -> str:
    """Shell lines that return once the cores have had so many requests of an algorithm."""
    return f"""
took() {{
    grep '^{algorithm}.* hardware' /sys/kernel/debug/firesteel/requests | cut -d' ' -f3
}}
until [ "$(took)" -ge {count} ]; do sleep 0.005; done 2>/dev/null
"""


def ends_at(nth: int) -> Mapping[str, Fault | None]:
    """Ways in which a core ends at its message `nth`; it is unplugged by the job."""
    return {
        "bus error": Fault(kind="dma-error", nth=nth),
        "gone": Fault(kind="gone", nth=nth),
        "unplugged": None,
    }


TELL = """
cat /proc/crypto | probe data crypto
cat /sys/kernel/debug/firesteel/requests | probe data requests
cat /sys/kernel/debug/firesteel/queues | probe data queues
cat /sys/kernel/debug/firesteel/costs | probe data costs
probe mark told
"""
"""Shell lines that hand over what the driver says; debugfs must be there."""


@dataclass(frozen=True)
class Told:
    """What a run says."""

    run: KeptRun
    node: str = "board"

    def algorithms(self, item: str = "crypto") -> list[dict[str, str]]:
        """The fields of each algorithm that the kernel knows, ours and others, as a data item has
        them.
        """
        return algorithms(self.run.text(self.node, item))

    def taken(self, item: str = "crypto") -> Mapping[str, bool]:
        """For the name of each algorithm of ours, whether the kernel takes ours for it."""
        best: dict[str, dict[str, str]] = {}
        for fields in self.algorithms(item):
            known = best.setdefault(fields["name"], fields)
            if int(fields["priority"]) > int(known["priority"]):
                best[fields["name"]] = fields
        ours = {
            fields["name"] for fields in self.algorithms(item) if fields["module"] == "firesteel"
        }
        return {name: best[name]["module"] == "firesteel" for name in ours}

    def self_tests(self, item: str = "crypto") -> Mapping[str, str]:
        """Each of our algorithms, and how its self-test ended."""
        return {
            fields["driver"].removesuffix("-firesteel"): fields["selftest"]
            for fields in self.algorithms(item)
            if fields["module"] == "firesteel"
        }

    def requests(self, way: str, item: str = "requests") -> Mapping[str, int]:
        """Each algorithm's requests that went one way, as a data item has them."""
        found = {}
        for line in self.run.text(self.node, item).splitlines():
            driver, *words = line.split()
            if words[0] == way:
                found[driver.removesuffix("-firesteel")] = int(words[1])
        return found

    def queues(self, item: str = "queues") -> dict[str, int]:
        """The counters of all queues, added up, as a data item has them."""
        found: dict[str, int] = {}
        for line in self.run.text(self.node, item).splitlines():
            words = line.split()[1:]
            for name, value in zip(words[::2], words[1::2], strict=True):
                found[name] = found.get(name, 0) + int(value)
        return found

    def cores(self, counter: str) -> int:
        """A counter of all windows, added up, as the devices have it."""
        mark = self.run.run.nodes[self.node].mark("told")
        return sum(counters[counter] for counters in mark.cores.values())

    def reports(self) -> list[str]:
        """What the kernel has reported, but for how it was booted."""
        return unexpected(self.run.text(self.node, "dmesg"))

    def assert_quiet(self) -> None:
        """The kernel has reported nothing."""
        assert self.reports() == []
