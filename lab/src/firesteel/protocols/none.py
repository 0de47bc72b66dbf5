# SPDX-License-Identifier: Apache-2.0
"""No tunnel: traffic as it is."""

from collections.abc import Iterable

from firesteel.model.cell import NO_TUNNEL
from firesteel.protocols.between_hosts import BetweenHosts
from firesteel.protocols.file_access import FTP, HTTP, HTTP_UPLOAD

_SUITE = "none:none"


class _None(BetweenHosts):
    name = NO_TUNNEL
    title = "no tunnel"
    suites = (_SUITE,)
    files_by = (FTP, HTTP, HTTP_UPLOAD)

    def check_suites(self, suites: Iterable[str]) -> None:
        if set(suites) != {_SUITE}:
            raise ValueError(
                f'protocol "{self.name}" allows only suite "{_SUITE}"; put the tunnels into '
                "another configuration"
            )

    def in_words(self, cipher: str, mac: str) -> str:
        del cipher, mac
        return self.title


NONE = _None()
