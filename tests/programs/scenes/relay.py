# SPDX-License-Identifier: Apache-2.0
"""Relays between two programs, which read what passes and can change it: forged data on the way."""

import contextlib
import ctypes
import os
import select
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scenes.errors import SceneError

_CLONE_NEWNET = 0x40000000
_TICK_S = 0.05
_AMID = 500_000
"""So many bytes of a stream are left as they are: handshakes are over, and a file has begun."""

_DATAGRAM_MAX = 65_536
_CHUNK = 65_536
_TLS_HEAD = 5
"""Type, version and length of a record (RFC 8446, 5.1)."""

Pieces = Callable[[socket.SocketIO], Iterator[bytes]]
"""How a stream is read, in pieces of which one is changed."""


def spoilt(data: bytes) -> bytes:
    """The same with a wrong last bit."""
    return data[:-1] + bytes([data[-1] ^ 1])


def socket_in(space: str, kind: socket.SocketKind) -> socket.socket:
    """An IPv4 socket in the network namespace `space`, or in this one if it is empty."""
    made: list[socket.socket] = []

    def make() -> None:
        # A thread of its own: the others stay where they are
        if not space or _enter(space):
            made.append(socket.socket(socket.AF_INET, kind))

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if not made:
        raise SceneError(f"no socket in the network namespace {space}")
    return made[0]


def _enter(space: str) -> bool:
    file = os.open(Path("/run/netns") / space, os.O_RDONLY)
    try:
        return bool(ctypes.CDLL(None).setns(file, _CLONE_NEWNET) == 0)
    finally:
        os.close(file)


# ---- datagrams ----


@contextlib.contextmanager
def datagrams(
    change: Callable[[bytes, bool], bytes],
    server: tuple[str, int],
    address: str = "127.0.0.1",
    space: str = "",
) -> Iterator[int]:
    """A relay to `server` by UDP at `address`, in the `with` block; its port.

    `change` gets each datagram, with whether it is the client's, and returns what is passed on.
    """
    with (
        socket_in(space, socket.SOCK_DGRAM) as front,
        socket_in(space, socket.SOCK_DGRAM) as back,
    ):
        front.bind((address, 0))
        back.connect(server)
        stop = threading.Event()
        passing = threading.Thread(target=_pass_datagrams, args=(front, back, change, stop))
        passing.start()
        try:
            yield front.getsockname()[1]
        finally:
            stop.set()
            passing.join()


def _pass_datagrams(
    front: socket.socket,
    back: socket.socket,
    change: Callable[[bytes, bool], bytes],
    stop: threading.Event,
) -> None:
    client = None
    while not stop.is_set():
        ready, _, _ = select.select([front, back], [], [], _TICK_S)
        # Nobody may listen there yet, or any more
        with contextlib.suppress(ConnectionRefusedError):
            if front in ready:
                data, client = front.recvfrom(_DATAGRAM_MAX)
                back.send(change(data, True))
            if back in ready and client:
                front.sendto(change(back.recv(_DATAGRAM_MAX), False), client)


# ---- streams ----


def tls_records(stream: socket.SocketIO) -> Iterator[bytes]:
    """The records of TLS."""
    while len(head := _read(stream, _TLS_HEAD)) == _TLS_HEAD:
        yield head + _read(stream, int.from_bytes(head[3:]))


def chunks(stream: socket.SocketIO) -> Iterator[bytes]:
    """Whatever has come."""
    while data := stream.read(_CHUNK):
        yield data


def _read(stream: socket.SocketIO, size: int) -> bytes:
    data = b""
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


@contextlib.contextmanager
def forging(port: int, pieces: Pieces, *, upwards: bool, more: int = 0) -> Iterator[int]:
    """A relay by TCP for one connection to a port of this machine, in the `with` block; its port.

    A piece amid what the client (`upwards`) or the server sends is changed.  Of what follows only
    `more` bytes are passed on: whoever refuses a piece, and has read all, sends word of it.
    """
    ways = (_Way(pieces, more if upwards else None), _Way(pieces, None if upwards else more))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        passing = threading.Thread(target=_connect, args=(listener, port, *ways))
        passing.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            passing.join()


def _connect(listener: socket.socket, port: int, up: "_Way", down: "_Way") -> None:
    with contextlib.suppress(OSError):  # nobody has come
        client, _ = listener.accept()
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            upwards = threading.Thread(target=up.go, args=(client, server))
            upwards.start()
            down.go(server, client)
            upwards.join()


@dataclass(frozen=True)
class _Way:
    """A direction, and how much is passed on after a forged piece; None: all is as it comes."""

    pieces: Pieces
    more: int | None

    def go(self, source: socket.socket, target: socket.socket) -> None:
        """Pass on until the end, which is passed on, too."""
        with contextlib.suppress(OSError), source.makefile("rb", buffering=0) as stream:
            for piece in self._changed(self.pieces(stream)):
                target.sendall(piece)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def _changed(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        passed, left = 0, self.more
        for piece in pieces:
            if left is None or passed <= _AMID:
                yield piece
                passed += len(piece)
                if left is not None and passed > _AMID and (forged := next(pieces, b"")):
                    yield spoilt(forged)
            elif left > 0:
                yield piece
                left -= len(piece)
