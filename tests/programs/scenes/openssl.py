# SPDX-License-Identifier: Apache-2.0
"""openssl s_server and s_client over all suites, versions and groups; and random numbers."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scenes import content, process, stage
from scenes.cells import Cells
from scenes.errors import SceneError
from scenes.pki import Authority
from scenes.side import CONFIGURATIONS, Side, pair

_SIZE = 100_000
_SECRET = "00112233445566778899aabbccddeeff"
_SUITES = "ALL:COMPLEMENTOFDEFAULT:!SRP:!aDSS:@SECLEVEL=0"
_SUITES_13 = [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_AES_128_CCM_SHA256",
    "TLS_AES_128_CCM_8_SHA256",
    "TLS_CHACHA20_POLY1305_SHA256",
]
_CIPHERS = {"AES": "cbc", "AESGCM": "gcm", "AESCCM": "ccm", "AESCCM8": "ccm"}

_WEAK = ("-cipher", "ALL:@SECLEVEL=0")

_CURVES = ["X25519", "X448", "P-256", "P-384", "P-521"]
_CURVES_12 = [*_CURVES, *["brainpoolP256r1", "brainpoolP384r1", "brainpoolP512r1", "secp256k1"]]
_GROUPS = [*_CURVES, *["ffdhe2048", "ffdhe3072", "ffdhe4096", "ffdhe6144", "ffdhe8192"]]
_GROUPS_SINCE = {
    (3, 2): ["brainpoolP256r1tls13", "brainpoolP384r1tls13", "brainpoolP512r1tls13"],
    (3, 5): [
        "X25519MLKEM768",
        "SecP256r1MLKEM768",
        "SecP384r1MLKEM1024",
        "MLKEM512",
        "MLKEM768",
        "MLKEM1024",
    ],
}
_KEYS = {"X25519": "x25519", "P-256": "ecdh", "P-384": "ecdh", "P-521": "ecdh"}
_KEYS |= dict.fromkeys(("ffdhe2048", "ffdhe3072", "ffdhe4096"), "dh")
"""What the core does: of Diffie-Hellman up to 4096 bits."""


@dataclass(frozen=True)
class Suite:
    """A suite up to TLS 1.2, with what is spoken in it."""

    name: str
    version: str
    """The lowest version."""
    exchange: str
    signer: str
    cipher: str

    @property
    def kind(self) -> tuple[str, ...]:
        """The work that cores have with its records."""
        found = _CIPHERS.get(self.cipher)
        return (found,) if found else ()

    @property
    def key(self) -> str:
        """The work that a server has with its key."""
        wanted = {"RSA": "rsa", "ECDSA": "ecdsa"}
        return wanted.get(self.signer, "") or ("rsa" if "RSA" in self.exchange else "")


def play(cells: Cells) -> None:
    """The scene."""
    _tell_apart()
    _random_numbers(cells)
    for name in ("server", "client"):
        ours, theirs = pair(f"openssl-{name}")
        here, there = (ours, theirs) if name == "server" else (theirs, ours)
        with _serve(here, theirs, Path(f"/tmp/openssl-{name}")) as talk:
            for suite in suites(theirs):
                for version, words in _versions(suite):
                    cell = f"{version} {suite.name}, {name} ours"
                    later = suite.key if name == "server" else ""
                    with cells.cell(cell, ours, theirs, *suite.kind, later=later):
                        talk(there, words)
            for suite_13 in _SUITES_13:
                kind = "gcm" if "GCM" in suite_13 else "ccm" if "CCM" in suite_13 else "digest"
                with cells.cell(f"tls1_3 {suite_13}, {name} ours", ours, theirs, kind):
                    talk(there, ["-tls1_3", "-ciphersuites", suite_13, *_WEAK])
            for group in _CURVES_12:
                words = ["-tls1_2", "-cipher", "ECDHE+AESGCM:@SECLEVEL=0", "-groups", group]
                later = _KEYS.get(group, "")
                with cells.cell(f"tls1_2 {group}, {name} ours", ours, theirs, "gcm", later=later):
                    talk(there, words)
            for group in groups():
                words = ["-tls1_3", "-groups", group]
                later = _KEYS.get(group, "")
                with cells.cell(f"tls1_3 {group}, {name} ours", ours, theirs, "gcm", later=later):
                    talk(there, words)


def groups() -> list[str]:
    """The groups of TLS 1.3 that this OpenSSL has."""
    more = [names for since, names in _GROUPS_SINCE.items() if stage.openssl_version() >= since]
    return [*_GROUPS, *(name for names in more for name in names)]


def suites(side: Side) -> list[Suite]:
    """All suites up to TLS 1.2 with a cipher, but those of SRP and DSA."""
    lines = process.run(side, ["openssl", "ciphers", "-v", _SUITES]).decode().splitlines()
    found = []
    for line in lines:
        name, version, *rest = line.split()
        said = dict(word.split("=", 1) for word in rest)
        cipher = said["Enc"].split("(")[0]
        if version != "TLSv1.3" and cipher != "None":
            found.append(Suite(name, version, said["Kx"], said["Au"], cipher))
    return found


def _versions(suite: Suite) -> Iterator[tuple[str, list[str]]]:
    words = ["-cipher", f"{suite.name}:@SECLEVEL=0"]
    if "PSK" in (suite.signer, suite.exchange) or "PSK" in suite.exchange:
        words += ["-psk", _SECRET]
    yield "tls1_2", ["-tls1_2", *words]
    if suite.version in ("SSLv3", "TLSv1") and suite.name.startswith(("AES", "ECDHE-ECDSA-AES")):
        yield "tls1", ["-tls1", *words]
        yield "tls1_1", ["-tls1_1", *words]


@contextlib.contextmanager
def _serve(here: Side, theirs: Side, directory: Path) -> Iterator["_Talk"]:
    authority = Authority(directory, theirs)
    rsa, ec = authority.identity("rsa", "rsa"), authority.identity("ec", "ec")
    digest = content.make(directory / "sent", _SIZE)
    port = process.free_port()
    command = ["env", f"--chdir={directory}", "openssl", "s_server", "-quiet", "-WWW"]
    command += ["-accept", f"127.0.0.1:{port}", "-psk", _SECRET, "-min_protocol", "TLSv1"]
    command += ["-cert", str(rsa.certificate), "-key", str(rsa.key)]
    command += ["-dcert", str(ec.certificate), "-dkey", str(ec.key)]
    command += ["-cipher", _SUITES, "-ciphersuites", ":".join(_SUITES_13)]
    command += ["-groups", ":".join(dict.fromkeys([*groups(), *_CURVES_12]))]
    with process.server(f"s_server-{here.name}", here, command) as server:
        server.wait_until(process.listening(port), "does not listen")
        yield _Talk(port, digest)


class _Talk:
    """Fetches the file."""

    def __init__(self, port: int, digest: str) -> None:
        self._port = port
        self._digest = digest

    def __call__(self, side: Side, words: list[str]) -> None:
        command = ["openssl", "s_client", "-connect", f"127.0.0.1:{self._port}", "-quiet"]
        request = b"GET /sent HTTP/1.0\r\n\r\n"
        got = process.run(side, [*command, "-ign_eof", *words], request)
        content.check(got[-_SIZE:], self._digest, " ".join(words))


def _random_numbers(cells: Cells) -> None:
    command = ["openssl", "rand", "2000000"]
    ours = Side("random-ours", True)
    with cells.cell("random numbers are not ours", ours, None):
        process.run(ours, command)
        if not ours.loaded() or ours.work().hardware:
            raise SceneError(f"done by cores, or not loaded: {ours.work()}")
    if stage.openssl_version() >= (3, 5):
        return  # there, cores are not asked without it either
    # The same without what keeps them apart: the test above can fail
    captured = Side("random-captured", True)
    text = (CONFIGURATIONS / "firesteel.cnf").read_text()
    file = Path("/tmp/captured.cnf")
    file.write_text(text.replace("random = firesteel_random", ""))
    captured.environment["OPENSSL_CONF"] = str(file)
    with cells.cell("random numbers would be ours without [random]", captured, None, "ctr"):
        process.run(captured, command)


def _tell_apart() -> None:
    """A provider that is loaded on their side would be seen."""
    side = Side("seen", False)
    process.run(side, ["openssl", "dgst", "-sha256", "/etc/hostname"])
    if side.loaded():
        raise SceneError("the system's configuration has the provider")
    side.environment["OPENSSL_CONF"] = str(CONFIGURATIONS / "firesteel.cnf")
    process.run(side, ["openssl", "dgst", "-sha256", "/etc/hostname"])
    if not side.loaded():
        raise SceneError("a provider that is loaded leaves no statistics")
