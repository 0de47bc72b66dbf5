# SPDX-License-Identifier: Apache-2.0
"""Asks `microbench` for everything: check.py PROGRAM.  Runs in the build root, whose Python has no
packages.
"""

import re
import subprocess
import sys
from pathlib import Path

_SIZE = 65_536
_LARGE = 16 << 20
_REPORT = re.compile(r"([\w-]+) (-?[\d.e+-]+) (ns|MB/s)\n")


def _run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)


def _measure(program: str, name: str, *size: int) -> tuple[float, str]:
    done = _run(program, name, *map(str, size))
    assert done.returncode == 0, done.stderr
    found = _REPORT.fullmatch(done.stdout)
    assert found, done.stdout
    assert found[1] == name
    return float(found[2]), found[3]


def _check_all(program: str) -> None:
    lines = _run(program).stdout.splitlines()
    assert len(lines) > 15
    for line in lines:
        name, *sized = line.split()
        assert sized in ([], ["BYTES"])
        value, unit = _measure(program, name, *([_SIZE] if sized else []))
        # With two processors a switch may cost less than the pipe's own calls.
        assert value > 0 or name == "context-switch"
        assert (unit == "MB/s") == name.startswith(("memory-",)) or name.endswith("-bandwidth")
    assert not Path("/tmp/microbench.file").exists()


def _check_order(program: str) -> None:
    """What must take longer takes longer, on any machine."""
    near, _ = _measure(program, "read-latency-random", 4096)
    far, _ = _measure(program, "read-latency-random", _LARGE)
    assert far > 2 * near
    assert near > 0.1, "the loads wait for each other"
    call, _ = _measure(program, "null-call")
    assert _measure(program, "pipe")[0] > 4 * call
    assert _measure(program, "fork")[0] > 10 * call
    # All bytes count, of which it reads a quarter of the words.
    whole, _ = _measure(program, "memory-read", 4096)
    assert _measure(program, "memory-read-sparse", 4096)[0] > whole


def _check_mistakes(program: str) -> None:
    for arguments, told in (
        (("null-calls",), "no such benchmark"),
        (("pipe", "64"), "microbench pipe"),
        (("memory-copy",), "microbench memory-copy BYTES"),
        (("memory-copy", "500"), "give a multiple of 512"),
        (("memory-copy", "1e9"), "give a multiple of 512"),
        (("read-latency", "0"), "give a multiple of 512"),
    ):
        done = _run(program, *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert told in done.stderr, done.stderr


if __name__ == "__main__":
    _check_mistakes(sys.argv[1])
    _check_all(sys.argv[1])
    _check_order(sys.argv[1])
