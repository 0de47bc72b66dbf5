# SPDX-License-Identifier: Apache-2.0
"""Setup pages, followed word by word on a board: the program uses the cores, and data is right.

    board: crypto0 AES, hash, public key    followed by a reader, who is root
           crypto1 AES, hash
    peer:  the other end of a tunnel, in software

The commands and lines of files are those of the pages (`page_steps`); what a reader has
before the first of them is Debian's (`setup_pages.py`).
"""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from bench import SERVE, Bench, KeptRun, on_flat, release, two_hosts
from driver_run import Told
from library_program import build_check
from page_steps import Step, steps_of
from setup_pages import (
    PACKETS,
    RECORDS,
    SECTORS,
    TELL_DRIVER,
    TELL_PROVIDER,
    TRY,
    as_a_reader,
    assert_output,
    assert_right,
    begin,
    board_files,
    came,
    cryptsetup_files,
    example_files,
    identities,
    lighttpd_files,
    provider_counts,
    provider_small,
)

from firesteel.base.checkout import CHECKOUT
from firesteel.boards.job import JobFile
from firesteel.boards.profile import Profile, load_profile
from firesteel.boards.topology import load_topology
from firesteel.build.products import Products
from firesteel.protocols import pki

pytestmark = pytest.mark.thorough

_BOARD, _PEER = "10.0.0.1", "10.0.0.2"
_SITE = "example.org"
"""What pages call a server."""

_PACKETS = re.compile(r"\b(\d+)\(packets\)")
"""Of an association of IPsec."""

_WEB_SERVER = f"""
echo '127.0.0.1 localhost {_SITE}' >>/etc/hosts
cat >/etc/nginx/sites-enabled/site <<end
server {{
    listen 443 ssl;
    listen 8080;
    server_name {_SITE};
    ssl_certificate /job/{_SITE}.pem;
    ssl_certificate_key /job/{_SITE}.key;
    root /srv;
}}
end
"""


def _fetch(url: str) -> str:
    """Shell lines of a client without the provider."""
    return f"try curl -s -S --cacert /job/ca.pem -o /run/came {url}\n" + came("/run/came")


def _alone(
    bench: Bench,
    page: str,
    before: str,
    after: str,
    without: str = "",
    more: Mapping[str, JobFile] | None = None,
) -> KeptRun:
    """Follow a page on a board that is alone, but for the steps of one section.

    The board has files that are of one page alone, `more`.  Its output is what the page says, and
    what came in `after` is what was sent.
    """
    steps = [step for step in steps_of(page) if step.section != without]
    script = begin() + before + as_a_reader(steps) + after + TELL_PROVIDER + TELL_DRIVER
    files, profiles = {**board_files(_SITE), **(more or {})}, {"board": on_flat("socrates-hash")}
    run = bench.run(load_topology("one-board"), {"board": script}, {"board": files}, profiles)
    assert_output(steps, run)
    assert_right(run, "board")
    Told(run).assert_quiet()
    return run


def _between(
    bench: Bench,
    page: str,
    before: str,
    after: str,
    peer: str,
    files: Mapping[str, JobFile],
    profile: Profile | None = None,
    section: str = "",
) -> KeptRun:
    """Follow a page, or a section, on a board whose tunnel has its other end on a peer.

    When the page is done, the board does `after`, and then the peer `peer`.  A page of the driver
    has a board of its own, `profile`, on which there is no provider to tell anything.
    """
    steps = steps_of(page, section)
    board = begin() + before + as_a_reader(steps) + after + release(_PEER) + SERVE
    tell = TELL_DRIVER if profile else TELL_PROVIDER + TELL_DRIVER
    run = bench.run(
        two_hosts(),
        {"board": board + tell, "peer": SERVE + peer + release(_BOARD)},
        {"board": board_files("board", _SITE), "peer": {**identities("peer"), **files}},
        {"board": profile or on_flat("socrates-hash"), "peer": load_profile("peer")},
    )
    assert_output(steps, run)
    assert_right(run, "peer")
    Told(run).assert_quiet()
    return run


def test_nginx(bench: Bench, tmp_path: Path) -> None:
    page, off = "provider-nginx.md", "turn-it-off"
    command = JobFile(build_check(Products(), tmp_path), 0o755)
    loaded = "grep -q /firesteel.so /proc/$(cat /run/nginx.pid)/maps"
    after = _fetch(f"https://{_SITE}/sample") + f"{loaded}\n"
    after += "".join(f"{line}\n" for step in steps_of(page, off) for line in step.lines)
    after += f"! {loaded} || exit 1\ncurl -k -s -S -f -o /dev/null https://{_SITE}/sample\n"
    more = {"/job/built/firesteel-provider": command, **example_files()}
    run = _alone(bench, page, _WEB_SERVER, after, without=off, more=more)
    said = [data for name, data in run.run.nodes["board"].data.items() if name.startswith("step-")]
    (checked,) = re.findall(rb"^gcm +(\d+)", b"".join(said), re.MULTILINE)
    assert int(checked) >= RECORDS, "the check of the page"
    counts = provider_counts(run)
    assert counts["gcm"] >= RECORDS
    assert counts["rsa"] >= 1, "the signature of the handshake"


def test_haproxy(bench: Bench) -> None:
    before = f"""
{_WEB_SERVER}
systemctl restart nginx
cat >>/etc/haproxy/haproxy.cfg <<end
frontend site
    bind :4433 ssl crt /job/{_SITE}.both
    default_backend files
backend files
    server nginx 127.0.0.1:8080
end
"""
    run = _alone(bench, "provider-haproxy.md", before, _fetch(f"https://{_SITE}:4433/sample"))
    counts = provider_counts(run)
    assert counts["gcm"] >= RECORDS
    assert counts["rsa"] >= 1, "the signature of the handshake"


def test_curl(bench: Bench) -> None:
    before = f"""
{_WEB_SERVER}
cp /srv/sample /srv/index.html
mkdir -p /etc/ssl/certs
cp /job/ca.pem /etc/ssl/certs/ca-certificates.crt
systemctl restart nginx
"""
    run = _alone(bench, "provider-curl.md", before, came("/tmp/page"))
    assert provider_counts(run)["gcm"] >= RECORDS


def test_openssh(bench: Bench) -> None:
    """Debian 13 has no use for what the page says of older versions."""
    public = pki.ssh_public_key(_SITE).decode()
    before = f"""
echo '127.0.0.1 localhost {_SITE}' >>/etc/hosts
mkdir -p /root/.ssh
chmod 700 /root /root/.ssh
cp /job/{_SITE}.key /etc/ssh/ssh_host_rsa_key
cp /job/{_SITE}.key /root/.ssh/id_rsa
chmod 600 /etc/ssh/ssh_host_rsa_key /root/.ssh/id_rsa
echo '{public}' >/root/.ssh/authorized_keys
echo '{_SITE} {public}' >/etc/ssh/ssh_known_hosts
"""
    # The page has exported OPENSSL_CONF: the client is another program with a CryptoMaster
    after = f"try scp -q {_SITE}:/srv/sample /run/came\n" + came("/run/came")
    run = _alone(bench, "provider-openssh.md", before, after, without="before-openssh-100")
    assert provider_counts(run)["gcm"] >= 2 * RECORDS, "of both ends"


_OPENVPN = f"""
modprobe tun
{_WEB_SERVER}
systemctl restart nginx
cat >/etc/openvpn/server/server.conf <<end
port 1194
proto udp4
dev tun
topology subnet
server 10.8.0.0 255.255.255.0
ca /job/ca.pem
cert /job/board.pem
key /job/board.key
dh none
user nobody
group nogroup
persist-key
persist-tun
end
"""


def _openvpn_client(options: str) -> str:
    """Shell lines of a client in software, which fetches the sample through its tunnel."""
    return f"""
modprobe tun
openvpn --daemon --log /run/log --client --dev tun --proto udp4 --remote {_BOARD} 1194 --nobind \
    --ca /job/ca.pem --cert /job/peer.pem --key /job/peer.key {options}
has_address() {{ ip address show dev tun0 2>/dev/null | grep -q 10.8.0; }}
{TRY}
try has_address
curl -s -S -o /run/came http://10.8.0.1:8080/sample
{came("/run/came")}
"""


def test_openvpn(bench: Bench) -> None:
    file = CHECKOUT / "provider/configurations/openvpn/firesteel-gcm.conf"
    files = {"/job/both-ends.conf": JobFile(file.read_bytes())}
    peer = _openvpn_client("--config /job/both-ends.conf")
    run = _between(bench, "provider-openvpn.md", _OPENVPN, "", peer, files)
    assert provider_counts(run)["gcm"] >= PACKETS


@pytest.mark.parametrize("section", ["configure-openvpn", "packets-in-batches"])
def test_openvpn_by_dco(bench: Bench, section: str) -> None:
    """By the driver; the other end has no DCO."""
    peer = _openvpn_client("--data-ciphers AES-256-GCM")
    board = on_flat("socrates")
    run = _between(bench, "openvpn-dco.md", _OPENVPN, "", peer, {}, board, section)
    assert Told(run).requests("hardware")["gcm-aes"] >= PACKETS


def test_strongswan(bench: Bench) -> None:
    before = f"""
{_WEB_SERVER}
systemctl restart nginx
{_credentials("board")}
cat >/etc/swanctl/conf.d/peer.conf <<end
{_connection("board", _PEER, " : firesteel", " : firesteel-child")}
end
"""
    after = "swanctl --load-all --noprompt\n"
    peer = f"""
{_credentials("peer")}
cat >/etc/swanctl/swanctl.conf <<end
{_connection("peer", _BOARD, "", "")}
end
/usr/lib/ipsec/charon >/run/log 2>&1 &
{TRY}
try test -S /var/run/charon.vici
swanctl --load-all --noprompt
swanctl --initiate --child data --timeout 5
curl -s -S -o /run/came http://{_BOARD}:8080/sample
ip -s xfrm state | probe data associations
{came("/run/came")}
"""
    run = _between(bench, "provider-strongswan.md", before, after, peer, {})
    counts = provider_counts(run)
    assert counts["rsa"] >= 1, "the signature of IKE"
    small = provider_small(run)
    assert min(small["cbc"], small["hmac"]) >= 1, "the messages of IKE, too few for a trial"
    assert max(map(int, _PACKETS.findall(run.text("peer", "associations")))) >= PACKETS


def _credentials(name: str) -> str:
    """Shell lines that put keys and certificates where strongSwan has them."""
    return f"""
mkdir -p /etc/swanctl/x509 /etc/swanctl/x509ca /etc/swanctl/private
cp /job/ca.pem /etc/swanctl/x509ca/
cp /job/{name}.pem /etc/swanctl/x509/own.pem
cp /job/{name}.key /etc/swanctl/private/
"""


def _connection(name: str, address: str, connection: str, child: str) -> str:
    """A connection and its child, which may have templates."""
    other = "peer" if name == "board" else "board"
    return f"""
connections {{
    tunnel{connection} {{
        version = 2
        remote_addrs = {address}
        local {{
            auth = pubkey
            certs = own.pem
            id = "{pki.distinguished_name(name)}"
        }}
        remote {{
            auth = pubkey
            id = "{pki.distinguished_name(other)}"
        }}
        children {{
            data{child} {{
            }}
        }}
    }}
}}
"""


def test_ktls(bench: Bench) -> None:
    """By the driver, to which a board's only CryptoMaster belongs."""
    steps = steps_of("ktls.md")
    script = begin() + _WEB_SERVER + as_a_reader(steps) + _fetch(f"https://{_SITE}/sample")
    files, profiles = board_files(_SITE), {"board": on_flat("socrates")}
    one = load_topology("one-board")
    run = bench.run(one, {"board": script + TELL_DRIVER}, {"board": files}, profiles)
    assert_output(steps, run)
    assert_right(run, "board")
    told = Told(run)
    assert told.requests("hardware")["gcm-aes"] >= RECORDS
    told.assert_quiet()


_DISKS = {
    "aes-xts": "xts-aes",
    "aes-gcm-with-a-tag": "gcm-aes",
    "aes-xts-and-hmac-sha-256-with-a-tag": "authenc-hmac-sha256-xts-aes",
    "without-the-cores-adiantum": "",
}
"""Sections that each format a disk, and the driver's algorithm that encrypts it."""

_DISK = """
modprobe brd rd_nr=1 rd_size=49152 max_part=0
mknod /dev/sda3 b 1 0
modprobe -a dm-crypt dm-integrity ext4
mkdir -p /mnt
"""
"""Shell lines for a disk, and for what Debian loads when it is asked for."""


def _used(number: int) -> tuple[str, ...]:
    """Shell lines that write a file to the mounted disk, and read it once the disk was closed and
    opened again.
    """
    return (
        f"probe data before-{number} /sys/kernel/debug/firesteel/requests",
        "cp /srv/sample /mnt/sample",
        "umount /mnt",
        f"probe data written-{number} /sys/kernel/debug/firesteel/requests",
        "cryptsetup close secret",
        "cryptsetup open --key-file /root/disk.key /dev/sda3 secret",
        "mount /dev/mapper/secret /mnt",
        f"sha256sum </mnt/sample | probe data came-{number}",
    )


def test_disks(bench: Bench) -> None:
    page = "disk.md"
    steps = steps_of(page, "setup")
    formats = list(dict.fromkeys(step.section for step in steps_of(page) if step.section in _DISKS))
    assert formats == list(_DISKS)
    *use, close = steps_of(page, "use-the-disk-and-check-the-cores")
    for number, section in enumerate(formats):
        test = Step("tests", section, number, "commands", _used(number))
        steps += [*steps_of(page, section), *use, test, close]
    one, files = load_topology("one-board"), board_files() | cryptsetup_files()
    script = begin() + _DISK + as_a_reader(steps) + TELL_DRIVER
    run = bench.run(one, {"board": script}, {"board": files}, {"board": on_flat("socrates-hash")})
    assert_output(steps, run)
    told = Told(run)
    for number, algorithm in enumerate(_DISKS.values()):
        assert run.text("board", f"came-{number}") == run.text("board", "right")
        before, written = (
            told.requests("hardware", f"{at}-{number}") for at in ("before", "written")
        )
        sectors = {name: count - before.get(name, 0) for name, count in written.items()}
        used = {name for name, count in sectors.items() if count >= SECTORS}
        assert used == ({algorithm} if algorithm else set())
    told.assert_quiet()


_WORK_DONE = re.compile(r"^([\w-]+): hardware (\d+),", re.MULTILINE)
"""As wolfSSL's front end writes it."""


def test_wolfssl(bench: Bench) -> None:
    """lighttpd, which preloads the front end and knows nothing of it."""
    before = f"""
echo '127.0.0.1 localhost {_SITE}' >>/etc/hosts
mkdir -p /var/www/html
cp /job/{_SITE}.both /etc/lighttpd/server.pem
ln -s /srv/sample /var/www/html/sample
"""
    after = f"""
for group in X25519 P-256; do
    try curl -s -S --cacert /job/ca.pem --curves $group -o /run/came https://{_SITE}/sample
    [ "$(sha256sum </run/came)" = "$(sha256sum </srv/sample)" ]
done
{came("/run/came")}
main=$(cat /run/lighttpd.main)
kill $main
ended() {{ [ ! -e /proc/$main ]; }}
try ended
"""
    run = _alone(bench, "wolfssl.md", before, after, more=lighttpd_files())
    told = run.text("board", "statistics")
    done = {name: int(count) for name, count in _WORK_DONE.findall(told)}
    assert done["gcm"] >= 2 * RECORDS
    assert done["rsa-private"] >= 2, "the signatures of both handshakes"
    assert done["ecdh"] >= 1, "the key exchange of one of them"
