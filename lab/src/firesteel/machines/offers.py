# SPDX-License-Identifier: Apache-2.0
"""What a client gives to workers that lack a file.

A file goes to one worker, from which those that ask take it; a client that ends takes its offers
back.
"""

import contextlib
from concurrent.futures import ThreadPoolExecutor

from distributed import Client, Future, Variable

from firesteel.machines.messages import variable_of
from firesteel.machines.task import Digest, Packer, bytes_of

_SCATTER_SECONDS = 120


class Offers:
    """The files of a packer, offered when they are asked for."""

    def __init__(self, client: Client, packer: Packer) -> None:
        self._client = client
        self._packer = packer
        self._offered: dict[Digest, Future[bytes]] = {}
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="offers")

    def wanted(self, digest: Digest) -> None:
        """A worker asks for a file; it may be one of another client's.  Does not wait."""
        if self._packer.source(digest) is not None:
            self._thread.submit(self._offer, digest)

    def close(self) -> None:
        """Takes all back."""
        self._thread.shutdown(cancel_futures=True)
        for digest, future in self._offered.items():
            with contextlib.suppress(Exception):  # The scheduler is gone, and with it the offers.
                self._variable(digest).delete()
                future.release()

    def _offer(self, digest: Digest) -> None:
        """On the one thread.  What fails is asked for again."""
        source = self._packer.source(digest)
        if source is None:
            return
        with contextlib.suppress(OSError, TimeoutError):
            offered = self._offered.get(digest)
            if offered is None or offered.status != "finished":
                (offered,) = self._client.scatter(
                    [bytes_of(source)], hash=False, timeout=_SCATTER_SECONDS
                )
                self._offered[digest] = offered
            self._variable(digest).set(offered)

    def _variable(self, digest: Digest) -> Variable:
        return Variable(variable_of(digest), client=self._client)
