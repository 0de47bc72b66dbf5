# SPDX-License-Identifier: Apache-2.0
"""nginx and lighttpd leave TLS to the kernel, which has it from the driver: files arrive whole both
ways, also when the core ends in the middle, and forged records are refused.  Handshakes may have
the public-key engine meanwhile, by the provider.
"""

from collections.abc import Mapping
from types import MappingProxyType

import pytest
from bench import SERVE, Bench, KeptRun, await_node, on_flat, release, two_hosts, with_fault
from driver_run import LOAD, TELL, UNPLUG, Told, await_requests, ends_at
from setup_pages import provider_counts

from firesteel.boards.cores import Fault
from firesteel.boards.job import JobFile
from firesteel.boards.profile import load_profile
from firesteel.build.debian import extract
from firesteel.build.products import Products
from firesteel.protocols import pki
from firesteel.protocols.user_space import provider_files

_MEGABYTES = 8
"""Of the file."""

_MIDWAY = 100
"""Records that the core has had by then, of some 500 either way."""

_TRIALS = 500
"""Messages that the driver measures with when it is loaded are fewer, but not much."""

_BOARD, _PEER = "10.0.0.1", "10.0.0.2"

_NGINX = """
mkdir -p /srv/put /var/log/nginx /var/lib/nginx
cat >/run/nginx.conf <<end
user root;
worker_processes 1;
error_log /run/nginx.log info;
pid /run/nginx.pid;
events { }
http {
    access_log off;
    sendfile on;
    client_max_body_size 10m;
    server {
        listen 443 ssl;
        ssl_certificate /job/node.pem;
        ssl_certificate_key /job/node.key;
        ssl_protocols TLSv1.3;
        ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384;
        ssl_conf_command Options KTLS;
        root /srv;
        location /put { dav_methods PUT; }
    }
}
end
modprobe tls
env $PROVIDER nginx -c /run/nginx.conf
"""

# A program that receives a file stands where the file belongs, and makes room for it.
_LIGHTTPD = """
mkdir -p /srv/put /var/tmp
cat >/srv/put/sample <<end
cat >/run/received
mv /run/received /srv/put/sample
echo Status: 201
echo
end
cat >/run/lighttpd.conf <<end
server.modules = ("mod_openssl", "mod_cgi")
server.port = 443
server.document-root = "/srv"
server.errorlog = "/run/lighttpd.log"
ssl.engine = "enable"
ssl.pemfile = "/job/node.pem"
ssl.privkey = "/job/node.key"
ssl.openssl.ssl-conf-cmd = (
    "MinProtocol" => "TLSv1.3", "Ciphersuites" => "TLS_AES_256_GCM_SHA384", "Options" => "KTLS"
)
cgi.assign = ("/put/sample" => "/bin/sh")
end
modprobe tls
lighttpd -f /run/lighttpd.conf
"""

_TELL_TLS = "cat /proc/net/tls_stat | probe data tls\ndmesg | probe data dmesg\n"


_UNPLUG = await_requests("gcm-aes", _MIDWAY) + UNPLUG

_SAMPLE = f"""
head -c {_MEGABYTES * 1_000_000} /dev/zero |
    openssl enc -chacha20 -nosalt -K 01 -iv 00 2>/dev/null >/run/sample
"""


def _board(more: str = "", server: str = _NGINX) -> str:
    return f"""
{_SAMPLE}
mkdir -p /srv
cp /run/sample /srv/sample
sha256sum </run/sample | tee /srv/sample.sum | probe data right
mount -t debugfs none /sys/kernel/debug
{LOAD}
{server}
{more}{SERVE}
[ ! -e /srv/put/sample ] || sha256sum </srv/put/sample | probe data came
{TELL}{_TELL_TLS}
"""


_SEND = f"curl -s -S -k -o /run/came https://{_BOARD}/sample\n"
_RECEIVE = f"curl -s -S -k -T /run/sample https://{_BOARD}/put/sample\n"
_FIRST = {"sent": _SEND + _RECEIVE, "received": _RECEIVE + _SEND}
"""What a core ends in: a file that the board sends, or one that it receives."""


def _client(first: str) -> str:
    return f"""
{_SAMPLE}
{await_node(_BOARD)}
until echo | nc {_BOARD} 443 >/dev/null; do sleep 0.01; done
{_FIRST[first]}
sha256sum </run/came | probe data came
{release(_BOARD)}
"""


_TAMPERED = f"""
{await_node(_BOARD)}
until echo | nc {_BOARD} 443 >/dev/null; do sleep 0.01; done

# request TEXT: what the board answers to it, through a proxy that sends it on by the command $ALTER
request() {{
    rm -f /run/back
    mkfifo /run/back
    nc -l -p 4443 </run/back | tee /run/sent | $ALTER | nc {_BOARD} 443 >/run/back &
    sleep 0.1
    {{
        sleep 1
        printf "$1"
        sleep 1
    }} | openssl s_client -connect 127.0.0.1:4443 -quiet -groups X25519 2>/dev/null
    wait
}}

# forge NUMBER: puts another byte there.
forge() {{
    dd bs=1 count=$(($1 - 1)) 2>/dev/null
    dd bs=1 count=1 >/dev/null 2>&1
    printf x
    cat
}}

ALTER=cat
request "GET /sample.sum HTTP/1.0\r\n\r\n" | probe data answer
size=$(wc -c </run/sent)
# The last byte of the request's tag: behind it comes the alert with which the client closes.
ALTER="forge $((size - 24))"
request "GET /sample.sum HTTP/1.0\r\n\r\n" | probe data refused
{release(_BOARD)}
"""


def _run(
    bench: Bench,
    board: str,
    peer: str,
    fault: Fault | None = None,
    programs: Mapping[str, JobFile] = MappingProxyType({}),
) -> KeptRun:
    products = Products()
    driver = JobFile(products.driver().read_bytes())
    provider = provider_files(products.artifact("provider"))
    files = {"/job/firesteel.ko": driver, **provider, **pki.files("board", 1), **programs}
    return bench.run(
        two_hosts(),
        {"board": board, "peer": peer},
        {"board": files},
        {"board": with_fault(on_flat("socrates"), fault), "peer": load_profile("peer")},
    )


def _tls(run: KeptRun) -> dict[str, int]:
    """What the board's kernel has counted of TLS."""
    lines = (line.split() for line in run.text("board", "tls").splitlines())
    return {name: int(count) for name, count in lines}


def _assert_whole(run: KeptRun) -> None:
    """One file came each way as it was sent, both through the kernel's TLS."""
    assert run.text("peer", "came") == run.text("board", "right")
    assert run.text("board", "came") == run.text("board", "right")
    tls = _tls(run)
    assert tls["TlsTxSw"] == tls["TlsRxSw"] == 2, "a connection for each file"
    assert tls["TlsDecryptError"] == 0


ENDS = {"none": None, **ends_at(_TRIALS + _MIDWAY)}


@pytest.mark.matrix
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("first", _FIRST)
def test_files_arrive_whole_both_ways(bench: Bench, first: str, end: str) -> None:
    fault = ENDS[end]
    run = _run(bench, _board(_UNPLUG if end == "unplugged" else ""), _client(first), fault)
    _assert_whole(run)
    told = Told(run)
    assert told.requests("hardware")["gcm-aes"] >= _MIDWAY // 2
    stopped = told.requests("software-out-of-service").get("gcm-aes", 0)
    failed = told.requests("failed").get("gcm-aes", 0)
    if end == "none":
        assert stopped == failed == 0
    else:
        # A request under way fails with its core; after a bus error the core may be back before the
        # next record comes.
        assert failed > 0 or end == "unplugged"
        assert stopped > 0 or end == "bus error"
    told.assert_quiet()


@pytest.fixture(scope="module")
def lighttpd(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, JobFile]:
    """The server with a module for OpenSSL, out of Debian's packages: the image has neither."""
    products, server = Products(), tmp_path_factory.mktemp("lighttpd")
    extract(products.lighttpd_packages(), server)
    module = products.debian_packages("lighttpd-openssl", ["lighttpd-mod-openssl"])
    names = {"sbin/lighttpd": server, "lib/lighttpd/mod_cgi.so": server}
    names["lib/lighttpd/mod_openssl.so"] = module
    return {
        f"/usr/{name}": JobFile((tree / "usr" / name).read_bytes(), 0o755)
        for name, tree in names.items()
    }


@pytest.mark.thorough
@pytest.mark.parametrize("first", _FIRST)
def test_lighttpd_sends_and_receives_files(
    bench: Bench, lighttpd: Mapping[str, JobFile], first: str
) -> None:
    run = _run(bench, _board(server=_LIGHTTPD), _client(first), programs=lighttpd)
    _assert_whole(run)
    told = Told(run)
    assert told.requests("hardware")["gcm-aes"] >= 2 * _MIDWAY
    assert told.requests("failed") == {}
    told.assert_quiet()


def test_handshakes_have_the_provider_meanwhile(bench: Bench) -> None:
    """It gets no CryptoMaster, as the kernel keeps a board's only one."""
    tell = "cat /run/firesteel-* | probe data statistics\n"
    board = f"PROVIDER=OPENSSL_CONF=/job/openssl.cnf\n{_board()}{tell}"
    run = _run(bench, board, _client("sent"))
    _assert_whole(run)
    assert Told(run).requests("hardware")["gcm-aes"] >= _MIDWAY
    counts = provider_counts(run)
    assert counts["rsa"] == 2, "a signature for each connection"
    assert counts.get("gcm", 0) == 0
    Told(run).assert_quiet()


def test_a_forged_record_is_refused(bench: Bench) -> None:
    run = _run(bench, _board(), _TAMPERED)
    assert run.text("board", "right") in run.text("peer", "answer")
    assert run.text("peer", "refused") == ""
    assert _tls(run)["TlsDecryptError"] == 1
    told = Told(run)
    assert told.requests("tag-recheck")["gcm-aes"] == 1
    told.assert_quiet()
