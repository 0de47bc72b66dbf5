# SPDX-License-Identifier: Apache-2.0
"""Setup pages that are followed word by word on a board, and what a reader has before that.

The board is as a reader's: it has Debian's own configuration files and units, from the very
packages of the image, and the checkout's ready-made files.  What a board lacks has a small program
that stands in for it (guest/pages/): systemd, apt, dkms, make, meson, ninja, patch, ldconfig and
perl.
"""

import functools
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench import KeptRun
from page_steps import EXAMPLES, Step

from firesteel.base.checkout import CHECKOUT
from firesteel.boards.job import JobFile
from firesteel.build.debian import extract
from firesteel.build.products import Products
from firesteel.protocols import pki
from firesteel.protocols.provider_statistics import Statistics, Work

_HERE = "/root/firesteel"
"""The checkout on the board."""

_STAND_INS = {
    name: f"/usr/{place}/{name}"
    for name, place in {
        **dict.fromkeys(
            ("systemctl", "apt", "dkms", "make", "meson", "ninja", "patch", "perl"), "bin"
        ),
        "ldconfig": "sbin",
    }.items()
}

_DEBIAN = (
    *("etc/default", "etc/haproxy", "etc/nginx", "etc/openvpn", "etc/ssh"),
    *("etc/ipsec.conf", "etc/strongswan.conf", "etc/strongswan.d", "etc/swanctl"),
    *("usr/lib/systemd/system/nginx.service", "usr/lib/systemd/system/haproxy.service"),
    *("usr/lib/systemd/system/ssh.service", "usr/lib/systemd/system/openvpn-server@.service"),
    "usr/lib/systemd/system/strongswan-starter.service",
    *("usr/sbin/ipsec", "usr/lib/ipsec/starter", "usr/lib/ipsec/stroke"),
    *("var/lib/haproxy", "var/lib/nginx", "var/log/nginx"),
)
"""Of the packages: what a reader has, and the image does without."""

_LIGHTTPD = (
    *("etc/lighttpd", "usr/share/lighttpd", "usr/sbin/lighty-enable-mod"),
    "usr/lib/systemd/system/lighttpd.service",
)
"""Of the packages with lighttpd, besides its programs."""

_SSHD_CONFIG = "usr/share/openssh/sshd_config"
"""What the package's script makes /etc/ssh/sshd_config of."""

_PASSWD = """\
root:x:0:0:root:/root:/bin/sh
www-data:x:33:33:www-data:/var/www:/bin/false
haproxy:x:100:100::/var/lib/haproxy:/bin/false
sshd:x:101:65534::/run/sshd:/bin/false
nobody:x:65534:65534:nobody:/:/bin/false
"""
_GROUP = "root:x:0:\nwww-data:x:33:\nhaproxy:x:100:\nnogroup:x:65534:\n"
"""Users that the packages' scripts make."""

_SAMPLE_BYTES = 3_000_000
RECORDS = _SAMPLE_BYTES // 2**15
"""Requests of a cipher that the sample takes at the least: programs ask for up to 32 KiB a time."""
PACKETS = _SAMPLE_BYTES // 1500
"""Packets of a tunnel that the sample takes at the least."""
SECTORS = _SAMPLE_BYTES // 4096
"""Sectors of a disk that the sample takes at the least."""

_SAMPLE = f"""
mkdir -p /srv
head -c {_SAMPLE_BYTES} /dev/zero |
    openssl enc -chacha20 -nosalt -K 01 -iv 00 2>/dev/null >/srv/sample
sha256sum </srv/sample | probe data right
"""
"""Shell lines that make a file which tells whole from broken data."""


def came(path: str) -> str:
    """Shell lines that hand over the sum of a file that has come."""
    return f"sha256sum <{path} | probe data came\n"


TRY = """
# try COMMAND…: until it succeeds, 100 times at most.
try() {
    for attempt in $(seq 100); do
        ! "$@" || return 0
        sleep 0.1
    done
    return 1
}
"""

_BEGIN = f"""
export PATH=/usr/local/bin:$PATH
mkdir -p /root /etc/modules-load.d /run/haproxy /run/openvpn-server /usr/local/lib /srv
mount -t debugfs none /sys/kernel/debug
cd {_HERE}
"""
"""Shell lines for what Debian makes at a boot."""

TELL_PROVIDER = "cat /run/firesteel/* | probe data statistics\n"
TELL_DRIVER = """
probe data requests /sys/kernel/debug/firesteel/requests
dmesg | probe data dmesg
"""


def as_a_reader(steps: Sequence[Step]) -> str:
    """Shell lines that do the steps in one shell; a reader takes a second for each."""
    lines = ["mkdir -p /run/steps", "step=/dev/null", "trap 'tail -n 30 $step' EXIT"]
    for number, step in enumerate(steps):
        lines += ["sleep 1", f"echo {step.place}"]
        if step.kind == "commands":
            lines += [f"step=/run/steps/{number}", "{", *step.lines, "} >$step 2>&1"]
            lines.append(f"probe data step-{number} $step")
        elif step.kind == "file":
            lines += [f"cat >>{step.path} <<'end-of-step'", *step.lines, "end-of-step"]
    lines.append("trap - EXIT")
    return "\n".join(lines) + "\n"


def assert_output(steps: Sequence[Step], run: KeptRun) -> None:
    """Commands have printed the lines that the page says they print."""
    printed = ""
    for number, step in enumerate(steps):
        if step.kind == "commands":
            printed = run.text("board", f"step-{number}")
        elif step.kind == "output":
            missing = [line for line in step.lines if line not in printed]
            assert not missing, f"{step.place}: {missing} is not in the output:\n{printed}"


def assert_right(run: KeptRun, node: str) -> None:
    """What came to a node is the sample."""
    assert run.text(node, "came") == run.text("board", "right")


def provider_counts(run: KeptRun) -> Mapping[str, int]:
    """Requests of the board's programs that the cores did, by kind of work."""
    return _counts(run, lambda work: work.hardware)


def provider_small(run: KeptRun) -> Mapping[str, int]:
    """Requests that the provider left to software: too small, or too few for a trial."""
    return _counts(run, lambda work: work.small)


def _counts(run: KeptRun, of: Callable[[Work], int]) -> Mapping[str, int]:
    data = run.run.nodes["board"].data["statistics"]
    found: dict[str, int] = {}
    for each in Statistics.all_of(data, "statistics"):
        for work in each.works:
            found[work.name] = found.get(work.name, 0) + of(work)
    return found


def board_files(*names: str) -> dict[str, JobFile]:
    """All that a reader has on the board, with keys and certificates of `names`."""
    return {
        **_debian(),
        **_checkout(),
        **_built(),
        **identities(*names),
        "/etc/passwd": JobFile(_PASSWD.encode()),
        "/etc/group": JobFile(_GROUP.encode()),
        **_stand_ins(),
    }


def _stand_ins() -> dict[str, JobFile]:
    folder = Path(__file__).parent / "guest/pages"
    return {path: JobFile((folder / name).read_bytes(), 0o755) for name, path in _STAND_INS.items()}


def bring_up_files(selftest: bytes, microcode: bytes) -> dict[str, JobFile]:
    """What somebody has on a SoC that is brought up; no bytes stand for no microcode."""
    products = Products()
    built = {
        "firesteel.ko": products.driver().read_bytes(),
        "firesteel-selftest": selftest,
        **{path.name: path.read_bytes() for path in _provider_paths(products)},
    }
    return {
        **_checkout(),
        **_stand_ins(),
        **{f"/job/built/{name}": JobFile(content) for name, content in built.items()},
        **({f"{_HERE}/microcode.bin": JobFile(microcode)} if microcode else {}),
    }


_CRYPTSETUP = ("cryptsetup-bin", "libcryptsetup12", "libjson-c5", "libpopt0")
"""The program, and the libraries that the image lacks."""


def cryptsetup_files() -> dict[str, JobFile]:
    """What the stand-in for apt installs of Debian's package, and of those that it needs."""
    tree = Products().debian_packages("cryptsetup", _CRYPTSETUP)
    return {
        f"/job/cryptsetup/{path.relative_to(tree)}": JobFile(path.read_bytes(), 0o755)
        for part in ("usr/sbin", "usr/lib")
        for path in (tree / part).rglob("*")
        if path.is_file()
    }


def lighttpd_files() -> dict[str, JobFile]:
    """What a reader has of lighttpd: `apt` stands in for what puts it there."""
    products = Products()
    found = dict(products.artifact("lighttpd").by_guest_path())
    with tempfile.TemporaryDirectory(prefix="firesteel-") as directory:
        tree = Path(directory)
        extract(products.lighttpd_packages(), tree)
        for top in (tree / each for each in _LIGHTTPD):
            files = [path for path in (top, *top.rglob("*")) if path.is_file()]
            found |= {f"/{path.relative_to(tree)}": path for path in files}
        return {
            place: JobFile(path.read_bytes(), path.stat().st_mode & 0o777 | 0o500)
            for place, path in found.items()
        }


def identities(*names: str) -> dict[str, JobFile]:
    """NAME.pem, NAME.key and both in NAME.both, and the authority that signed them."""
    files = {"/job/ca.pem": JobFile(pki.identity("board").authority)}
    for name in names:
        one = pki.identity(name)
        files |= {
            f"/job/{name}.pem": JobFile(one.certificate),
            f"/job/{name}.key": JobFile(one.key, 0o600),
            f"/job/{name}.both": JobFile(one.certificate + one.key, 0o600),
        }
    return files


def begin() -> str:
    """Shell lines for what there is before the first step: directories, which a job has only where
    it has files, and a file to send.
    """
    return f"mkdir -p {' '.join(sorted(_members()[1]))}\n{_BEGIN}{TRY}{_SAMPLE}"


def _debian() -> dict[str, JobFile]:
    return dict(_members()[0])


@functools.cache
def _members() -> tuple[Mapping[str, JobFile], frozenset[str]]:
    """Files and directories of the packages."""
    files: dict[str, JobFile] = {}
    directories = set()
    with tarfile.open(Products().packages().tree) as tree:
        for member in tree:
            path = member.name.removeprefix("./")
            wanted = any(path == each or path.startswith(f"{each}/") for each in _DEBIAN)
            if member.isdir() and wanted:
                directories.add(f"/{path}")
            elif member.isfile() and (wanted or path == _SSHD_CONFIG):
                content = tree.extractfile(member)
                assert content
                files[f"/{path}"] = JobFile(content.read(), member.mode & 0o777)
    # The image has no modules of PAM
    config = files.pop(f"/{_SSHD_CONFIG}").content.replace(b"\nUsePAM yes\n", b"\nUsePAM no\n")
    return files | {"/etc/ssh/sshd_config": JobFile(config)}, frozenset(directories)


def _checkout() -> dict[str, JobFile]:
    """Configurations and patches, and that which is built has directories."""
    given = [
        *(CHECKOUT / "provider/configurations").rglob("*"),
        *(CHECKOUT / "board/openvpn-dco").glob("*.patch"),
    ]
    files = {
        f"{_HERE}/{path.relative_to(CHECKOUT)}": JobFile(path.read_bytes())
        for path in given
        if path.is_file()
    }
    for part in ("driver", "lib", "frontends/wolfssl"):
        readme = CHECKOUT / part / "README.md"
        files[f"{_HERE}/{part}/README.md"] = JobFile(readme.read_bytes())
    return files


def example_files() -> dict[str, JobFile]:
    """Configurations where the package of the provider has them."""
    top = CHECKOUT / "provider/configurations"
    return {
        f"{EXAMPLES}/{path.relative_to(top)}": JobFile(path.read_bytes())
        for path in top.rglob("*")
        if path.is_file()
    }


def _built() -> dict[str, JobFile]:
    """What the stand-ins for make and meson hand out."""
    products = Products()
    dco = products.artifact("openvpn-dco")
    front_end = products.artifact("wolfssl-front-end").directory
    return {
        **{f"/job/built/{path.name}": JobFile(path.read_bytes()) for path in front_end.iterdir()},
        "/job/built/firesteel.ko": JobFile(products.driver().read_bytes()),
        **{
            f"/job/built/{file.name}": JobFile(file.read_bytes())
            for file in dco.directory.iterdir()
        },
        "/job/built/ovpn-dco.tar": JobFile(_unpacked(*products.openvpn_dco_source().glob("*.deb"))),
        **{
            f"/job/built/{path.name}": JobFile(path.read_bytes())
            for path in _provider_paths(products)
        },
    }


def _provider_paths(products: Products) -> list[Path]:
    provider = products.artifact("provider")
    return [provider.directory / name for name in provider.names]


def _unpacked(package: Path) -> bytes:
    """A Debian package's files, as a tar archive."""
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    return subprocess.run(command, check=True, capture_output=True).stdout
