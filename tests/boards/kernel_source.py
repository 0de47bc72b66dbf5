# SPDX-License-Identifier: Apache-2.0
"""Files of the source of the image's kernel, as Debian has it."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from firesteel.build import fetched
from firesteel.build.buildroot import Context
from firesteel.build.debian import extract
from firesteel.build.products import Products


def package(products: Products) -> tuple[Path, str]:
    """The directory with the package of the source, fetched if need be; its name and version."""
    at = Context(products.cache, products.runner, products.architecture)
    source, name, version = fetched.kernel_source(at, products.packages())
    return source, f"{name} {version}"


def take_files(source: Path, names: Sequence[str], target: Path) -> None:
    """Put files of one folder of the source, by their paths there, into `target`."""
    with TemporaryDirectory(prefix="firesteel-") as directory:
        extract(source, Path(directory))
        (archive,) = Path(directory).glob("usr/src/linux-source-*.tar.xz")
        command = ["tar", "--extract", f"--file={archive}", f"--directory={target}"]
        # The first of each is enough: the rest of the archive need not be read.
        command += ["--occurrence=1", "--strip-components=2", "--no-same-owner"]
        top = archive.name.removesuffix(".tar.xz")
        subprocess.run([*command, *(f"{top}/{name}" for name in names)], check=True)
