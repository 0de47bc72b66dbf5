# SPDX-License-Identifier: Apache-2.0
"""Running the programs of a scene."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from scenes.errors import SceneError
from scenes.side import Side

LOGS = Path("/tmp/logs")
TIMEOUT_S = 60.0
_SHOWN = 3000


def run(side: Side, command: Sequence[str], given: bytes = b"", space: str = "") -> bytes:
    """What `command` writes, on `side` and in the network namespace `space` (or this one).

    `SceneError` with its messages when it fails or does not end.
    """
    with subprocess.Popen(
        _inside(space, command),
        env=side.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            output, messages = process.communicate(given, TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # With those that it has started, which have its pipes
            os.killpg(process.pid, signal.SIGKILL)
            _, messages = process.communicate()
            raise SceneError(f"{' '.join(command)} does not end: {_tail(messages)}") from None
    if process.returncode != 0:
        said = _tail(output + messages)
        raise SceneError(f"{' '.join(command)} ends with {process.returncode}: {said}")
    return output


class Server:
    """A program that runs on; its messages are in a log."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.name = name
        self.process = process
        self._log = log

    @property
    def log(self) -> str:
        """The end of what it wrote."""
        return _tail(self._log.read_bytes())

    @property
    def whole_log(self) -> str:
        """All that it wrote."""
        return self._log.read_text(errors="replace")

    def wait_until(self, ready: Callable[[], bool], what: str) -> None:
        """Wait until `ready()`; `SceneError` with the log when the program ends or time does."""
        wait_until(ready, lambda: f"{self.name}: {what}: {self.log}", self.process)

    def stop(self) -> None:
        """End it, and see that it ends."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise SceneError(f"{self.name} does not end when it is told to: {self.log}") from None


@contextlib.contextmanager
def server(name: str, side: Side, command: Sequence[str], space: str = "") -> Iterator[Server]:
    """`command` running in the `with` block, which it must outlive."""
    LOGS.mkdir(exist_ok=True)
    log = LOGS / name
    with log.open("wb") as file:
        process = subprocess.Popen(
            _inside(space, command),
            env=side.environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    running = Server(name, process, log)
    try:
        yield running
        if process.poll() is not None:
            raise SceneError(f"{name} ended with {process.returncode}: {running.log}")
    except SceneError as error:
        if running.log in str(error):
            raise
        raise SceneError(f"{error}\n{name} says: {running.log}") from error
    finally:
        if process.poll() is None:
            running.stop()


def wait_until(
    ready: Callable[[], bool],
    problem: Callable[[], str],
    process: subprocess.Popen[bytes] | None = None,
) -> None:
    """Wait until `ready()`, at most `TIMEOUT_S`, as long as `process` lives."""
    end = time.monotonic() + TIMEOUT_S
    while not ready():
        if time.monotonic() > end or (process is not None and process.poll() is not None):
            raise SceneError(problem())
        time.sleep(0.02)


def listening(port: int) -> Callable[[], bool]:
    """Whether somebody listens on a TCP port of this namespace; it sees no connection."""

    def look() -> bool:
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
        return any(
            line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A" for line in lines
        )

    return look


def free_port() -> int:
    """A TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _inside(space: str, command: Sequence[str]) -> list[str]:
    return ["ip", "netns", "exec", space, *command] if space else list(command)


def _tail(output: bytes) -> str:
    return output.decode(errors="replace")[-_SHOWN:].strip()
