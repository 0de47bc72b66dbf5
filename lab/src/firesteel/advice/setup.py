# SPDX-License-Identifier: Apache-2.0
"""How a program is given the cores: the ready-made files of the checkout, and the lines to write.

The files and the pages that are named are those of `provider/configurations/` and `docs/`; what
they say is read from them, so that it is never another thing here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Profile
from firesteel.model.cell import USUAL_COMPLETION, Cell
from firesteel.protocols.user_space import PROTOCOLS as BY_PROVIDER

FILES = "provider/configurations"
"""Where ready-made configurations are, below the checkout."""

_DROP_IN = "/etc/systemd/system/{}.service.d/firesteel.conf"


@dataclass(frozen=True)
class Step:
    """Something to do: in words, and the lines to type or to write."""

    what: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Setup:
    """All steps in order, and the pages that explain them."""

    pages: tuple[str, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class _Program:
    """What one program needs besides OpenSSL's configuration; `files` → where they go."""

    page: str
    service: str
    files: Mapping[str, str]


_PROGRAMS: Mapping[str, _Program] = {
    "openvpn": _Program("docs/provider-openvpn.md", "openvpn-server@", {}),
    "ssh": _Program(
        "docs/provider-openssh.md",
        "ssh@",
        {
            "openssh/sshd_config.conf": "/etc/ssh/sshd_config.d/firesteel.conf",
            "openssh/ssh_config.conf": "/etc/ssh/ssh_config.d/firesteel.conf",
        },
    ),
    "nginx": _Program(
        "docs/provider-nginx.md",
        "nginx",
        {
            "nginx/firesteel-main.conf": "/etc/nginx/modules-enabled/firesteel.conf",
            "nginx/firesteel.conf": "/etc/nginx/conf.d/firesteel.conf",
        },
    ),
}


def setup(cell: Cell, board: Profile | None = None) -> Setup:
    """What makes the program or the kernel of that hardware cell use the cores of its board."""
    if cell.protocol in BY_PROVIDER:
        return _by_provider(cell, board)
    return _by_driver(cell)


def lines_of(file: str) -> tuple[str, ...]:
    """The lines of a ready-made file that are neither comment nor empty.

    Raises `FiresteelError` when it is not there.
    """
    path = CHECKOUT / FILES / file
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
    return tuple(line for line in text.splitlines() if line and not line.lstrip().startswith("#"))


def _driver(parameters: str) -> Step:
    return Step(
        "Load the driver (`./firesteel build driver` builds the one for the boards):",
        (
            "modprobe -a authenc uio",
            f"insmod firesteel.ko{parameters}",
        ),
    )


def _by_driver(cell: Cell) -> Setup:
    """The kernel's users take the driver's algorithms, which have the highest priority, by name."""
    completion = cell.completion or USUAL_COMPLETION
    parameters = "" if completion == USUAL_COMPLETION else f" completion={completion}"
    steps = [
        _driver(parameters),
        Step("Check that the kernel has its algorithms:", ("grep -A8 firesteel /proc/crypto",)),
    ]
    pages = ["docs/driver.md"]
    if cell.protocol == "ipsec":
        pages.append("docs/provider-strongswan.md")
        steps.append(
            Step(
                "strongSwan needs no other change; choose a suite that the cores support, in "
                "swanctl.conf under the child:",
                (f"esp_proposals = {_ESP[cell.cipher, cell.mac]}",),
            )
        )
    elif cell.protocol == "dm-crypt":
        pages.append("docs/disk.md")
        steps.append(
            Step(
                "Disks opened from now on use the driver. Larger sectors make fewer requests; "
                "choose them when you format the disk:",
                (f"cryptsetup luksFormat --sector-size 4096 {_DISK[cell.cipher]} DEVICE",),
            )
        )
    return Setup(tuple(pages), tuple(steps))


_ESP = {
    ("aes-256-cbc", "none"): "aes256",
    ("aes-256-cbc", "sha256"): "aes256-sha256",
    ("aes-256-gcm", "gcm"): "aes256gcm16",
}

_DISK = {
    "aes-128-xts": "--cipher aes-xts-plain64 --key-size 256",
    "aes-256-xts": "--cipher aes-xts-plain64 --key-size 512",
    "aes-256-cbc-essiv": "--cipher aes-cbc-essiv:sha256 --key-size 256",
}


def _by_provider(cell: Cell, board: Profile | None) -> Setup:
    steps = [
        _driver(_given_to_programs(board)),
        Step(
            "Put firesteel.so where `openssl version -m` says, libfiresteel.so.0 where the loader "
            f"looks, and {FILES}/firesteel.cnf at /etc/ssl/firesteel.cnf:",
            lines_of("firesteel.cnf"),
        ),
    ]
    if cell.completion not in (None, USUAL_COMPLETION):
        steps.append(Step("In [firesteel_cores]:", (f"completion = {cell.completion}",)))
    program = _PROGRAMS.get(cell.protocol)
    if program is None:
        steps.append(
            Step("Point the program to it:", ("export OPENSSL_CONF=/etc/ssl/firesteel.cnf",))
        )
        return Setup(("docs/provider.md", "docs/provider-programs.md"), tuple(steps))
    steps.append(
        Step(
            f"Put {FILES}/service.conf at {_DROP_IN.format(program.service)}:",
            lines_of("service.conf"),
        )
    )
    steps += [Step(f"Put {FILES}/{file} at {to}.") for file, to in program.files.items()]
    steps += _of_program(cell)
    return Setup((program.page, "docs/provider-programs.md"), tuple(steps))


def _given_to_programs(board: Profile | None) -> str:
    """The driver keeps an only CryptoMaster for the kernel unless it is told otherwise, which does
    no harm where there are several.
    """
    several = board is not None and sum(cores.aes or cores.hash for cores in board.cores) > 1
    return "" if several else " user=all"


def _of_program(cell: Cell) -> list[Step]:
    if cell.protocol == "openvpn":
        return [_openvpn(cell)]
    if cell.protocol == "ssh":
        steps = [
            Step(
                "For ssh and scp, set it in the user's environment:",
                ("export OPENSSL_CONF=/etc/ssl/firesteel.cnf",),
            ),
            Step(
                "For sshd, let systemd listen, so that each session can use the CryptoMaster:",
                (
                    "systemctl disable --now ssh.service",
                    "systemctl enable --now ssh.socket",
                ),
            ),
        ]
        if cell.cipher.endswith("-ctr"):
            steps.append(
                Step(
                    "For aes256-ctr with OpenSSL 3.5, set in [firesteel_random] of firesteel.cnf:",
                    ("random = HASH-DRBG", "digest = SHA512"),
                )
            )
        return steps
    return []


def _openvpn(cell: Cell) -> Step:
    file = "firesteel-gcm.conf" if cell.mac == "gcm" else "firesteel-cbc.conf"
    data = tuple(line for line in lines_of(f"openvpn/{file}") if not line.startswith("tls-"))
    if cell.mac == "none":
        return Step(
            "Add this to the configuration of both ends. Without a MAC, forged packets go "
            f"unnoticed: use this for measurements only, and otherwise {FILES}/openvpn/{file} as "
            "it is:",
            tuple("auth none" if line.startswith("auth ") else line for line in data),
        )
    return Step(
        f"Put {FILES}/openvpn/{file} into /etc/openvpn/, and add `config {file}` to the "
        "configuration of both ends; it sets for the data channel:",
        data,
    )
