# SPDX-License-Identifier: Apache-2.0
"""Makes kernel, initramfs and manifest out of an extracted Debian tree; see ../README.md.

A recipe that does not fit the packages is one sentence, with status 1.
"""

import argparse
import json
import lzma
import re
import shutil
import stat
import struct
import subprocess
import tempfile
from pathlib import Path

from assemble.kernel import bootable

_RECIPE = Path(__file__).resolve().parent.parent
_FOLDERS = ("dev", "etc", "job", "proc", "root", "run", "sys", "tmp", "var/run", "var/log")
_OUR_MODULES = ("cputime", "cryptobench", "nodelay")
_LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib"}
_OF_KMOD = ("modprobe", "insmod", "rmmod", "lsmod", "modinfo", "depmod")

_CFLAGS = ("-std=c17", "-O2", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-static")
_LIBRARIES = ("usr/lib/@TRIPLET@", "usr/lib/ipsec")
_NEEDED = re.compile(r"\(NEEDED\)\s+Shared library: \[(.+)\]")

_SUFFIX = ".ko.xz"
_SIGNATURE_MAGIC = b"~Module signature appended~\n"
_SIGNATURE_INFO = struct.Struct(">8xI")
_DEPENDS = re.compile(rb"\0(?:depends=|softdep=pre:)([^\0]*)(?=\0)")


def _main() -> None:
    parser = argparse.ArgumentParser(prog="assemble", description=__doc__)
    parser.add_argument("--tree", type=Path, required=True, help="extracted packages")
    parser.add_argument("--headers", type=Path, required=True, help="unpacked kernel headers")
    parser.add_argument("--packages", type=Path, required=True, help="lines: NAME VERSION")
    parser.add_argument("--output", type=Path, required=True, help="existing directory")
    told = parser.parse_args()
    tree, output = told.tree.resolve(), told.output
    releases = sorted(path.name for path in (tree / "usr/lib/modules").iterdir())
    if len(releases) != 1:
        raise SystemExit(f"assemble: the tree has modules of {len(releases)} kernels, not of one")
    with tempfile.TemporaryDirectory(prefix="assemble-") as work:
        initramfs = _initramfs(tree, told.headers, releases[0], Path(work))
    (output / "initramfs.cpio").write_bytes(initramfs)
    (output / "kernel").write_bytes(bootable(tree / "boot", told.headers, releases[0]))
    versions = dict(line.split() for line in told.packages.read_text().splitlines())
    (output / "manifest.json").write_text(json.dumps(versions, indent=1, sort_keys=True) + "\n")


def _initramfs(tree: Path, headers: Path, release: str, work: Path) -> bytes:
    root = work / "root"
    root.mkdir()
    for folder in _FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, target in _LINKS.items():
        (root / name).symlink_to(target)
    shutil.copytree(_RECIPE / "overlay", root, dirs_exist_ok=True)
    shutil.copy2(_RECIPE / "init", root / "init")
    _install_programs(tree, root)
    _link_applets(root)
    for source in sorted((_RECIPE / "tools").glob("*.c")):
        program = root / "usr/bin" / source.stem
        _run("@TRIPLET@-gcc", *_CFLAGS, f"-I{_RECIPE}", "-o", program, source)
        _run("@TRIPLET@-strip", program)
    _install_modules(tree, root, headers, release, work)
    return _cpio(root)


def _run(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
    if done.returncode != 0:
        told = f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}"
        raise SystemExit(f"assemble: {told}")
    return done.stdout


def _list(name: str) -> list[str]:
    """The items of a list of the recipe: one item a line, `#` starts a comment."""
    lines = (_RECIPE / name).read_text().splitlines()
    return [item for line in lines if (item := line.split("#", 1)[0].strip())]


def _link_applets(root: Path) -> None:
    """Links for busybox's applets, except where a full program has the name."""
    for applet in _list("applets.txt"):
        places = [root / folder / applet for folder in ("usr/bin", "usr/sbin")]
        if not any(place.is_symlink() or place.exists() for place in places):
            places[0].symlink_to("busybox")
    for name in _OF_KMOD:
        (root / "usr/sbin" / name).symlink_to("../bin/kmod")


def _install_programs(tree: Path, target: Path) -> None:
    """Copies the files that the recipe's patterns match, with the libraries that they need."""
    pending: list[str] = []
    for pattern in _list("files.txt"):
        found = [path for path in tree.glob(pattern) if path.is_symlink() or path.is_file()]
        if not found:
            raise SystemExit(f"assemble: files.txt: no file of the packages matches {pattern!r}")
        pending += [path.relative_to(tree).as_posix() for path in found]
    done: set[str] = set()
    while pending:
        name = pending.pop()
        if name in done:
            continue
        done.add(name)
        source, copy = tree / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy, follow_symlinks=False)
        if source.is_symlink():
            if not (linked := source.readlink()).is_absolute():
                pending.append((source.parent / linked).resolve().relative_to(tree).as_posix())
        elif source.read_bytes().startswith(b"\x7fELF"):
            needed = _NEEDED.findall(_run("@TRIPLET@-readelf", "--dynamic", source))
            pending += [_library(library, tree, name) for library in needed]


def _library(name: str, tree: Path, user: str) -> str:
    for folder in _LIBRARIES:
        if (tree / folder / name).exists():
            return f"{folder}/{name}"
    raise SystemExit(f"assemble: {user} needs the library {name}, which no listed package has")


def _install_modules(tree: Path, target: Path, headers: Path, release: str, work: Path) -> None:
    """Puts the listed kernel modules and those that they need into `target`, unpacked, and ours,
    built there; and writes their index with depmod.
    """
    source = (tree / "usr/lib/modules" / release).resolve()
    home = target / "usr/lib/modules" / release
    paths = sorted(source.rglob("*" + _SUFFIX))
    available = {_canonical(path.name.removesuffix(_SUFFIX)): path for path in paths}
    pending: list[str] = []
    for item in _list("modules.txt"):
        folder = (source / item).resolve() if item.endswith("/") else None
        name = _canonical(item)
        found = [each for each, path in available.items() if path.parent == folder or each == name]
        if not found:
            raise SystemExit(f"assemble: modules.txt: the kernel package has no module {item!r}")
        pending += found
    done: set[str] = set()
    while pending:
        name = pending.pop()
        if name in done or name not in available:
            continue  # not in the package as a file: built into the kernel
        done.add(name)
        module = _unsigned(lzma.decompress(available[name].read_bytes()))
        _write(home / available[name].relative_to(source).with_suffix(""), module)
        for match in _DEPENDS.finditer(module):
            needs = re.split(r"[ ,]+", match.group(1).decode())
            pending += [_canonical(need) for need in needs if need]
    for name in _OUR_MODULES:
        for file in (_RECIPE / name).iterdir():
            _write(work / name / file.name, file.read_bytes())
        _run(_RECIPE / "module.sh", headers, work / name)
        _write(home / "extra" / f"{name}.ko", (work / name / f"{name}.ko").read_bytes())
    for index in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        _write(home / index, (source / index).read_bytes())
    _run("depmod", "-b", target, release)


def _canonical(name: str) -> str:
    return name.replace("-", "_")


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _unsigned(module: bytes) -> bytes:
    """The module without Debian's signature, which takes 0.5 s of RSA in the guest to verify."""
    if not module.endswith(_SIGNATURE_MAGIC):
        return module
    info_end = len(module) - len(_SIGNATURE_MAGIC)
    info_start = info_end - _SIGNATURE_INFO.size
    (signature_length,) = _SIGNATURE_INFO.unpack(module[info_start:info_end])
    return module[: info_start - signature_length]


def _cpio(root: Path) -> bytes:
    """An archive in the kernel's `newc` format that depends on the contents of a tree alone.

    Entries are sorted by name; inode numbers count up from 1; root owns everything; times are 0;
    modes are 0755 (executables and directories) or 0644, so that the umask of whoever unpacked the
    packages does not matter.
    """
    entries: dict[str, tuple[int, bytes, tuple[int, int]]] = {}
    for path in root.rglob("*"):
        if path.is_symlink():
            entry = stat.S_IFLNK | 0o777, str(path.readlink()).encode()
        elif path.is_dir():
            entry = stat.S_IFDIR | 0o755, b""
        else:
            executable = path.stat().st_mode & 0o100
            entry = stat.S_IFREG | (0o755 if executable else 0o644), path.read_bytes()
        entries[path.relative_to(root).as_posix()] = (*entry, (0, 0))
    # The kernel opens the console before init can mount anything.
    entries["dev/console"] = (stat.S_IFCHR | 0o600, b"", (5, 1))
    records = [_record(name, n, *entries[name]) for n, name in enumerate(sorted(entries), 1)]
    return b"".join(records) + _record("TRAILER!!!", 0, 0, b"", (0, 0))


def _record(name: str, inode: int, mode: int, content: bytes, device: tuple[int, int]) -> bytes:
    raw = name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    numbers = (inode, mode, 0, 0, links, 0, len(content), 0, 0, *device, len(raw), 0)
    head = b"070701" + b"".join(b"%08X" % number for number in numbers) + raw
    return head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4)


if __name__ == "__main__":
    _main()
