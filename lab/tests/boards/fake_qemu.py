# SPDX-License-Identifier: Apache-2.0
"""A stand-in for QEMU: takes its command line, writes its files, and goes wrong when told to.

What it does is a line in its job: `FAKE word [text]`.  Its process number goes to a file
named by its node in the directory `$FAKE_QEMU_PIDS`.
"""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path


def option(name: str, key: str) -> str:
    """The value of `key=` in the first value of the option `name` that has it."""
    for position, word in enumerate(sys.argv):
        if word == name:
            found = re.search(rf"(?:^|,){key}=((?:[^,]|,,)*)", sys.argv[position + 1])
            if found:
                return found[1].replace(",,", ",")
    raise SystemExit(f"fake: no {key} in {name}")


INSTANT = {
    "instructions": 2000,
    "idle_ns": 3,
    "stalled_ns": 0,
    "user_ns": 4,
    "ports": {},
    "cores": {},
}


class Fake:
    """One node, from its command line."""

    def __init__(self) -> None:
        self.node = option("-device", "name")
        found = re.search(rb"FAKE (\S+) ?(.*)", Path(option("-device", "job")).read_bytes())
        assert found is not None
        self.word, self.text = found[1].decode(), found[2].decode()
        serial = sys.argv[sys.argv.index("-serial") + 1].removeprefix("file:")
        # Left open until the end, as QEMU leaves its own.
        self.console = Path(serial.replace(",,", ",")).open("w")  # noqa: SIM115
        self.log = Path(option("-device", "log")).open("w")  # noqa: SIM115
        self.trace = Path(option("-device", "trace"))

    def record(self, **record: object) -> None:
        """Write a record of the probe log."""
        self.log.write(json.dumps(record) + "\n")
        self.log.flush()

    def boot(self) -> None:
        """Print and log what every node does first."""
        for line in range(30):
            self.console.write(f"[    0.{line:06}] line {line} of {self.node}\r\n")
        self.console.flush()
        self.record(kind="start", version=2)
        self.record(kind="mark", name="job-begin", time_ns=1, **INSTANT)

    def run(self) -> None:
        """Do as the job says."""
        act = getattr(self, f"do_{self.word}")
        self.boot()
        self.trace.write_text(f"trace of {self.node}, seed {sys.argv[sys.argv.index('-seed') + 1]}")
        act()

    def do_well(self) -> None:
        """Power off in order."""
        text = self.text.encode()
        encoded = base64.b64encode(text).decode()
        self.record(kind="data", name="said", time_ns=5, bytes=len(text), base64=encoded)
        self.record(kind="end", time_ns=9, **INSTANT)

    def do_exit(self) -> None:
        """End with status 1 and a line on standard error."""
        sys.exit(f"qemu-system-arm: {self.text}")

    def do_late(self) -> None:
        """Likewise, after a while."""
        time.sleep(0.4)
        self.do_exit()

    def do_wait(self) -> None:
        """Wait for the file that the text names, with a line in NAME.began for each that did."""
        flag = Path(self.text)
        with Path(f"{self.text}.began").open("a") as began:
            began.write("began\n")
        while not flag.exists():
            time.sleep(0.02)
        self.do_well()

    def do_hang(self) -> None:
        """Wait for ever."""
        time.sleep(1000)

    def do_breed(self) -> None:
        """Wait for ever, with a child that does so too."""
        subprocess.Popen(["sleep", "1000"])
        time.sleep(1000)

    def do_killed(self) -> None:
        """Be killed, after a while."""
        time.sleep(0.4)
        os.kill(os.getpid(), signal.SIGKILL)

    def do_panic(self) -> None:
        """Print a panic and reset, which is no failure to QEMU."""
        self.console.write("[    1.000000] Kernel panic - not syncing: No init found.\r\n")
        self.record(kind="end", time_ns=9, **INSTANT)

    def do_fail(self) -> None:
        """Report a failed job, then power off in order."""
        text = base64.b64encode(self.text.encode()).decode()
        self.record(kind="data", name="failure", time_ns=5, bytes=len(self.text), base64=text)
        self.record(kind="end", time_ns=9, **INSTANT)

    def do_vanish(self) -> None:
        """End without an end record."""

    def do_damage(self) -> None:
        """Write half a record."""
        self.log.write('{"kind":"en')


if __name__ == "__main__":
    fake = Fake()
    Path(os.environ["FAKE_QEMU_PIDS"], fake.node).write_text(str(os.getpid()))
    fake.run()
