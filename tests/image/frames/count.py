# SPDX-License-Identifier: Apache-2.0
"""Sends datagrams to `count-frames`: count.py PROGRAM.  Runs in the build root, whose Python has no
packages.
"""

import socket
import subprocess
import sys

_OURS, _OTHERS = 17_101, 17_102
_PORT = 17_100


def _send(source: int, count: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sender.bind(("127.0.0.1", source))
        sender.connect(("127.0.0.1", _PORT))
        for _ in range(count):
            # Raises ConnectionRefusedError when ICMP says that the port is closed.
            sender.send(b"")


def _start(program: str) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen([program, str(_PORT)], stdin=pipe, stdout=pipe, text=True)


def _ask(counter: "subprocess.Popen[str]", line: str) -> None:
    assert counter.stdin
    assert counter.stdout
    print(line, file=counter.stdin, flush=True)
    assert counter.stdout.readline() == "ready\n"


def _count(counter: "subprocess.Popen[str]") -> int:
    assert counter.stdout
    return int(counter.stdout.readline().split()[0])


def _check(what: str, found: int, expected: int) -> None:
    if found != expected:
        sys.exit(f"{what}: {found} instead of {expected}")


def _run(program: str) -> None:
    with _start(program) as counter:
        _ask(counter, f"{_OURS} 100")
        _send(_OURS, 100)
        _check("all", _count(counter), 100)
        _ask(counter, f"{_OURS} 100")
        _send(_OURS, 60)
        _check("some that were lost", _count(counter), 60)
        _send(_OTHERS, 50)
        _ask(counter, f"{_OURS} 100")
        _send(_OTHERS, 50)
        _send(_OURS, 70)
        _check("late ones of another trial", _count(counter), 70)
        _send(_OURS, 10)
        _ask(counter, f"{_OTHERS} 5")
        _check("none", _count(counter), 0)
        assert counter.stdin
        counter.stdin.close()
        _check("exit status", counter.wait(), 0)
    for line in (f"{_OURS} 0", f"{_OURS} many", "70000 5"):
        with _start(program) as counter:
            counter.communicate(line + "\n")
            _check(f"exit status after `{line}`", counter.returncode, 1)


if __name__ == "__main__":
    _run(sys.argv[1])
