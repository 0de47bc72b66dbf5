# SPDX-License-Identifier: Apache-2.0
"""The Python packages of the lab as wheels, for any version of CPython on x86-64 Linux."""

import sys
from pathlib import Path

from packaging.requirements import Requirement

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.build.cache import Cache, key_of
from firesteel.build.progress import Runner

PYTHONS = ("3.11", "3.12", "3.13")
"""The versions that the lab supports (`scripts/venv.sh`)."""

GLIBC = (2, 28)
"""The oldest C library that the wheels may need."""

REQUIREMENTS = CHECKOUT / "requirements" / "run.txt"
"""What the lab needs, with hashes."""

_OLDEST = 17
_LEGACY = "manylinux2014_x86_64"


def fetch(cache: Cache, runner: Runner, python: str) -> list[Path]:
    """The wheels for a version of Python, fetched by pip and held against their hashes if need be.

    Raises `FiresteelError` when the package index cannot be reached, or a package has no wheel.
    """
    text = requirements_for(python, REQUIREMENTS.read_text(encoding="utf-8"))

    def build(partial: Path) -> None:
        list_ = partial / "requirements.txt"
        list_.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
        command += ["download", "--quiet", "--retries", "2", "--no-deps", "--require-hashes"]
        command += ["--only-binary", ":all:", "--implementation", "cp", "--python-version", python]
        for platform in _platforms():
            command += ["--platform", platform]
        command += ["--dest", str(partial), "--requirement", str(list_)]
        runner.run(f"Fetching the packages for Python {python}", command)
        list_.unlink()

    key = key_of({"python": python, "requirements": text, "platforms": " ".join(_platforms())})
    return sorted(cache.product("wheels", key, build).glob("*.whl"))


def requirements_for(python: str, text: str) -> str:
    """Those lines of a requirements file with hashes that count for a version of CPython on Linux,
    without their conditions: pip would hold these against the Python that it runs on.
    """
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
        "sys_platform": "linux",
        "os_name": "posix",
    }
    lines: list[str] = []
    counts = False
    for line in text.splitlines():
        if line.startswith(" "):
            if counts:
                lines.append(line)
        elif line and not line.startswith("#"):
            wanted = Requirement(line.removesuffix("\\"))
            counts = wanted.marker is None or wanted.marker.evaluate(environment)
            if counts:
                lines.append(f"{wanted.name}{wanted.specifier} \\")
    return "".join(f"{line}\n" for line in lines)


def check_python(python: str) -> None:
    """Refuse a version that the lab does not support with a `FiresteelError`."""
    if python not in PYTHONS:
        raise FiresteelError(f"Python {python}: allowed are {', '.join(PYTHONS)}.")


def _platforms() -> list[str]:
    """The tags that wheels may have, the newest C library first."""
    major, newest = GLIBC
    tags = [f"manylinux_{major}_{minor}_x86_64" for minor in range(newest, _OLDEST - 1, -1)]
    return [*tags, _LEGACY]
