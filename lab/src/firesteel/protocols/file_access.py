# SPDX-License-Identifier: Apache-2.0
"""How files go through a protocol: a client fetches them, or sends them."""

from dataclasses import dataclass, replace

_CURL = "curl.sh"
_SSH = ("ssh-client.sh", "start-sshd.sh")


@dataclass(frozen=True)
class FileAccess:
    """A way to fetch files: the client does it by board/jobs/fetch-NAME.sh, the server serves them
    by serve-SERVER.sh.

    `title` is what people call it with its preposition.  `tells_times` says that the client's
    program itself tells when the first byte came and when the last did; else marks are all that is
    known.  `forwards_ports` says that the client can carry other programs' connections, too.
    `sends` says that the client sends the files, which the server receives.  `more` are further
    files of board/jobs/ that the scripts need.
    """

    name: str
    title: str
    server: str
    tells_times: bool = False
    forwards_ports: bool = False
    sends: bool = False
    more: tuple[str, ...] = ()

    @property
    def scripts(self) -> tuple[str, ...]:
        """All files of board/jobs/ that a node needs for it."""
        return (f"fetch-{self.name}.sh", f"serve-{self.server}.sh", *self.more)


_OF_HTTPS = ("fetch-https.sh", "serve-https.sh")

FTP = FileAccess("ftp", "over FTP", server="ftp", tells_times=True, more=(_CURL, "vsftpd.conf"))
HTTP = FileAccess("http", "over HTTP", server="http", tells_times=True, more=(_CURL, "nginx.sh"))
HTTPS = FileAccess(
    "https", "over HTTPS", server="https", tells_times=True, more=(_CURL, "nginx.sh")
)
KTLS = FileAccess(
    "ktls",
    "over HTTPS by kTLS",
    server="ktls",
    tells_times=True,
    more=(_CURL, "nginx.sh", *_OF_HTTPS),
)


def _upload(way: FileAccess, *scripts: str) -> FileAccess:
    """The same way with files that the client sends; its server needs those scripts besides."""
    return replace(
        way,
        name="upload",
        title=f"by uploads {way.title}",
        server=f"upload-{way.server}",
        sends=True,
        more=(_CURL, "nginx.sh", "upload.sh", *scripts),
    )


HTTP_UPLOAD = _upload(HTTP, "fetch-http.sh")
HTTPS_UPLOAD = _upload(HTTPS, *_OF_HTTPS)
KTLS_UPLOAD = _upload(KTLS, *_OF_HTTPS, "fetch-ktls.sh", "serve-ktls.sh")
SCP = FileAccess("scp", "by scp", server="ssh", forwards_ports=True, more=_SSH)
RCP = FileAccess(
    "rcp",
    "by scp with the protocol of rcp",
    server="ssh",
    forwards_ports=True,
    more=_SSH,
)
SFTP = FileAccess("sftp", "by sftp", server="ssh", forwards_ports=True, more=_SSH)
