# SPDX-License-Identifier: Apache-2.0
"""No module tells workloads, their series of figures, or protocols from each other by their names:
it asks the objects that have them.  So the names are nowhere but in these objects' own modules.
"""

import ast
import re
from pathlib import Path

import pytest

import firesteel
from firesteel.model.cell import ABSENT
from firesteel.protocols.registry import PROTOCOLS
from firesteel.workloads.registry import SERIES, WORKLOADS

ROOT = Path(firesteel.__file__).parent
OWN = ("workloads", "protocols")
NAMES = {*SERIES, *(each.name for each in WORKLOADS), *(each.name for each in PROTOCOLS)}

OTHER_WORDS = {
    # What a cell does without; `NO_TUNNEL` is made of it.
    ("model/cell.py", "none"),
    # No monitor, and no display: options of QEMU.
    ("board/command.py", "none"),
    # What people call the metric `connections`.
    ("model/metrics.py", "handshakes"),
    # A ratio of hardware to software: the head of a column, and a key of advice in JSON.
    ("analysis/verdict.py", "speed"),
    ("cli/advise.py", "speed"),
    ("cli/pareto.py", "speed"),
    ("report/alternatives.py", "speed"),
    ("report/offload.py", "speed"),
    ("report/response.py", "speed"),
    ("report/sweep.py", "speed"),
    ("sensitivity/crossovers.py", "speed"),
    ("sensitivity/summary.py", "speed"),
    ("terminal/advice_table.py", "speed"),
    # Debian's source package with libcrypto.
    ("build/openssl.py", "openssl"),
    # The product with OpenVPN's kernel module.
    ("build/brought.py", "openvpn-dco"),
    ("build/openvpn_dco.py", "openvpn-dco"),
    ("build/portable.py", "openvpn-dco"),
    ("cli/build.py", "openvpn-dco"),
    # The product with the web server, and Debian's package.
    ("build/brought.py", "lighttpd"),
    ("build/lighttpd.py", "lighttpd"),
    ("build/portable.py", "lighttpd"),
    ("cli/build.py", "lighttpd"),
}
"""The same words where they mean something else."""

OBJECTS = {".".join(type(each).__module__.split(".")[:3]) for each in (*WORKLOADS, *PROTOCOLS)}
"""The modules and packages that have a workload or a protocol."""

MODULES = [
    path
    for path in sorted(ROOT.rglob("*"))
    if path.suffix in (".py", ".j2") and path.relative_to(ROOT).parts[0] not in OWN
]


def names_in(source: str) -> set[str]:
    """The names in a module's code, and beginnings and ends of names by which some are chosen."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    prose |= {id(each) for each in map(_instead, ast.walk(tree)) if each}
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    }
    return {text for text in texts if text in NAMES or _is_part(text)}


def _instead(node: ast.AST) -> ast.expr | None:
    """What is said where there is nothing, as in `", ".join(found) or "none"`."""
    last: ast.expr | None = None
    if isinstance(node, ast.BoolOp):
        last = node.values[-1]
    elif isinstance(node, ast.IfExp):
        last = node.orelse
    return last if isinstance(last, ast.Constant) and last.value == ABSENT else None


def _is_part(text: str) -> bool:
    begins = text.endswith("-") and any(name.startswith(text) for name in NAMES)
    ends = text.startswith("-") and any(name.endswith(text) for name in NAMES)
    return len(text) > 1 and (begins or ends)


def imports_in(source: str) -> set[str]:
    """Modules and packages right below those of workloads and protocols that a module imports."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    modules = {node.module or "" for node in nodes}
    modules |= {f"{node.module}.{name.name}" for node in nodes for name in node.names}
    return {".".join(module.split(".")[:3]) for module in modules}


def names_in_template(source: str) -> set[str]:
    """The names that a template's expressions quote."""
    quoted = set(re.findall(r'"([\w-]+)"', " ".join(re.findall(r"{[{%].*?[}%]}", source))))
    return quoted & (NAMES - {ABSENT})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_name_is_known_elsewhere(path: Path) -> None:
    found = (names_in if path.suffix == ".py" else names_in_template)(path.read_text())
    module = str(path.relative_to(ROOT))
    assert {name for name in found if (module, name) not in OTHER_WORDS} == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_object_is_known_elsewhere(path: Path) -> None:
    found = imports_in(path.read_text()) if path.suffix == ".py" else set()
    assert not found & OBJECTS


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('part = rows.filter(pl.col("experiment") == "ping")', {"ping"}),
        ('KINDS = {"file-transfer": 1}', {"file-transfer"}),
        ('name.startswith("disk-") or name.endswith("-decrypt")', {"disk-", "-decrypt"}),
        ('match protocol:\n    case "openvpn":\n        pass', {"openvpn"}),
        ('if row["protocol"] == "none":\n    pass', {"none"}),
        ('def told():\n    """ping"""\n    return ", ".join(names) or "none"', set()),
        ('said = "OpenVPN carries the ping of another host"', set()),
    ],
)
def test_a_name_is_found_in_code_and_not_in_prose(source: str, found: set[str]) -> None:
    assert names_in(source) == found


def test_an_import_is_found() -> None:
    found = imports_in("from firesteel.workloads.disk.table import DiskPlan")
    found |= imports_in("from firesteel.protocols import openvpn")
    assert found & OBJECTS == {"firesteel.workloads.disk", "firesteel.protocols.openvpn"}


def test_a_name_is_found_in_a_template() -> None:
    source = '{% if each.protocol == "ssh" %}"ping" {{ each.of or "none" }}{% endif %}'
    assert names_in_template(source) == {"ssh"}
