# SPDX-License-Identifier: Apache-2.0
"""Certificates for a scene, made by the system's OpenSSL: an authority, and keys that it signed."""

from dataclasses import dataclass
from pathlib import Path

from scenes.process import run
from scenes.side import Side

_KEYS = {
    "rsa": ("rsa:2048",),
    "ec": ("ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
}


@dataclass(frozen=True)
class Identity:
    """A key and its certificate, in PEM."""

    key: Path
    certificate: Path


class Authority:
    """An authority in `directory`, which is made; `theirs` runs the tools."""

    def __init__(self, directory: Path, theirs: Side) -> None:
        directory.mkdir(parents=True)
        self._directory = directory
        self._theirs = theirs
        self._own = self._new("authority", "ec", "Authority", ("-x509",))

    @property
    def certificate(self) -> Path:
        """Its own certificate, in PEM."""
        return self._own.certificate

    def identity(self, name: str, kind: str, host: str = "localhost") -> Identity:
        """A key of `kind` (`rsa`, `ec`) for `host`, good for servers and clients."""
        extensions = (
            f"subjectAltName=DNS:{host},IP:127.0.0.1",
            "extendedKeyUsage=serverAuth,clientAuth",
            "keyUsage=digitalSignature,keyEncipherment",
            "basicConstraints=critical,CA:FALSE",
        )
        options = [word for text in extensions for word in ("-addext", text)]
        signer = ("-CA", str(self._own.certificate), "-CAkey", str(self._own.key))
        return self._new(name, kind, host, ("-x509", *signer, *options))

    def _new(self, name: str, kind: str, subject: str, options: tuple[str, ...]) -> Identity:
        made = Identity(self._directory / f"{name}.key", self._directory / f"{name}.crt")
        command = ["openssl", "req", "-nodes", "-days", "30", "-subj", f"/CN={subject}"]
        command += ["-newkey", *_KEYS[kind], "-keyout", str(made.key), "-out"]
        run(self._theirs, [*command, str(made.certificate), *options])
        return made
