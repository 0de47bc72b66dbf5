# SPDX-License-Identifier: Apache-2.0
"""Load: files fetched over and over, each by a new connection, none of which may be lost.

By HTTP/1.1: with HTTP/2 nginx 1.22 ends some connections before their first request while it is
reloaded, with the system's OpenSSL alone too.
"""

import contextlib
import threading
from collections.abc import Iterator

from scenes import process, web
from scenes.errors import SceneError
from scenes.side import Side

_CLIENTS = 3
_MORE = 20


class Load:
    """Clients that fetch until they are told to stop."""

    def __init__(self, side: Side, site: web.Site, port: int) -> None:
        self.fetched = 0
        self.problem: SceneError | None = None
        self._stop = threading.Event()
        self._lock = threading.Lock()
        arguments = (side, site, port)
        self._threads = [
            threading.Thread(target=self._fetch, args=arguments) for _ in range(_CLIENTS)
        ]
        for thread in self._threads:
            thread.start()

    def wait_for_more(self) -> None:
        """Go on until more files have come, or one has not."""
        enough = self.fetched + _MORE
        process.wait_until(
            lambda: self.problem is not None or self.fetched >= enough,
            lambda: f"only {self.fetched} files have come",
        )

    def stop(self) -> None:
        """End; `SceneError` when anything was lost."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        if self.problem is not None:
            raise SceneError(f"of {self.fetched} files one was lost: {self.problem}")

    def _fetch(self, side: Side, site: web.Site, port: int) -> None:
        while not self._stop.is_set() and self.problem is None:
            try:
                web.fetch(side, site, "--http1.1", port=port)
            except SceneError as error:
                self.problem = error
                return
            with self._lock:
                self.fetched += 1


@contextlib.contextmanager
def load(side: Side, site: web.Site, port: int = 0) -> Iterator[Load]:
    """Clients on `side` in the `with` block; `SceneError` when one of them lost anything."""
    running = Load(side, site, port)
    try:
        running.wait_for_more()
        yield running
    finally:
        running.stop()
