# SPDX-License-Identifier: Apache-2.0
"""Test identities are the same bytes every time, and a verifier accepts them."""

import datetime
from typing import get_args

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509.verification import PolicyBuilder, Store

from firesteel.protocols import pki

_BOARD_TIME = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def test_an_identity_follows_from_its_name() -> None:
    first = pki.identity("board")
    for cached in (pki.identity, pki._key):
        cached.cache_clear()
    assert pki.identity("board") == first
    assert pki.identity("peer") != first


def test_a_key_of_another_algorithm_that_is_as_strong_may_replace_one() -> None:
    kinds = get_args(pki.Key)
    pairs = {(one, other) for one in kinds for other in kinds if pki.may_replace(one, other)}
    rsa_keys = {kind for kind in kinds if kind.startswith("rsa-")}
    assert pairs == {("rsa-4096", "ecdsa-p256"), *(("ecdsa-p256", key) for key in rsa_keys)}


def test_a_certificate_chains_to_the_authority_at_the_boards_time() -> None:
    identity = pki.identity("peer")
    certificate = x509.load_pem_x509_certificate(identity.certificate)
    authority = x509.load_pem_x509_certificate(identity.authority)
    verifier = PolicyBuilder().store(Store([authority])).time(_BOARD_TIME)
    chain = verifier.build_server_verifier(x509.DNSName("peer")).verify(certificate, [])
    assert chain == [certificate, authority]
    for each in chain:
        assert "TEST ONLY" in each.subject.rfc4514_string()


def test_the_key_is_the_certificates_and_sound() -> None:
    identity = pki.identity("peer")
    key = load_pem_private_key(identity.key, None)
    certificate = x509.load_pem_x509_certificate(identity.certificate)
    assert isinstance(key, rsa.RSAPrivateKey)
    assert key.key_size == 2048
    assert key.public_key() == certificate.public_key()
