# SPDX-License-Identifier: Apache-2.0
"""Published test vectors of the symmetric algorithms, a line each, for answers-symmetric.c.

They are NIST's (CAVP, SP 800-38B) and those of RFC 3686, 2202 and 4231 as the package
`cryptography-vectors` has them, and RFC 3962's for ciphertext stealing.  A line is

    NAME DIRECTION KEY IV HEADER INPUT EXPECTED TAG

in hexadecimal, `-` for nothing; EXPECTED is `!` where the tag must not agree.

Left out: Monte Carlo tests, which are a program and not a message; lengths that are no whole
bytes (XTS); IVs of GCM that are not 12 bytes long, which the core does not take.
"""

from collections.abc import Iterator

from records import Fields, records

_SIZES = (128, 192, 256)
_HASHES = {"SHA1": "SHA1", **{f"SHA{size}": "SHA2" for size in (224, 256, 384, 512)}}
_HMACS = {"SHA1": "rfc-2202-sha1"} | {
    name: f"rfc-4231-{name.lower()}" for name in ("SHA224", "SHA256", "SHA384", "SHA512")
}

# RFC 3962, appendix B: those whose length is no multiple of a block.  With whole blocks the core
# does plain CBC, and the RFC exchanges the last two.
_STEALING_KEY = b"chicken teriyaki".hex()
_STEALING_TEXT = b"I would like the General Gau's Chicken, please, and wonton soup."
_STEALING = (
    "c6353568f2bf8cb4d8a580362da7ff7f97",
    "fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5",
    "97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5be7fcbcc98ebf5",
)


def lines() -> Iterator[str]:
    """All lines."""
    for mode in ("ECB", "CBC", "CFB", "OFB"):
        yield from _plain(mode)
    yield from _counter()
    yield from _stealing()
    yield from _gcm()
    yield from _ccm()
    yield from _xts()
    yield from _cmac()
    yield from _hashes()
    yield from _hmacs()


def _line(name: str, direction: str, *fields: str) -> str:
    return " ".join([name, direction, *(field or "-" for field in fields)])


def _both_ways(name: str, key: str, iv: str, plain: str, cipher: str) -> Iterator[str]:
    yield _line(name, "encrypt", key, iv, "", plain, cipher, "")
    yield _line(name, "decrypt", key, iv, "", cipher, plain, "")


def _plain(mode: str) -> Iterator[str]:
    bits = "128" if mode == "CFB" else ""
    for test in ("GFSbox", "KeySbox", "VarKey", "VarTxt", "MMT"):
        for size in _SIZES:
            for record in records(f"ciphers/AES/{mode}/{mode}{bits}{test}{size}.rsp", "count"):
                texts = [record["plaintext"], record["ciphertext"]]
                if record["direction"] == "decrypt":
                    texts.reverse()
                key, iv = record["key"], record.get("iv", "")
                yield _line(mode, record["direction"], key, iv, "", *texts, "")


def _counter() -> Iterator[str]:
    for size in _SIZES:
        for record in records(f"ciphers/AES/CTR/aes-{size}-ctr.txt", "count"):
            texts = (record["plaintext"], record["ciphertext"])
            yield from _both_ways("CTR", record["key"], record["iv"], *texts)


def _stealing() -> Iterator[str]:
    for cipher in _STEALING:
        plain = _STEALING_TEXT[: len(cipher) // 2].hex()
        yield from _both_ways("CTS", _STEALING_KEY, 16 * "00", plain, cipher)


def _gcm() -> Iterator[str]:
    files = {"gcmEncryptExtIV": "encrypt", "gcmDecrypt": "decrypt"}
    for name, direction in files.items():
        for size in _SIZES:
            for record in records(f"ciphers/AES/GCM/{name}{size}.rsp", "count"):
                if record["ivlen"] != "96":
                    continue
                texts = [record["ct"], "!" if "fail" in record else record["pt"]]
                if direction == "encrypt":
                    texts.reverse()
                head = (record["key"], record["iv"], record["aad"])
                yield _line("GCM", direction, *head, *texts, record["tag"])


def _ccm() -> Iterator[str]:
    for test in ("VADT", "VNT", "VPT", "VTT", "DVPT"):
        for size in _SIZES:
            for record in records(f"ciphers/AES/CCM/{test}{size}.rsp", "count"):
                yield from _ccm_lines(record)


def _ccm_lines(record: Fields) -> Iterator[str]:
    header = record["adata"] if record["alen"] != "0" else ""
    end = 2 * int(record["plen"])
    cipher, tag = record["ct"][:end], record["ct"][end:]
    head = (record["key"], record["nonce"], header)
    if record.get("result", "Pass") != "Pass":
        yield _line("CCM", "decrypt", *head, cipher, "!", tag)
        return
    plain = record["payload"][:end]
    yield _line("CCM", "encrypt", *head, plain, cipher, tag)
    yield _line("CCM", "decrypt", *head, cipher, plain, tag)


def _xts() -> Iterator[str]:
    for place in ("tweak-128hexstr", "tweak-dataunitseqno"):
        for size in (128, 256):
            for record in records(f"ciphers/AES/XTS/{place}/XTSGenAES{size}.rsp", "count"):
                if int(record["dataunitlen"]) % 8:
                    continue
                texts = [record["pt"], record["ct"]]
                if record["direction"] == "decrypt":
                    texts.reverse()
                yield _line(
                    "XTS", record["direction"], record["key"], _tweak(record), "", *texts, ""
                )


def _tweak(record: Fields) -> str:
    if "i" in record:
        return record["i"]
    return int(record["dataunitseqnumber"]).to_bytes(16, "little").hex()


def _cmac() -> Iterator[str]:
    for size in _SIZES:
        for record in records(f"CMAC/nist-800-38b-aes{size}.txt", "count"):
            head = (record["key"], "", "", record["message"])
            yield _line("CMAC", "encrypt", *head, "", record["output"])


def _hashes() -> Iterator[str]:
    for name, place in _HASHES.items():
        for test in ("ShortMsg", "LongMsg"):
            for record in records(f"hashes/{place}/{name}{test}.rsp", "len"):
                message = record["msg"][: int(record["len"]) // 4]
                yield _line(name, "encrypt", "", "", "", message, "", record["md"])


def _hmacs() -> Iterator[str]:
    for name, file in _HMACS.items():
        for record in records(f"HMAC/{file}.txt", "len"):
            head = (record["key"], "", "", record["msg"])
            yield _line(f"HMAC-{name}", "encrypt", *head, "", record["md"])
