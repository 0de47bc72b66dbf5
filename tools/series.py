# SPDX-License-Identifier: Apache-2.0
"""The driver as a series of patches for the kernel's maintainers (upstream/README.md).

The last patch leads to the whole driver.  `upstream/patches/` says what each patch changes in files
of earlier ones, so the state before a patch is the state after it with that taken back.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firesteel.base.checkout import CHECKOUT, DRIVER, SILEX
from firesteel.base.errors import FiresteelError, reason_of, shortened
from tools import in_tree

UPSTREAM = CHECKOUT / "upstream"

BINDING = CHECKOUT / "docs/devicetree/silex-insight,cryptosoc.yaml"
"""The binding, which users of the module need, too."""

_FOLDER = "drivers/crypto/silex"
_BINDINGS = "Documentation/devicetree/bindings/crypto"
_UAPI = "include/uapi/misc/silex.h"

_SUBMITTER = "The submitter <submitter@example.org>"
_LICENCE = "GPL-2.0-or-later"
"""The kernel wants an exception from it for headers that programs need."""

Tree = dict[str, str]
"""Files by their paths in the kernel's tree."""


@dataclass(frozen=True)
class Identity:
    """Who signs the patches off."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} <{self.address}>"

    @property
    def environment(self) -> dict[str, str]:
        """For git."""
        return {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", self.name), ("EMAIL", self.address))
        }


@dataclass(frozen=True)
class Patch:
    """One patch, and the files that come with it."""

    name: str
    subject: str
    message: str
    new: tuple[str, ...]

    @property
    def changes(self) -> Path:
        """What it changes in files of earlier ones; not there if nothing."""
        return UPSTREAM / "patches" / f"{self.name}.diff"


class Plan:
    """`upstream/series.toml`."""

    def __init__(self) -> None:
        self._read: dict[str, Any] = tomllib.loads(in_tree.read(UPSTREAM / "series.toml"))
        self.includes: Mapping[str, str] = self._read["includes"]
        self.headers: Mapping[str, str] = self._read["headers"]
        self.allowed: Mapping[str, str] = self._read["allowed"]
        self.patches = [
            Patch(
                each["name"],
                each["subject"],
                each["message"].strip() + "\n",
                tuple(name if "/" in name else f"{_FOLDER}/{name}" for name in each["new"]),
            )
            for each in self._read["patch"]
        ]

    @property
    def touched(self) -> list[str]:
        """The kernel's files that the series changes."""
        return list(dict.fromkeys(edit["file"] for edit in self._read["edit"]))

    def with_words(self, text: str) -> str:
        """A text that names places of the kernel's tree."""
        for word, own in self._read["words"].items():
            text = text.replace(word, own)
        return text

    def with_places(self, file: str, text: str) -> str:
        """A source of the driver with what is else in the tree."""
        for place in self._read["place"]:
            if place["file"] != file:
                continue
            text, times = re.subn(place["old"], place["new"], text)
            if times != place.get("times", 1):
                raise FiresteelError(
                    f"upstream/series.toml: `{place['old']}` fits driver/{file} {times} times; it "
                    f"must fit {place.get('times', 1)}."
                )
        return text

    def edit(self, kernel: Tree, patch: str, identity: Identity) -> None:
        """Change the kernel's files as a patch does."""
        for edit in self._read["edit"]:
            if edit["patch"] == patch:
                file = edit["file"]
                kernel[file] = _edited(kernel[file], edit, identity)


def _edited(text: str, edit: Mapping[str, str], identity: Identity) -> str:
    if "section" in edit:
        return _with_section(text, edit["section"].lstrip().replace("@IDENTITY@", str(identity)))
    found = list(re.finditer(edit["behind_last"], text, re.MULTILINE))
    if not found:
        raise FiresteelError(
            f"{edit['file']} of the kernel has no line like `{edit['behind_last']}`, behind which "
            "the series adds its own: correct upstream/series.toml."
        )
    at = found[-1].end()
    return text[:at] + edit["text"] + text[at:]


def _with_section(text: str, section: str) -> str:
    """MAINTAINERS with a section more; its sections begin with a title and have lines `X:`."""
    title = section.partition("\n")[0]
    for match in re.finditer(r"(?<=\n\n)(\S.*)\n[A-Z]:\t", text):
        if match[1] > title and not match[1].startswith("THE REST"):
            return text[: match.start()] + section + "\n" + text[match.start() :]
    raise FiresteelError("MAINTAINERS of the kernel has no section behind which ours would come.")


# ---- the whole driver ----


def whole(plan: Plan, identity: Identity) -> Tree:
    """All files that the series adds, in their state after the last patch."""
    calls = in_tree.calls_of(in_tree.read(DRIVER / in_tree.COMPAT))
    files = {
        f"{_FOLDER}/{path.name}": _source(plan, calls, path.name, in_tree.read(path))
        for path in sorted(DRIVER.glob("*.[ch]"))
        if path.name != in_tree.COMPAT
    }
    files[f"{_FOLDER}/area.h"] = _rest(plan, calls)
    for name, own in plan.headers.items():
        text = in_tree.of_kernel(in_tree.read(SILEX / name))
        for other, its in plan.headers.items():  # Of which it may speak.
            text = re.sub(rf"\b{re.escape(other)}", its, text)
        files[f"{_FOLDER}/{own}"] = _finished(plan, text)
    files[_UAPI] = _uapi(plan)
    files = _formatted(files)
    files[f"{_BINDINGS}/{BINDING.name}"] = in_tree.read(BINDING).replace(_SUBMITTER, str(identity))
    tree = UPSTREAM / "tree"
    for path in sorted(path for path in tree.rglob("*") if path.is_file()):
        files[path.relative_to(tree).as_posix()] = in_tree.read(path)
    return files


def _source(plan: Plan, calls: in_tree.Calls, name: str, text: str) -> str:
    text = calls.applied(plan.with_places(name, text))
    used = any(re.search(rf"\b{rest}\b", text) for rest in calls.rest_names)
    text = text.replace('#include "compat.h"\n', '#include "area.h"\n' if used else "")
    for header, own in plan.headers.items():  # Where the headers of `silex/` are there.
        text = text.replace(f'#include "silex/{header}"', f'#include "{own}"')
    return _finished(plan, text.replace('#include "silex/share.h"\n', "#include <misc/silex.h>\n"))


def _rest(plan: Plan, calls: in_tree.Calls) -> str:
    """What of `driver/compat.h` stands for nothing of the kernel's."""
    text = calls.rest.replace("FIRESTEEL_COMPAT_H", "FIRESTEEL_AREA_H")
    begin = text.index("\nstruct firesteel_area")
    comment = text.rindex("\n\n", 0, begin) if "*/\nstruct" in text[: begin + 8] else begin
    head, _, _ = text.partition("/*\n")
    guard = "#ifndef FIRESTEEL_AREA_H\n#define FIRESTEEL_AREA_H\n\n"
    purpose = "/* An area of an address space that is being made. */\n"
    return _finished(plan, head + purpose + guard + text[comment:].lstrip())


def _uapi(plan: Plan) -> str:
    text = in_tree.read(SILEX / "share.h")
    text = text.replace(_LICENCE, f"({_LICENCE} WITH Linux-syscall-note)", 1)
    text = text.replace('#include "types.h"', "#include <linux/types.h>")
    text = text.replace("SILEX_SHARE_H", "_UAPI_MISC_SILEX_H")
    return in_tree.with_block_comments(plan.with_words(re.sub(r"\buint32_t\b", "__u32", text)))


def _finished(plan: Plan, text: str) -> str:
    text = in_tree.with_includes(plan.with_words(text), plan.includes)
    return in_tree.with_block_comments(text)


def _formatted(files: Tree) -> Tree:
    """Sources in the kernel's style, which replacements may have left."""
    program = Path(sys.executable).with_name("clang-format")
    if not program.exists():
        raise FiresteelError(f"{program} is missing: scripts/series.sh has the right Python.")
    with tempfile.TemporaryDirectory(prefix="firesteel-") as name:
        directory = Path(name)
        shutil.copy(CHECKOUT / ".clang-format", directory)
        _write(directory, files)
        subprocess.run([program, "-i", *files], cwd=directory, check=True)
        return {file: in_tree.read(directory / file) for file in files}


# ---- its states ----


def states(plan: Plan, files: Tree) -> list[Tree]:
    """What the series has added after each patch."""
    _check_places(plan, files)
    found = [files]
    for patch in reversed(plan.patches[1:]):
        before = {file: text for file, text in found[-1].items() if file not in patch.new}
        found.append(_taken_back(before, patch))
    return found[::-1]


def _check_places(plan: Plan, files: Tree) -> None:
    """Every file comes with one patch."""
    named = Counter(file for patch in plan.patches for file in patch.new)
    wrong = [f"{file} comes with {named[file]} patches" for file in files if named[file] != 1]
    wrong += [f"there is no {file}" for file in named if file not in files]
    if wrong:
        raise FiresteelError(f"upstream/series.toml: {'; '.join(wrong)}; each comes with one.")


def _taken_back(tree: Tree, patch: Patch) -> Tree:
    if not patch.changes.exists():
        return tree
    with tempfile.TemporaryDirectory(prefix="firesteel-") as name:
        directory = Path(name)
        _write(directory, tree)
        command = ["git", "apply", "--reverse", "-C1", str(patch.changes)]
        done = subprocess.run(command, cwd=directory, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise FiresteelError(
                f"{patch.changes.relative_to(CHECKOUT)} does not fit the driver any more "
                f"({done.stderr.strip().splitlines()[0]}): see upstream/README.md."
            )
        return {file: in_tree.read(directory / file) for file in tree}


def _write(directory: Path, tree: Tree) -> None:
    for file, text in tree.items():
        path = directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


# ---- the series ----


def write_series(kernel: Path, directory: Path) -> list[Path]:
    """Write the patches for a kernel's source into a new directory; returns them in order.

    Raises `FiresteelError` for a kernel that they do not fit.
    """
    plan, identity = Plan(), who()
    base, version = _kernel_files(plan, kernel)
    if directory.exists():
        raise FiresteelError(f"{shortened(directory)} exists: name a new directory.")
    directory = directory.absolute()
    month = f"{datetime.now(tz=UTC):%B %Y}"  # When interfaces came, and with which kernel.
    after = [
        {
            file: text.replace("@KERNEL@", version).replace("@DATE@", month)
            for file, text in tree.items()
        }
        for tree in states(plan, whole(plan, identity))
    ]
    with tempfile.TemporaryDirectory(prefix="firesteel-") as name:
        repository = Path(name) / "kernel"
        repository.mkdir()
        _commit_all(repository, plan, base, after, identity)
        made = Path(name) / "series"
        command = ["format-patch", "--quiet", "--root", "--cover-letter", "--no-signature"]
        command += ["--zero-commit", f"--output-directory={made}", "base..HEAD"]
        _git(repository, command, identity)
        letter = made / "0000-cover-letter.patch"
        subject, _, text = in_tree.read(UPSTREAM / "cover-letter.txt").partition("\n\n")
        cover = in_tree.read(letter).replace("*** SUBJECT HERE ***", subject)
        cover = cover.replace("*** BLURB HERE ***", text.strip())
        letter.write_text(cover, encoding="utf-8")
        try:
            directory.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(made, directory)
        except OSError as error:
            shutil.rmtree(directory, ignore_errors=True)
            raise FiresteelError(f"{shortened(directory)}: {reason_of(error)}.") from None
    return sorted(directory.iterdir())


def who() -> Identity:
    """Whom git knows on this machine; `FiresteelError` if nobody."""
    values = []
    for variable, key in (("GIT_AUTHOR_NAME", "user.name"), ("GIT_AUTHOR_EMAIL", "user.email")):
        command = ["git", "-C", str(CHECKOUT), "config", key]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        values.append(os.environ.get(variable) or done.stdout.strip())
    if not all(values):
        raise FiresteelError(
            "Patches are signed off, but git knows no name and address: "
            "`git config --global user.name NAME`, `git config --global user.email ADDRESS`."
        )
    return Identity(*values)


def _kernel_files(plan: Plan, kernel: Path) -> tuple[Tree, str]:
    """Those that the series changes, in a kernel that is new enough; and the version that would be
    the first with the driver.
    """
    for name in ("Makefile", *plan.touched):
        if not (kernel / name).is_file():
            raise FiresteelError(f"{shortened(kernel)} is no source of a kernel: it has no {name}.")
    makefile = in_tree.read(kernel / "Makefile")
    found = re.findall(r"^(?:VERSION|PATCHLEVEL) = (\d+)$", makefile, re.MULTILINE)
    version = tuple(int(number) for number in found[:2])
    oldest = in_tree.calls_of(in_tree.read(DRIVER / in_tree.COMPAT)).kernel
    if version < oldest:
        raise FiresteelError(
            f"The series is for Linux {oldest[0]}.{oldest[1]} and later, but {shortened(kernel)} "
            f"is {'.'.join(found[:2])}."
        )
    files = {file: in_tree.read(kernel / file) for file in plan.touched}
    return files, f"{version[0]}.{version[1] + 1}"


def _commit_all(
    repository: Path, plan: Plan, base: Tree, after: Sequence[Tree], identity: Identity
) -> None:
    _git(repository, ["init", "--quiet"], identity)
    kernel = dict(base)
    _commit(repository, kernel, "base", identity)
    _git(repository, ["tag", "base"], identity)
    for patch, tree in zip(plan.patches, after, strict=True):
        plan.edit(kernel, patch.name, identity)
        _commit(repository, kernel | tree, f"{patch.subject}\n\n{patch.message}", identity)


def _commit(repository: Path, tree: Tree, message: str, identity: Identity) -> None:
    _write(repository, tree)
    _git(repository, ["add", "--all", "--force"], identity)
    _git(repository, ["commit", "--quiet", "--signoff", f"--message={message}"], identity)


def _git(repository: Path, command: Sequence[str], identity: Identity) -> None:
    """Without the configuration of whoever calls it, which may sign commits or rename branches."""
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-c", "core.hooksPath=", *command],
        cwd=repository,
        env=environment | own | identity.environment,
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise FiresteelError(f"git {command[0]} failed: {done.stderr.strip()}.")
