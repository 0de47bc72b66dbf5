# SPDX-License-Identifier: Apache-2.0
"""nginx and curl as scenes use them: a server with a file, and fetching it."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from scenes import content, process
from scenes.errors import SceneError
from scenes.pki import Authority
from scenes.side import CONFIGURATIONS, Side

SIZE = 2_000_000

_MAIN = CONFIGURATIONS / "nginx/firesteel-main.conf"
_HTTP = CONFIGURATIONS / "nginx/firesteel.conf"
_CURLRC = CONFIGURATIONS / "curl/curlrc"
_HTTP2_ON_SINCE = (1, 25)


@dataclass(frozen=True)
class Site:
    """A directory with a file to fetch, room for one to put, and nginx's configuration."""

    directory: Path
    port: int
    authority: Authority
    digest: str

    @property
    def configuration(self) -> Path:
        """nginx.conf."""
        return self.directory / "nginx.conf"

    @property
    def pid(self) -> Path:
        """Where nginx writes the number of its master."""
        return self.directory / "nginx.pid"

    def url(self, name: str = "sent", port: int = 0) -> str:
        """The address of a file, at `port` if another program is before nginx."""
        return f"https://localhost:{port or self.port}/{name}"


def make_site(name: str, side: Side, theirs: Side, workers: int = 2) -> Site:
    """A site that nginx serves on `side`, with the ready-made files if that has the provider."""
    directory = Path("/tmp") / name
    authority = Authority(directory, theirs)
    for kind in ("rsa", "ec"):
        authority.identity(kind, kind)
    (directory / "root/put").mkdir(parents=True)
    (directory / "root/put").chmod(0o777)
    digest = content.make(directory / "root/sent", SIZE)
    site = Site(directory, process.free_port(), authority, digest)
    site.configuration.write_text(_nginx_conf(site, side, workers))
    return site


def curl(side: Side, *words: str, authority: Authority) -> bytes:
    """What curl gets, by the ready-made file if `side` has the provider."""
    configuration = ["--config", str(_CURLRC)] if side.provider else []
    command = ["curl", "--disable", *configuration, "--silent", "--show-error", "--fail"]
    command += ["--ipv4", "--cacert", str(authority.certificate)]
    return process.run(side, [*command, *words])


def fetch(side: Side, site: Site, *words: str, port: int = 0) -> None:
    """Fetch the file, and see that it is the one that was to be sent."""
    got = curl(side, *words, site.url(port=port), authority=site.authority)
    content.check(got, site.digest, f"curl {' '.join(words)}")


def put(side: Side, site: Site, *words: str, port: int = 0) -> None:
    """Send the file back, and see that it came."""
    target = site.directory / "root/put/it"
    source = str(site.directory / "root/sent")
    url = site.url("put/it", port)
    curl(side, *words, "--upload-file", source, url, authority=site.authority)
    content.check(target.read_bytes(), site.digest, f"curl --upload-file {' '.join(words)}")
    target.unlink()


def refusal(side: Side, site: Site, *words: str, port: int, upwards: bool) -> str:
    """What curl says of a transfer, to the server if `upwards`, that must not succeed."""
    try:
        (put if upwards else fetch)(side, site, *words, port=port)
    except SceneError as error:
        return re.sub(r".*(?=curl: \(\d+\))", "", str(error), flags=re.DOTALL)
    raise SceneError(f"curl {' '.join(words)} takes a forged record")


def http_version(side: Side, site: Site, *words: str, port: int = 0) -> str:
    """The version of HTTP that is spoken."""
    url = site.url(port=port)
    options = ("--output", "/dev/null", "--write-out", "%{http_version}")
    return curl(side, *words, *options, url, authority=site.authority).decode()


def shakes_hands(side: Side, port: int, *options: str) -> bool:
    """Whether a client of `side`, with options of `openssl s_client`, and a server agree."""
    done = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", *options],
        env=side.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=process.TIMEOUT_S,
    )
    return done.returncode == 0


def children(pid: int) -> set[int]:
    """The processes that were forked from one and live."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except FileNotFoundError:
        return set()
    return {int(child) for child in text.split()}


def _nginx_version() -> tuple[int, int]:
    said = subprocess.run(["nginx", "-v"], check=True, capture_output=True, text=True).stderr
    try:
        major, minor, *_ = said.split("/")[1].split(".")
        return int(major), int(minor)
    except (IndexError, ValueError):
        raise SceneError(f"nginx -v says {said}") from None


def _nginx_conf(site: Site, side: Side, workers: int) -> str:
    by_directive = _nginx_version() >= _HTTP2_ON_SINCE
    here = site.directory
    main = _MAIN.read_text().replace("worker_processes auto;", "") if side.provider else ""
    passed = [name for name in side.environment if name.startswith("FIRESTEEL")]
    certificates = "".join(
        f"ssl_certificate {here}/{kind}.crt; ssl_certificate_key {here}/{kind}.key;\n"
        for kind in ("rsa", "ec")
    )
    return f"""
{main}
{"".join(f"env {name};" for name in passed)}
worker_processes {workers};
pid {site.pid};
error_log {here}/error.log notice;
events {{ worker_connections 200; }}
http {{
    {f"include {_HTTP};" if side.provider else "ssl_protocols TLSv1.2 TLSv1.3;"}
    access_log off;
    client_max_body_size 10m;
    server {{
        listen 127.0.0.1:{site.port} ssl{"" if by_directive else " http2"};
        {"http2 on;" if by_directive else ""}
        root {here}/root;
        {certificates}
        location /put {{ dav_methods PUT; }}
    }}
}}
"""
