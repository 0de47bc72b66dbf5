# SPDX-License-Identifier: Apache-2.0
"""HAProxy: a TLS proxy, measured by its handshakes, which answers requests by itself.

With the provider its handshakes are asynchronous: while a public-key core works for one, others go
on, so as many are under way as there are cores.
"""

from firesteel.board.profile import Profile
from firesteel.model.cell import Cell
from firesteel.protocols.protocol import Protocol
from firesteel.protocols.s_time import SUITE, STime
from firesteel.protocols.setup import Program, Setup, Step, by_provider

_CONFIGURATIONS = {
    "haproxy/firesteel.cfg": "/etc/haproxy/firesteel.cfg",
    "haproxy/async.cfg": "/etc/haproxy/async.cfg",
}

_OPTIONS = "-f /etc/haproxy/async.cfg -f /etc/haproxy/haproxy.cfg"
_NAMED = Step(
    "Delete the lines ssl-default-* of your own file, and name ours before it, in "
    "/etc/default/haproxy:",
    (
        'CONFIG="/etc/haproxy/firesteel.cfg"',
        f'EXTRAOPTS="{_OPTIONS} -S /run/haproxy-master.sock"',
    ),
)

_WORK = {"rsa": ("pk_exponentiations", 1)}
"""Of the public-key cores: the signature.

X25519's shared secret is software's where it would have to wait for longer operations of others,
so of keys of ECDSA, which software signs with, nothing is sure.
"""


class _HaProxy(Protocol):
    name = "haproxy"
    purpose = "web"
    title = "HAProxy"
    suites = (SUITE,)
    implementations = ("software", "hardware")
    by_provider = True
    handshakes = STime("haproxy", _WORK)
    ask_instead = "; for other keys, ask for --protocol nginx"

    def setup(self, cell: Cell, board: Profile | None) -> Setup:
        program = Program("docs/provider-haproxy.md", "haproxy", _CONFIGURATIONS, [_NAMED])
        return by_provider(cell, board, program)


HAPROXY = _HaProxy()
