# SPDX-License-Identifier: Apache-2.0
"""sshd with its sandbox on, and scp in both directions, with cores that end and forged packets."""

import contextlib
import re
import socket
from collections.abc import Iterator
from pathlib import Path

from scenes import content, faults, process, relay, stage
from scenes.cells import Cells
from scenes.errors import SceneError
from scenes.side import CONFIGURATIONS, Side, pair

_SIZE = 4_000_000
_SECCOMP_FILTER = "2"
_GCM = "aes128-gcm@openssh.com"
_CIPHERS = {
    "aes128-ctr": ("ctr", "digest"),
    "aes256-ctr": ("ctr", "digest"),
    "aes256-cbc": ("cbc", "digest"),
    "aes128-gcm@openssh.com": ("gcm",),
    "aes256-gcm@openssh.com": ("gcm",),
}
_CAPTURES_SINCE = (3, 5)
"""OpenSSL whose generator makes AES-256-CTR software's (firesteel.cnf says how)."""

_SERVICE = CONFIGURATIONS / "openssh/ssh.service.conf"
"""With it the listener is without cores, and its sessions are not."""

_MACS = ("hmac-sha2-256", "hmac-sha2-256-etm@openssh.com")
_BOTH_WAYS = ((_GCM, ""), ("aes128-ctr", _MACS[0]))
"""A cipher whose tags are the core's, and one with a MAC of digests."""

_BAD_MAC = "message authentication code incorrect"
_PACKET = 40_000
"""The longest of a file has fewer bytes."""

_GOES_AT = 150
_SSHD = CONFIGURATIONS / "openssh/sshd_config.conf"
_SSH = CONFIGURATIONS / "openssh/ssh_config.conf"


def play(cells: Cells) -> None:
    """The scene."""
    _make_run_directory()
    captured = stage.openssl_version() >= _CAPTURES_SINCE
    for name in ("server", "client"):
        ours, theirs = pair(f"openssh-{name}")
        _converse(cells, name, ours, theirs, captured=captured)
    _go_on(cells)
    for name in ("server", "client"):
        _forge(cells, name)
    _one_cryptomaster(cells)
    if Path("/usr/lib/openssh/sshd-session").exists():
        _bare_listener(cells)
    if captured:
        ours, theirs = pair("openssh-freed")
        ours.environment["OPENSSL_CONF"] = str(_other_generator())
        _converse(cells, "server", ours, theirs, captured=False, only="aes256-ctr")


def exchanges(program: str, side: Side, theirs: Side) -> list[str]:
    """The methods of key exchange of `ssh` or `sshd`, in the order of preference."""
    _make_run_directory()
    here = _Place(f"exchanges-of-{program}-{side.name}", side, side, theirs).directory
    commands = {
        "ssh": ["ssh", "-G", "-F", str(here / "ssh_config"), "127.0.0.1"],
        "sshd": ["/usr/sbin/sshd", "-T", "-f", str(here / "sshd_config")],
    }
    said = process.run(side, commands[program]).decode()
    (names,) = re.findall(r"^kexalgorithms (.*)", said, re.MULTILINE)
    return str(names).split(",")


def _make_run_directory() -> None:
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)


def _go_on(cells: Cells) -> None:
    """Each direction has one connection."""
    for failing in faults.sides("openssh", _GOES_AT):
        place = _Place(failing.ours.name, failing.here, failing.there, failing.theirs)
        with _listening(place, failing.here):
            for cipher, mac in _BOTH_WAYS:
                cell = f"scp {cipher}, {failing.said}"
                with cells.cell(cell, failing.ours, failing.theirs, *_CIPHERS[cipher]):
                    _copy(place, failing.there, cipher, mac)


def _forge(cells: Cells, name: str) -> None:
    """A packet to the side that is ours is changed on its way."""
    ours, theirs = pair(f"openssh-forged-{name}")
    here, there = (ours, theirs) if name == "server" else (theirs, ours)
    place, upwards = _Place(ours.name, here, there, theirs), name == "server"
    with _listening(place, here) as sshd:
        for cipher, mac in _BOTH_WAYS:
            cell = f"scp {cipher}, a forged packet, {name} ours"
            with (
                cells.cell(cell, ours, theirs, *_CIPHERS[cipher]),
                relay.forging(place.port, relay.chunks, upwards=upwards, more=_PACKET) as port,
            ):
                before = len(sshd.whole_log)
                said = _refusal(place, there, cipher, mac, port, upwards=upwards)
                if _BAD_MAC not in (sshd.whole_log[before:] if upwards else said):
                    raise SceneError(f"not refused as a forged packet: {said}")


def _refusal(
    place: "_Place", there: Side, cipher: str, mac: str, port: int, *, upwards: bool
) -> str:
    """What scp says of a file that must not come."""
    sent, target = place.directory / "sent", place.directory / "refused"
    ends = [str(sent), f"127.0.0.1:{target}"] if upwards else [f"127.0.0.1:{sent}", str(target)]
    way = ["-o", f"Port={port}", "-o", f"HostKeyAlias=[127.0.0.1]:{place.port}"]
    try:
        process.run(there, ["scp", *place.options(cipher, mac), *way, *ends])
    except SceneError as error:
        return str(error)
    raise SceneError("scp takes a forged packet")


@contextlib.contextmanager
def _listening(place: "_Place", here: Side) -> Iterator[process.Server]:
    command = ["/usr/sbin/sshd", "-D", "-e", "-f", str(place.directory / "sshd_config")]
    with process.server(place.directory.name, here, command) as sshd:
        sshd.wait_until(process.listening(place.port), "does not listen")
        yield sshd


def _one_cryptomaster(cells: Cells) -> None:
    """The one CryptoMaster is the listener's, so sessions have it only where there is no listener.

    Each session is a program of its own, which opens the device anew.  GCM tells them apart: with
    CTR the listener hides its keys in memory.
    """
    settings = {"FIRESTEEL_DEVICE": "model:zero=on,instance=/tmp/instance"}
    ours, theirs = Side("openssh-one-ours", True, settings), Side("openssh-one-theirs", False)
    place = _Place("openssh-one", ours, theirs, theirs)
    sshd = ["/usr/sbin/sshd", "-e", "-f", str(place.directory / "sshd_config")]
    with (
        cells.cell("sessions of a listener that has the CryptoMaster", ours, theirs),
        process.server("openssh-one", ours, [*sshd, "-D"]) as listener,
    ):
        listener.wait_until(process.listening(place.port), "does not listen")
        _copy(place, theirs, _GCM, "")
        if ours.work().hardware["gcm"]:
            raise SceneError("two processes have one CryptoMaster")
    with cells.cell("a session by socket activation has the CryptoMaster", ours, theirs, "gcm"):
        # ssh has a meaning of its own for %p
        setting = [f"{name}={value}" for name, value in ours.environment.items()]
        setting = [word.replace("%", "%%") for word in setting]
        proxy = f"ProxyCommand=env -i {' '.join(setting)} {' '.join(sshd)} -i"
        _copy(place, theirs, _GCM, "", "-o", proxy)


def _service_environment() -> dict[str, str]:
    """Of the ready-made service, but for the file of OpenSSL, which is the scene's own."""
    lines = [line for line in _SERVICE.read_text().splitlines() if line.startswith("Environment=")]
    given = dict(line.removeprefix("Environment=").split("=", 1) for line in lines)
    del given["OPENSSL_CONF"]
    return given


def _bare_listener(cells: Cells) -> None:
    """The listener has no cores, so it keeps the one CryptoMaster from nobody."""
    settings = {"FIRESTEEL_DEVICE": "model:zero=on,instance=/tmp/instance"}
    ours, theirs = Side("openssh-bare-ours", True, settings), Side("openssh-bare-theirs", False)
    place = _Place("openssh-bare", ours, theirs, theirs)
    # sshd hands its environment on; in the ready-made one the provider knows sshd from its sessions
    given = ours.environment | _service_environment()
    command = ["env", *(f"{name}={value}" for name, value in given.items())]
    command += ["/usr/sbin/sshd", "-e", "-f", str(place.directory / "sshd_config"), "-D"]
    with (
        cells.cell("sessions of a listener without cores", ours, theirs, "gcm"),
        process.server("openssh-bare", theirs, command) as listener,
    ):
        listener.wait_until(process.listening(place.port), "does not listen")
        _copy(place, theirs, _GCM, "")


def _other_generator() -> Path:
    """The ready-made configuration with the generator that it offers for aes256-ctr."""
    text = (CONFIGURATIONS / "firesteel.cnf").read_text()
    for line in ("random = HASH-DRBG", "digest = SHA512"):
        if f"# {line}\n" not in text:
            raise SceneError(f"firesteel.cnf does not offer {line}")
        text = text.replace(f"# {line}", line)
    file = Path("/tmp/other-generator.cnf")
    file.write_text(text)
    return file


def _converse(
    cells: Cells, name: str, ours: Side, theirs: Side, *, captured: bool, only: str = ""
) -> None:
    """sshd and its clients; `name` says which is ours, and `only` a cipher if not all are tried."""
    here, there = (ours, theirs) if name == "server" else (theirs, ours)
    place = _Place(ours.name, here, there, theirs)
    with _listening(place, here):
        if name == "server" and not only:
            with cells.cell("sshd's sandbox is on, cores work in it", ours, theirs, "ctr"):
                _sandbox(place, there)
        for cipher, mac in _spoken(only):
            kinds = _CIPHERS[cipher]
            if captured and cipher == "aes256-ctr":
                kinds = ("digest",)
            cell = f"scp {cipher} {mac or '(implicit)'}, {ours.name}"
            with cells.cell(cell, ours, theirs, *kinds, later=_keys()):
                _copy(place, there, cipher, mac)


def _spoken(only: str) -> Iterator[tuple[str, str]]:
    for cipher, kinds in _CIPHERS.items():
        if not only or cipher == only:
            for mac in _MACS if "digest" in kinds else ("",):
                yield cipher, mac


def _keys() -> str:
    """Work with keys.  For key exchange, and before 10.0 for signatures, OpenSSH has calls that no
    provider sees (`ECDH_compute_key()`).
    """
    return "" if stage.openssl_version() < _CAPTURES_SINCE else "ecdsa"


class _Place:
    """Keys, configurations and a file, below one directory."""

    def __init__(self, name: str, here: Side, there: Side, theirs: Side) -> None:
        self.directory = Path("/tmp") / name
        self.directory.mkdir()
        self.port = process.free_port()
        for key in ("host", "user"):
            kind = ["-t", "ecdsa", "-b", "256", "-N", "", "-q"]
            process.run(theirs, ["ssh-keygen", *kind, "-f", str(self.directory / key)])
        (self.directory / "authorized").write_text((self.directory / "user.pub").read_text())
        host = (self.directory / "host.pub").read_text()
        (self.directory / "known").write_text(f"[127.0.0.1]:{self.port} {host}")
        (self.directory / "sshd_config").write_text(self._sshd_config(here))
        (self.directory / "ssh_config").write_text(self._ssh_config(there))
        self.digest = content.make(self.directory / "sent", _SIZE)

    def options(self, cipher: str, mac: str) -> list[str]:
        """Options of ssh and scp."""
        options = ["-F", str(self.directory / "ssh_config"), "-c", cipher]
        return [*options, "-o", f"MACs={mac}"] if mac else options

    def _sshd_config(self, side: Side) -> str:
        return f"""
{f"Include {_SSHD}" if side.provider else ""}
Port {self.port}
ListenAddress 127.0.0.1
HostKey {self.directory}/host
AuthorizedKeysFile {self.directory}/authorized
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
PidFile none
{"" if side.provider else "Ciphers +aes256-cbc"}
Subsystem sftp /usr/lib/openssh/sftp-server
LogLevel DEBUG
"""

    def _ssh_config(self, side: Side) -> str:
        return f"""
{f"Include {_SSH}" if side.provider else ""}
Port {self.port}
IdentityFile {self.directory}/user
IdentitiesOnly yes
UserKnownHostsFile {self.directory}/known
BatchMode yes
User root
"""


def _copy(place: _Place, there: Side, cipher: str, mac: str, *options: str) -> None:
    """To the server and back; the server is this machine."""
    up, down = place.directory / "up", place.directory / "down"
    scp = ["scp", "-q", *place.options(cipher, mac), *options]
    process.run(there, [*scp, str(place.directory / "sent"), f"127.0.0.1:{up}"])
    process.run(there, [*scp, f"127.0.0.1:{up}", str(down)])
    for file in (up, down):
        content.check(file.read_bytes(), place.digest, f"scp {cipher} {mac}: {file.name}")
        file.unlink()


def _sandbox(place: _Place, there: Side) -> None:
    """The process before authentication is under seccomp, and its packets are the cores' work.

    A client that is refused has spoken with that process alone.
    """
    with socket.create_connection(("127.0.0.1", place.port)) as connection:
        connection.sendall(b"SSH-2.0-none\r\n")
        process.wait_until(_sandboxed, lambda: "no process of sshd has a seccomp filter")
    options = [*place.options("aes128-ctr", "hmac-sha2-256"), "-o", "PubkeyAuthentication=no"]
    try:
        process.run(there, ["ssh", *options, "127.0.0.1", "true"])
    except SceneError as error:
        if "Permission denied" not in str(error):
            raise
    else:
        raise SceneError("a stranger was let in")


def _sandboxed() -> bool:
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        found = dict(re.findall(r"^(\w+):\s*(\S+)", text, re.MULTILINE))
        if found["Name"].startswith("sshd") and found.get("Seccomp") == _SECCOMP_FILTER:
            return True
    return False
