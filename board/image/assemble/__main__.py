# SPDX-License-Identifier: Apache-2.0
"""Makes kernel, initramfs and manifest out of an extracted Debian tree; see ../README.md."""

import argparse
import json
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from assemble import build, cpio, kernel, modules, programs
from assemble.errors import AssembleError
from assemble.recipe import read_list

_RECIPE = Path(__file__).resolve().parent.parent
_FOLDERS = ("dev", "etc", "job", "proc", "root", "run", "sys", "tmp", "var/run", "var/log")
_OUR_MODULES = ("cputime", "cryptobench", "nodelay")
_LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib"}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="assemble", description=__doc__)
    parser.add_argument("--tree", type=Path, required=True, help="extracted packages")
    parser.add_argument("--headers", type=Path, required=True, help="unpacked kernel headers")
    parser.add_argument("--packages", type=Path, required=True, help="lines: NAME VERSION")
    parser.add_argument("--output", type=Path, required=True, help="existing directory")
    return parser.parse_args()


def _skeleton(root: Path) -> None:
    for folder in _FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, target in _LINKS.items():
        (root / name).symlink_to(target)
    shutil.copytree(_RECIPE / "overlay", root, dirs_exist_ok=True)
    shutil.copy2(_RECIPE / "init", root / "init")


def _applets(root: Path) -> None:
    """Links for busybox's applets, except where a full program has the name."""
    for applet in read_list(_RECIPE / "applets.txt"):
        taken = any(
            (root / folder / applet).is_symlink() or (root / folder / applet).exists()
            for folder in ("usr/bin", "usr/sbin")
        )
        if not taken:
            (root / "usr/bin" / applet).symlink_to("busybox")
    for name in ("modprobe", "insmod", "rmmod", "lsmod", "modinfo", "depmod"):
        (root / "usr/sbin" / name).symlink_to("../bin/kmod")


def _manifest(packages: Path) -> str:
    versions = dict(line.split() for line in packages.read_text().splitlines())
    return json.dumps(versions, indent=1, sort_keys=True) + "\n"


def _initramfs(tree: Path, headers: Path, work: Path) -> bytes:
    root = work / "root"
    root.mkdir()
    _skeleton(root)
    programs.install(read_list(_RECIPE / "files.txt"), tree, root)
    _applets(root)
    for source in sorted((_RECIPE / "tools").glob("*.c")):
        build.program(source, _RECIPE, root / "usr/bin" / source.stem)
    script = _RECIPE / "module.sh"
    ours = [build.module(_RECIPE / name, headers, script, work / name) for name in _OUR_MODULES]
    modules.install(read_list(_RECIPE / "modules.txt"), tree, root, ours)
    entries = cpio.entries_of(root)
    # The kernel opens the console before init can mount anything.
    entries["dev/console"] = cpio.Entry(stat.S_IFCHR | 0o600, device=(5, 1))
    return cpio.archive(entries)


def _main() -> None:
    arguments = _arguments()
    release = modules.release_of(arguments.tree)
    with tempfile.TemporaryDirectory(prefix="assemble-") as work:
        initramfs = _initramfs(arguments.tree.resolve(), arguments.headers, Path(work))
    bootable = kernel.bootable(arguments.tree / "boot", arguments.headers, release)
    (arguments.output / "kernel").write_bytes(bootable)
    (arguments.output / "initramfs.cpio").write_bytes(initramfs)
    (arguments.output / "manifest.json").write_text(_manifest(arguments.packages))


if __name__ == "__main__":
    try:
        _main()
    except AssembleError as error:
        sys.exit(f"assemble: {error}")
