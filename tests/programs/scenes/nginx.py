# SPDX-License-Identifier: Apache-2.0
"""nginx and curl: transfers by suite and version; cores that end and forged records; reloads and a
new binary under load.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from scenes import faults, load, process, relay, web
from scenes.cells import Cells
from scenes.errors import SceneError
from scenes.side import Side, pair, read_statistics

_SUITES = (
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
)
_AES_256 = ("--tls13-ciphers", "TLS_AES_256_GCM_SHA384")
_WORKERS = 4
_RELOADS = 5
_GOES_AT = 150
_BAD_RECORD = ("bad record mac", "cipher operation failed")
"""What the alert is called, and what a client of TLS 1.2 says."""


def play(cells: Cells) -> None:
    """The scene."""
    for name in ("server", "client"):
        _transfers(cells, name)
    _go_on(cells)
    for name in ("server", "client"):
        _forge(cells, name)
    _without_device(cells)
    _reloads(cells)


def start(site: web.Site) -> list[str]:
    """nginx's command line."""
    log = str(site.directory / "error.log")
    return ["/usr/sbin/nginx", "-c", str(site.configuration), "-e", log]


def _transfers(cells: Cells, name: str) -> None:
    ours, theirs = pair(f"nginx-{name}")
    here, there = (ours, theirs) if name == "server" else (theirs, ours)
    site = web.make_site(f"nginx-{name}", here, theirs)
    with _serving(site, here):
        spoken = [["--tls-max", "1.2", "--ciphers", suite] for suite in _SUITES]
        spoken += [["--tlsv1.3", *suite] for suite in ((), _AES_256)]
        for words in spoken:
            for version, said in (("--http1.1", "1.1"), ("--http2", "2")):
                cell = f"nginx and curl {' '.join(words)} {version}, {name} ours"
                with cells.cell(cell, ours, theirs, "gcm", later=_keys(name, words)):
                    _transfer(there, site, [*words, version], said)


def _keys(name: str, words: list[str]) -> str:
    """The work with keys: the exchange on both sides, signing on the server's."""
    rsa = any("ECDHE-RSA" in word for word in words)
    signer = "rsa" if rsa else "ecdsa" if any("ECDHE-ECDSA" in word for word in words) else ""
    return f"x25519 {signer}" if name == "server" else "x25519"


def _transfer(there: Side, site: web.Site, words: list[str], version: str) -> None:
    web.fetch(there, site, *words)
    web.put(there, site, *words)
    said = web.http_version(there, site, *words)
    if said != version:
        raise SceneError(f"HTTP {said} was spoken instead of {version}")


def _go_on(cells: Cells) -> None:
    """Each file has one connection; a client is a program of its own for each."""
    for failing in faults.sides("nginx", _GOES_AT):
        site = web.make_site(failing.ours.name, failing.here, failing.theirs, workers=1)
        cell = f"nginx and curl, {failing.said}"
        with (
            cells.cell(cell, failing.ours, failing.theirs, "gcm"),
            _serving(site, failing.here),
        ):
            web.fetch(failing.there, site)
            web.put(failing.there, site)


def _forge(cells: Cells, name: str) -> None:
    """A record to the side that is ours is changed: curl says what it says without the provider."""
    ours, theirs = pair(f"nginx-forged-{name}")
    here, there = (ours, theirs) if name == "server" else (theirs, ours)
    for version in (["--tls-max", "1.2"], ["--tlsv1.3"]):
        words, upwards = [*version, "--http1.1"], name == "server"
        said = {}
        cell = f"nginx and curl {' '.join(version)}, a forged record, {name} ours"
        with cells.cell(cell, ours, theirs, "gcm"):
            for server, client in ((theirs, theirs), (here, there)):
                label = f"nginx-forged-{name}-{version[-1]}-{server.name}-{client.name}"
                site = web.make_site(label, server, theirs)
                with (
                    _serving(site, server),
                    relay.forging(site.port, relay.tls_records, upwards=upwards) as port,
                ):
                    said[label] = web.refusal(client, site, *words, port=port, upwards=upwards)
            refused = all(any(word in text for word in _BAD_RECORD) for text in said.values())
            if not refused or len(set(said.values())) != 1:
                raise SceneError(f"curl says {said}")


@contextlib.contextmanager
def _serving(site: web.Site, side: Side) -> Iterator[None]:
    command = [*start(site), "-g", "daemon off;"]
    with process.server(site.directory.name, side, command) as nginx:
        nginx.wait_until(process.listening(site.port), "does not listen")
        yield


def _without_device(cells: Cells) -> None:
    """On a machine without cores the ready-made files cost nobody a connection."""
    settings = {"FIRESTEEL_DEVICE": "auto"}
    ours, theirs = Side("absent-ours", True, settings), Side("absent-theirs", False)
    site = web.make_site("nginx-absent", ours, theirs)
    with (
        cells.cell("nginx without a device", ours, theirs),
        _serving(site, ours),
    ):
        web.fetch(theirs, site)
        if not ours.loaded() or ours.work().hardware:
            raise SceneError(f"the provider is not loaded, or has a device: {ours.work()}")


def _reloads(cells: Cells) -> None:
    """One CryptoMaster, `_WORKERS` workers; masters come and go while files are fetched."""
    settings = {"FIRESTEEL_DEVICE": "model:zero=on,instance=/tmp/instance"}
    ours, theirs = Side("reload-ours", True, settings), Side("reload-theirs", False)
    site = web.make_site("nginx-reload", ours, theirs, _WORKERS)
    with cells.cell("nginx reloaded and replaced under load", ours, theirs, "gcm"):
        try:
            process.run(ours, start(site))
            _wait(site, process.listening(site.port), "nginx does not listen")
            with load.load(theirs, site) as fetched:
                _reload(site)
                fetched.wait_for_more()
                _replace(site, ours)
                fetched.wait_for_more()
            _software_alone(site, ours, theirs)
        finally:
            _end(site)
    with cells.cell("nginx has the CryptoMaster again", ours, theirs, "gcm"):
        try:
            process.run(ours, start(site))
            _wait(site, process.listening(site.port), "nginx does not listen")
            web.fetch(theirs, site)
        finally:
            _end(site)


def _reload(site: web.Site) -> None:
    master = _master(site)
    for _ in range(_RELOADS):
        before = web.children(master)
        os.kill(master, signal.SIGHUP)
        _wait(site, _renewed(master, before), "reloading does not renew the workers")


def _renewed(master: int, before: set[int]) -> Callable[[], bool]:
    return lambda: len(web.children(master) - before) == _WORKERS


def _replace(site: web.Site, ours: Side) -> None:
    """A new binary beside the old one, which has the CryptoMaster; then in its place."""
    old = _master(site)
    os.kill(old, signal.SIGUSR2)
    _wait(site, lambda: _master(site) not in (0, old), "no new master comes")
    new = _master(site)
    _wait(site, lambda: len(web.children(new)) == _WORKERS, "the new master has no workers")
    os.kill(old, signal.SIGQUIT)
    _wait(site, lambda: not web.children(old), "the old master's workers do not end")
    if not (ours.directory / str(new)).exists():
        raise SceneError("the new master has not loaded the provider")


def _software_alone(site: web.Site, ours: Side, theirs: Side) -> None:
    """The new master came when the CryptoMaster was taken: its workers serve without."""
    web.fetch(theirs, site)
    done = read_statistics(ours.directory / str(_master(site))).hardware
    if done["gcm"]:
        raise SceneError(f"a master without a CryptoMaster has used one: {done}")


def _master(site: web.Site) -> int:
    """The process that nginx's file names; 0 while one master renames it and the next writes it."""
    with contextlib.suppress(FileNotFoundError):
        return int(site.pid.read_text() or 0)
    return 0


def _end(site: web.Site) -> None:
    for file in (site.pid, Path(f"{site.pid}.oldbin")):
        if file.exists():
            os.kill(int(file.read_text()), signal.SIGTERM)
    _wait(site, lambda: not process.listening(site.port)(), "nginx does not end")
    time.sleep(0.1)


def _wait(site: web.Site, ready: Callable[[], bool], what: str) -> None:
    log = site.directory / "error.log"
    process.wait_until(ready, lambda: f"{what}: {log.read_text()[-2000:]}")
