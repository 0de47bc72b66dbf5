# SPDX-License-Identifier: Apache-2.0
"""How a program is given the cores: the ready-made files of the checkout, and the lines to write.

The files and the pages that are named are those of `provider/configurations/` and `docs/`; what
they say is read from them, so that it is never another thing here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.board.profile import Profile
from firesteel.model.cell import USUAL_COMPLETION, Cell

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
class Program:
    """What one program needs besides OpenSSL's configuration: the page that describes it, the
    service that gets the provider, if any, ready-made `files` → where they go, and further steps.
    """

    page: str
    service: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    steps: Sequence[Step] = ()


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
        ("modprobe -a authenc uio", f"insmod firesteel.ko{parameters}"),
    )


def nginx(*steps: Step) -> Program:
    """A web server with its ready-made files; `steps` are what else is to be done."""
    settings = "worker_processes|ssl_protocols|ssl_prefer_server_ciphers"
    once = Step(
        "nginx takes each of their settings once; delete those that Debian's nginx.conf has too:",
        (rf"sed -i -E '/^\s*({settings})\s/d' /etc/nginx/nginx.conf",),
    )
    files = {
        "nginx/firesteel-main.conf": "/etc/nginx/modules-enabled/firesteel.conf",
        "nginx/firesteel.conf": "/etc/nginx/conf.d/firesteel.conf",
    }
    return Program("docs/provider-nginx.md", "nginx", files, [once, *steps])


def by_driver(cell: Cell, page: str = "", *steps: Step) -> Setup:
    """The kernel's users take the driver's algorithms, which have the highest priority, by name;
    `steps` are what else one of them needs, as `page` says.
    """
    completion = cell.completion or USUAL_COMPLETION
    parameters = "" if completion == USUAL_COMPLETION else f" completion={completion}"
    all_steps = (
        _driver(parameters),
        Step("Check that the kernel has its algorithms:", ("grep -A8 firesteel /proc/crypto",)),
        *steps,
    )
    return Setup(("docs/driver.md", page) if page else ("docs/driver.md",), all_steps)


def by_provider(cell: Cell, board: Profile | None, program: Program | None = None) -> Setup:
    """Programs take OpenSSL's provider; any but those we know is pointed to its configuration."""
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
    if program is None:
        steps.append(
            Step("Point the program to it:", ("export OPENSSL_CONF=/etc/ssl/firesteel.cnf",))
        )
        return Setup(("docs/provider.md", "docs/provider-programs.md"), tuple(steps))
    if program.service:
        drop_in = f"Put {FILES}/service.conf at {_DROP_IN.format(program.service)}:"
        steps.append(Step(drop_in, lines_of("service.conf")))
    steps += [Step(f"Put {FILES}/{file} at {to}.") for file, to in program.files.items()]
    steps += program.steps
    return Setup((program.page, "docs/provider-programs.md"), tuple(steps))


def by_front_end(board: Profile | None, page: str, *steps: Step) -> Setup:
    """A program preloads what brings the cores under another library than OpenSSL, as `page` says;
    `steps` follow the driver's.
    """
    return Setup((page,), (_driver(_given_to_programs(board)), *steps))


def _given_to_programs(board: Profile | None) -> str:
    """The driver keeps all CryptoMasters for the kernel unless it is told otherwise."""
    several = board is not None and sum(cores.aes or cores.hash for cores in board.cores) > 1
    return " user=last" if several else " user=all"
