# SPDX-License-Identifier: Apache-2.0
"""HAProxy between curl and nginx, with TLS on both sides of it; and reloaded under load."""

import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from scenes import load, nginx, process, web
from scenes.cells import Cells
from scenes.errors import SceneError
from scenes.side import CONFIGURATIONS, Side, pair

_RELOADS = 3
_SUITES = (
    ("-tls1_3", "-ciphersuites", ("TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256")),
    ("-tls1_2", "-cipher", ("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305")),
)
"""Of each version a suite that the ready-made file has, and one that it has not."""

_ASYNC_FROM = (3, 0)
"""docs/provider-haproxy.md says why."""


def play(cells: Cells) -> None:
    """The scene."""
    for name in ("proxy", "others"):
        ours, theirs = pair(f"haproxy-{name}")
        here, there = (ours, theirs) if name == "proxy" else (theirs, ours)
        _transfers(cells, name, here, there, ours, theirs)
    settings = {"FIRESTEEL_DEVICE": "model:zero=on,instance=/tmp/instance"}
    ours, theirs = Side("haproxy-reload-ours", True, settings), Side("haproxy-reload-theirs", False)
    _reloads(cells, ours, theirs)


def start(site: web.Site, side: Side, port: int) -> list[str]:
    """HAProxy's command line, with the ready-made files if `side` has the provider."""
    both = (site.directory / "rsa.crt").read_text() + (site.directory / "rsa.key").read_text()
    (site.directory / "bundle.pem").write_text(both)
    configuration = site.directory / "haproxy.cfg"
    configuration.write_text(_configuration(site, port))
    names = ["firesteel.cfg", "async.cfg"] if _version() >= _ASYNC_FROM else ["firesteel.cfg"]
    ours = [CONFIGURATIONS / "haproxy" / name for name in names] if side.provider else []
    return [
        "/usr/sbin/haproxy",
        *(word for file in (*ours, configuration) for word in ("-f", str(file))),
    ]


def _transfers(cells: Cells, name: str, here: Side, there: Side, ours: Side, theirs: Side) -> None:
    site = web.make_site(f"haproxy-{name}", there, theirs)
    port = process.free_port()
    web_command = [*nginx.start(site), "-g", "daemon off;"]
    with (
        process.server(f"nginx-of-{name}", there, web_command) as behind,
        process.server(f"haproxy-{name}", here, [*start(site, here, port), "-db"]) as proxy,
    ):
        behind.wait_until(process.listening(site.port), "does not listen")
        proxy.wait_until(process.listening(port), "does not listen")
        if name == "proxy":
            with cells.cell("HAProxy takes AES alone", ours, theirs, "gcm"):
                _refuses_chacha20(there, port)
        for version in (["--tls-max", "1.2"], ["--tlsv1.3"]):
            for http in ("--http1.1", "--http2"):
                words = [*version, http]
                cell = f"HAProxy and {' '.join(words)}, {name} ours"
                with cells.cell(cell, ours, theirs, "gcm", later="x25519"):
                    web.fetch(there, site, *words, port=port)
                    web.put(there, site, *words, port=port)


def _refuses_chacha20(there: Side, port: int) -> None:
    for version, option, suites in _SUITES:
        taken = {name: web.shakes_hands(there, port, version, option, name) for name in suites}
        if list(taken.values()) != [True, False]:
            raise SceneError(f"{version}: {taken}")


def _reloads(cells: Cells, ours: Side, theirs: Side) -> None:
    """Each reload starts a process beside the old one, which still has the CryptoMaster."""
    site = web.make_site("haproxy-reload", theirs, theirs)
    port = process.free_port()
    web_command = [*nginx.start(site), "-g", "daemon off;"]
    with (
        cells.cell("HAProxy reloaded under load", ours, theirs, "gcm"),
        process.server("nginx-of-reload", theirs, web_command) as behind,
        process.server("haproxy-reload", ours, [*start(site, ours, port), "-Ws"]) as proxy,
    ):
        behind.wait_until(process.listening(site.port), "does not listen")
        proxy.wait_until(process.listening(port), "does not listen")
        with load.load(theirs, site, port) as fetched:
            for _ in range(_RELOADS):
                before = web.children(proxy.process.pid)
                os.kill(proxy.process.pid, signal.SIGUSR2)
                proxy.wait_until(_new_child(proxy.process.pid, before), "no new worker comes")
                fetched.wait_for_more()


def _new_child(master: int, before: set[int]) -> Callable[[], bool]:
    return lambda: bool(web.children(master) - before)


def _version() -> tuple[int, int]:
    told = subprocess.run(["/usr/sbin/haproxy", "-v"], check=True, capture_output=True, text=True)
    found = re.search(r"version (\d+)\.(\d+)", told.stdout)
    assert found, told.stdout
    return int(found[1]), int(found[2])


def _configuration(site: web.Site, port: int) -> str:
    here: Path = site.directory
    return f"""
global
    maxconn 200
    nbthread 2

defaults
    mode http
    timeout connect 10s
    timeout client 30s
    timeout server 30s

frontend before
    bind 127.0.0.1:{port} ssl crt {here}/bundle.pem alpn h2,http/1.1
    default_backend behind

backend behind
    default-server ssl verify required ca-file {here}/authority.crt sni str(localhost)
    server nginx 127.0.0.1:{site.port}
"""
