# SPDX-License-Identifier: Apache-2.0
"""stunnel, which asks for algorithms by a query of its own (`provider!=fips`), before a web server
without TLS.
"""

from pathlib import Path

from scenes import content, process, web
from scenes.cells import Cells
from scenes.pki import Authority
from scenes.side import pair

_SIZE = 1_000_000
_VERSIONS = (("--tls-max", "1.2"), ("--tlsv1.3",))


def play(cells: Cells) -> None:
    """The scene."""
    ours, theirs = pair("stunnel")
    directory = Path("/tmp/stunnel")
    authority = Authority(directory, theirs)
    identity = authority.identity("ec", "ec")
    digest = content.make(directory / "sent", _SIZE)
    behind, port = process.free_port(), process.free_port()
    configuration = directory / "stunnel.conf"
    configuration.write_text(
        f"foreground = yes\npid =\n[web]\naccept = 127.0.0.1:{port}\n"
        f"connect = 127.0.0.1:{behind}\ncert = {identity.certificate}\nkey = {identity.key}\n"
    )
    serve = ["python3", "-m", "http.server", str(behind), "--bind", "127.0.0.1"]
    with (
        process.server(
            "behind-stunnel", theirs, [*serve, "--directory", str(directory)]
        ) as web_server,
        process.server("stunnel", ours, ["stunnel4", str(configuration)]) as tunnel,
    ):
        web_server.wait_until(process.listening(behind), "does not listen")
        tunnel.wait_until(process.listening(port), "does not listen")
        for words in _VERSIONS:
            cell = f"stunnel and curl {' '.join(words)}"
            with cells.cell(cell, ours, theirs, "gcm", later="ecdsa x25519"):
                url = f"https://localhost:{port}/sent"
                content.check(web.curl(theirs, *words, url, authority=authority), digest, "curl")
