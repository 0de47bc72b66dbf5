# SPDX-License-Identifier: Apache-2.0
"""Certificates for tunnels: a test authority and nodes, the same bytes wherever they are made.

Nothing here protects anything: the private keys follow from public labels.  Every subject says
TEST ONLY.  Primes of RSA keys are searched from a derived start, because no library makes keys
from a seed.  Keys are RSA-2048 where nothing else is asked for.
"""

import datetime
import functools
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from firesteel.boards.job import JobFile
from firesteel.model.figure import KEY_ALONE

_SEED = b"Firesteel test keys, of no secrecy\0"


def derive(label: str, length: int) -> bytes:
    """`length` bytes that depend only on `label`."""
    return hashlib.shake_256(_SEED + label.encode()).digest(length)


def seeded(label: str, seed: int) -> str:
    """The label of a key that each of a cell's seeds has for itself; seed 1 has the plain one."""
    return label if seed == 1 else f"{label} of seed {seed}"


Key = Literal["rsa-1024", "rsa-2048", "rsa-4096", "ecdsa-p256"]
"""Kinds of keys."""

_STRENGTHS: Mapping[str, int] = {
    "rsa-1024": 80,
    "rsa-2048": 112,
    "rsa-4096": 128,
    "ecdsa-p256": 128,
    KEY_ALONE: 128,
}
"""Bits of security (NIST SP 800-57 part 1 revision 5, table 2, which has no step between RSA-3072
and RSA-7680)."""

_USUAL_KEY: Key = "rsa-2048"
_EXPONENT = 65537
_SIEVE_LIMIT = 10_000
_AUTHORITY = "authority"
_VALID_FROM = datetime.datetime(2025, 1, 1, tzinfo=datetime.UTC)
_VALID_TO = datetime.datetime(2035, 1, 1, tzinfo=datetime.UTC)
"""Boards start at 2026-01-01."""


@dataclass(frozen=True)
class Identity:
    """A node's certificate and private key, and the authority's certificate, all PEM."""

    certificate: bytes
    key: bytes
    authority: bytes


_PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


def algorithm(kind: str) -> str:
    """What signs with a kind of key: `rsa`, `ecdsa`."""
    return kind.partition("-")[0]


def may_replace(kind: str, other: str) -> bool:
    """Whether a key of that kind can replace the other one on a server: it is as strong, and has
    another algorithm.  A longer key of the same algorithm does the same for more.
    """
    strong = _STRENGTHS.get(kind, 0) >= _STRENGTHS.get(other, 0)
    return strong and algorithm(kind) != algorithm(other)


@functools.cache
def identity(node: str, kind: Key = _USUAL_KEY, seed: int = 1) -> Identity:
    """The test identity of a node, whose key depends on the cell's seed; its subject's common name
    is the node's name.

    Keys that are not of the usual kind are the same for all nodes, as primes of 2048 bits take
    seconds to find.
    """
    authority = _key(_AUTHORITY)
    purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    key = _node_key(node, seed) if kind == _USUAL_KEY else _key_of(kind, seed)
    return Identity(
        certificate=_pem(
            _certificate(
                node,
                key,
                x509.ExtendedKeyUsage(purposes),
                x509.SubjectAlternativeName([x509.DNSName(node)]),
                x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()),
                is_authority=False,
            )
        ),
        key=key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
        authority=_pem(_certificate(_AUTHORITY, authority, is_authority=True)),
    )


def files(node: str, seed: int) -> dict[str, JobFile]:
    """The identity of a node of a cell's seed where job scripts look for it, by guest path."""
    of_node = identity(node, seed=seed)
    return {
        "/job/ca.pem": JobFile(of_node.authority),
        "/job/node.pem": JobFile(of_node.certificate),
        "/job/node.key": JobFile(of_node.key, 0o600),
    }


def ssh_public_key(node: str, seed: int = 1) -> bytes:
    """A node's public key as OpenSSH writes it: one line, without its end."""
    return (
        _node_key(node, seed)
        .public_key()
        .public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    )


def distinguished_name(node: str) -> str:
    """A node's subject as strongSwan writes it."""
    return f"O=Firesteel TEST ONLY, CN={node}"


def _name(common_name: str) -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Firesteel TEST ONLY"),
            x509.NameAttribute(NameOID.COMMON_NAME, common_name),
        ]
    )


def _certificate(
    name: str, key: _PrivateKey, *further: x509.ExtensionType, is_authority: bool
) -> x509.Certificate:
    """Signed by the authority, whose own has it alone; `further` are extensions besides those of
    every one.
    """
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(_AUTHORITY))
        .public_key(key.public_key())
        .serial_number(int.from_bytes(derive(f"serial {name}", 8)) >> 1 | 1)
        .not_valid_before(_VALID_FROM)
        .not_valid_after(_VALID_TO)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.BasicConstraints(ca=is_authority, path_length=0 if is_authority else None),
            critical=True,
        )
        .add_extension(
            x509.KeyUsage(
                digital_signature=not is_authority,
                key_encipherment=not is_authority,
                key_cert_sign=is_authority,
                crl_sign=is_authority,
                content_commitment=False,
                data_encipherment=False,
                key_agreement=False,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
    )
    for extension in further:
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(_key(_AUTHORITY), hashes.SHA256())


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _node_key(node: str, seed: int) -> rsa.RSAPrivateKey:
    return _key(seeded(f"node {node}", seed))


def _key_of(kind: Key, seed: int) -> _PrivateKey:
    label = seeded(f"key {kind}", seed)
    if kind == "ecdsa-p256":
        secret = int.from_bytes(derive(label, 32)) >> 1 | 1
        return ec.derive_private_key(secret, ec.SECP256R1())
    return _key(label, int(kind.removeprefix("rsa-")))


@functools.cache
def _key(label: str, bits: int = 2048) -> rsa.RSAPrivateKey:
    p, q = (_prime(f"{label} {which}", bits // 2) for which in ("p", "q"))
    d = pow(_EXPONENT, -1, math.lcm(p - 1, q - 1))
    return rsa.RSAPrivateNumbers(
        p=p,
        q=q,
        d=d,
        dmp1=d % (p - 1),
        dmq1=d % (q - 1),
        iqmp=pow(q, -1, p),
        public_numbers=rsa.RSAPublicNumbers(_EXPONENT, p * q),
    ).private_key()


def _prime(label: str, bits: int) -> int:
    """The first prime fit for RSA from a derived start with its two highest bits set.

    By Fermat's test, which chance does not pass at this size; OpenSSL tests the whole key again.
    """
    small = math.prod(range(3, _SIEVE_LIMIT, 2))
    candidate = int.from_bytes(derive(label, bits // 8)) | 0b11 << (bits - 2) | 1
    while (
        math.gcd(candidate, small) != 1
        or pow(2, candidate - 1, candidate) != 1
        or math.gcd(candidate - 1, _EXPONENT) != 1
    ):
        candidate += 2
    return candidate
