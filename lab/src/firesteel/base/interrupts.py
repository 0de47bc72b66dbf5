# SPDX-License-Identifier: Apache-2.0
"""Requests to end: Ctrl-C, SIGTERM and SIGHUP, each of which is a `KeyboardInterrupt`."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from firesteel.base.errors import FiresteelError

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What asks a command to end."""

_requested = threading.Event()


def listen() -> None:
    """Treats all requests to stop alike: stops running work and keeps finished work.

    SIGINT stays ignored if the caller ignores it, as shells do for background jobs.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)


@contextmanager
def unwrapped() -> Iterator[None]:
    """Raises `KeyboardInterrupt` where a request came and a library made another error of it.

    Those that are not written in Python do: pydantic raises `PydanticSerializationError` when the
    request comes while it calls a function of ours.
    """
    try:
        yield
    except FiresteelError:
        raise
    except Exception as error:
        if _requested.is_set():
            raise KeyboardInterrupt from error
        raise


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    _requested.set()
    raise KeyboardInterrupt
