# SPDX-License-Identifier: Apache-2.0
"""How suites and implementations are written for people."""

_CIPHERS = {"chacha20-poly1305": "ChaCha20-Poly1305", "adiantum": "Adiantum"}
_MACS = {"sha256": "SHA-256", "hmac-sha256": "HMAC-SHA-256"}
_IMPLEMENTATIONS = {
    "hardware-kernel": "hardware through the kernel",
    "software-as-installed": "software as installed",
    "software-pcrypt": "software by threads",
}


def authenticates(cipher: str, mac: str) -> bool:
    """Whether the cipher has the MAC in it, as `aes-256-gcm` has `gcm`."""
    return f"-{mac}" in cipher


def suite(cipher: str, mac: str) -> str:
    """A cipher and a MAC, as `AES-256-CBC:SHA-256`."""
    if authenticates(cipher, mac):
        return _cipher(cipher)
    return f"{_cipher(cipher) if cipher != 'none' else cipher}:{_MACS.get(mac, mac)}"


def needed(cipher: str, mac: str) -> str:
    """A suite without what it does not have."""
    parts = [_cipher(cipher), "none" if authenticates(cipher, mac) else _MACS.get(mac, mac)]
    return ":".join(part for part in parts if part not in ("NONE", "none"))


def _cipher(name: str) -> str:
    return _CIPHERS.get(name, name.upper())


def implementation(name: str) -> str:
    """An implementation, in words: `software as installed`."""
    return _IMPLEMENTATIONS.get(name, name)
