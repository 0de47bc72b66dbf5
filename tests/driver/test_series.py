# SPDX-License-Identifier: Apache-2.0
"""The patches for the kernel's maintainers: each has its place, applies, and builds in its tree.

What needs a kernel's source has Debian's newest, and is `thorough`.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernels import newer_sparse

from firesteel.base.checkout import CHECKOUT, DRIVER
from firesteel.base.errors import FiresteelError
from firesteel.build.buildroot import BuildRoot, Room, Root, read_list
from firesteel.build.cache import key_of, remove_tree
from firesteel.build.debian import Apt, apt_within, find_mirror, paragraphs
from firesteel.build.products import Products
from tools import in_tree, series

_HERE = Path(__file__).parent
_FOLDER = "drivers/crypto/silex"

KERNEL = {
    "Makefile": "# SPDX\nVERSION = 7\nPATCHLEVEL = 9\nSUBLEVEL = 0\n",
    "MAINTAINERS": "Maintainers List\n----------------\n\n3C59X NETWORK DRIVER\nM:\tA\n\n"
    "SILEAD TOUCHSCREEN DRIVER\nM:\tB\n\nSILICON LABS WIRELESS DRIVERS\nM:\tC\n\nTHE REST\nM:\tD\n",
    "drivers/crypto/Kconfig": 'if CRYPTO_HW\nsource "drivers/crypto/aspeed/Kconfig"\n\nendif\n',
    "drivers/crypto/Makefile": "obj-y += stm32/\nobj-$(CONFIG_X) += a.o\n",
    "Documentation/crypto/device_drivers/index.rst": ".. toctree::\n\n   octeontx2\n",
}
"""As much of a kernel's source as the series changes."""


def stand_in(directory: Path) -> Path:
    for name, text in KERNEL.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return directory


@pytest.fixture(scope="module", autouse=True)
def identity() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_AUTHOR_NAME", "A U Thor")
        patch.setenv("GIT_AUTHOR_EMAIL", "author@example.com")
        yield


@pytest.fixture(scope="module")
def patches(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    directory = tmp_path_factory.mktemp("series")
    return series.write_series(stand_in(directory / "kernel"), directory / "patches")


@pytest.fixture(scope="module")
def trees(patches: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[series.Tree]:
    """The kernel's tree after each patch, by git."""
    directory = stand_in(tmp_path_factory.mktemp("tree"))
    found = []
    for patch in patches[1:]:
        subprocess.run(["git", "apply", "--whitespace=error", patch], cwd=directory, check=True)
        files = [path for path in directory.rglob("*") if path.is_file()]
        found.append({str(path.relative_to(directory)): path.read_text() for path in files})
    return found


# ---- the series ----


def test_the_last_patch_leads_to_the_whole_driver(trees: list[series.Tree]) -> None:
    whole = series.whole(series.Plan(), series.Identity("A U Thor", "author@example.com"))
    added = {file: text for file, text in trees[-1].items() if file not in KERNEL}
    assert set(added) == set(whole)
    sources = [file for file in whole if file.startswith(_FOLDER)]
    assert {file: added[file] for file in sources} == {file: whole[file] for file in sources}
    names = {path.name for path in DRIVER.glob("*.[ch]")} - {in_tree.COMPAT}
    assert names <= {Path(file).name for file in sources}


def test_they_come_in_the_order_of_maintainers(patches: list[Path]) -> None:
    subjects = [
        re.search(r"^Subject: \[PATCH (\S+)\] ((?:.|\n )*)", path.read_text(), re.M)
        for path in patches
    ]
    assert [match and match[1] for match in subjects] == [
        f"{number:02}/{len(patches) - 1:02}" for number in range(len(patches))
    ]
    first = patches[1].read_text()
    assert re.findall(r"^\+\+\+ b/(.*)$", first, re.M) == [
        "Documentation/devicetree/bindings/crypto/silex-insight,cryptosoc.yaml"
    ]


def test_each_is_signed_off(patches: list[Path]) -> None:
    signed = "Signed-off-by: A U Thor <author@example.com>\n"
    assert all(signed in path.read_text() for path in patches[1:])
    assert "order belongs to xfrm" in patches[0].read_text()


def test_the_driver_s_half_needs_none_of_the_extras(trees: list[series.Tree]) -> None:
    """Before the extras, no source speaks of them."""
    names = [patch.name for patch in series.Plan().patches]
    extras = {
        "order": r"firesteel_order|order\.h",
        "pci": r"\bpci_|linux/pci\.h",
        "costs": r"calibrate|trial|firesteel_cost\b",
        "verify": r"firesteel_verif|verified|WRONG_RESULT",
        "programs": r"uio|firesteel_owner|microcode_file|misc/silex\.h",
    }
    for name, word in extras.items():
        for tree in trees[: names.index(name)]:
            sources = {file: text for file, text in tree.items() if file.endswith((".c", ".h"))}
            assert not [file for file, text in sources.items() if re.search(word, text)], name


def test_every_state_has_what_it_includes_and_builds(trees: list[series.Tree]) -> None:
    for tree in trees[1:]:
        sources = {file: text for file, text in tree.items() if file.startswith(f"{_FOLDER}/")}
        for file, text in sources.items():
            included = re.findall(r'^#include "(.*)"$', text, re.MULTILINE)
            assert not [name for name in included if f"{_FOLDER}/{name}" not in tree], file
        objects = set(re.findall(r"([\w-]+)\.o\b", tree[f"{_FOLDER}/Makefile"])) - {"firesteel"}
        assert objects == {Path(file).stem for file in sources if file.endswith(".c")}


def test_there_is_one_kernel_and_no_invented_card(trees: list[series.Tree]) -> None:
    for file, text in trees[-1].items():
        if file.startswith(_FOLDER):
            assert not re.search(
                r"LINUX_VERSION|compat\.h|f158|firesteel,silex|silex/|docs/", text
            ), file
    assert "MODULE_DEVICE_TABLE(of, ids);" in trees[-1][f"{_FOLDER}/platform.c"]


def test_the_kernel_s_files_have_it_in_place(trees: list[series.Tree]) -> None:
    maintainers = trees[-1]["MAINTAINERS"]
    titles = re.findall(r"(?<=\n\n)(\S.*)\n[A-Z]:\t", maintainers)
    assert titles[1:4] == [
        "SILEAD TOUCHSCREEN DRIVER",
        "SILEX INSIGHT CRYPTOGRAPHIC CORES",
        "SILICON LABS WIRELESS DRIVERS",
    ]
    for pattern in re.findall(r"^F:\t(.*)$", maintainers, re.MULTILINE):
        assert [file for file in trees[-1] if file.startswith(pattern)], pattern
    assert 'silex/Kconfig"\n\nendif' in trees[-1]["drivers/crypto/Kconfig"]
    assert "M:\tA U Thor <author@example.com>\n" in maintainers


# ---- what cannot be made ----


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "is no source of a kernel: it has no Makefile"),
        (
            {"Makefile": "VERSION = 6\nPATCHLEVEL = 12\n"},
            r"for Linux 7\.\d and later, but .* is 6\.12",
        ),
        (
            {"drivers/crypto/Makefile": "obj-y += a.o\n"},
            "drivers/crypto/Makefile of the kernel has no line",
        ),
    ],
)
def test_another_kernel_is_refused(tmp_path: Path, files: dict[str, str], said: str) -> None:
    kernel = tmp_path / "kernel"
    if files:
        stand_in(kernel)
    for name, text in files.items():
        (kernel / name).write_text(text)
    with pytest.raises(FiresteelError, match=said):
        series.write_series(kernel, tmp_path / "patches")
    assert not (tmp_path / "patches").exists()


def test_nobody_signs_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "CHECKOUT", tmp_path)
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    for scope in ("GLOBAL", "SYSTEM"):
        monkeypatch.setenv(f"GIT_CONFIG_{scope}", "/dev/null")
    with pytest.raises(FiresteelError, match="git knows no name and address"):
        series.who()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError, match="exists: name a new directory"):
        series.write_series(stand_in(tmp_path / "kernel"), tmp_path / "kernel")


def test_a_change_that_does_not_fit_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream = shutil.copytree(series.UPSTREAM, tmp_path / "upstream")
    changes = upstream / "patches/programs.diff"
    changes.write_text(changes.read_text().replace("+#include", "+#includes"))
    monkeypatch.setattr(series, "UPSTREAM", upstream)
    monkeypatch.setattr(series, "CHECKOUT", tmp_path)
    monkeypatch.setattr(series, "_formatted", lambda files: files)
    with pytest.raises(
        FiresteelError, match=r"upstream/patches/programs\.diff does not fit the driver"
    ):
        series.write_series(stand_in(tmp_path / "kernel"), tmp_path / "patches")


def test_the_newest_kernel_s_calls_replace_ours() -> None:
    compat = """\
#ifndef FIRESTEEL_COMPAT_H
#define FIRESTEEL_COMPAT_H

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define firesteel_a new_a
#else
#define firesteel_a old_a
#endif

#ifndef lacking /* before 5.11 */
#define lacking() ((void)0)
#endif

#ifdef NEW_FLAG
#define FIRESTEEL_FLAG NEW_FLAG
#else
#define FIRESTEEL_FLAG OLD_FLAG
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
static inline void firesteel_b(int old)
{
}
#else
/* As it is */
static inline int firesteel_b(int x, int *y)
{
	return new_b(y, x);
}
#endif

struct firesteel_c {
	int member;
};

#endif
"""
    calls = in_tree.calls_of(compat)
    assert calls.kernel == (7, 1)
    assert (
        calls.applied("firesteel_a(firesteel_b(f(1, 2), &z));\n") == "new_a(new_b(&z, f(1, 2)));\n"
    )
    assert calls.applied("flags = FIRESTEEL_FLAG;\n") == "flags = NEW_FLAG;\n"
    assert "struct firesteel_c" in calls.rest
    assert not re.search("lacking|firesteel_b|old_a", calls.rest)
    with pytest.raises(FiresteelError, match="defines a name twice"):
        in_tree.calls_of(compat.replace("#ifdef NEW_FLAG", "#if defined(NEW_FLAG)"))


# ---- the binding ----


@pytest.fixture(scope="module")
def products() -> Products:
    return Products()


@pytest.fixture(scope="module")
def root(products: Products) -> BuildRoot:
    """The root with all that builds and checks a kernel, made if need be."""
    packages = read_list(_HERE / "packages.txt")
    made = Root("series-root", "root for the kernel's source", packages)
    return made.make(products.cache, products.runner)


@pytest.fixture(scope="module")
def schemas(products: Products) -> Path:
    """The tree of dtschema, whose programs run in the root."""
    requirements = CHECKOUT / "requirements/binding.txt"

    def build(partial: Path) -> None:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
        command += ["--require-hashes", "--only-binary=:all:", f"--target={partial}"]
        products.runner.run("Fetching dtschema", [*command, f"--requirement={requirements}"])
        for program in (partial / "bin").iterdir():
            program.write_text(re.sub(r"\A#!.*", "#!/usr/bin/python3", program.read_text()))

    return products.cache.product("dtschema", key_of({"lock": requirements.read_text()}), build)


def binding_said(products: Products, root: BuildRoot, schemas: Path, work: Path) -> str:
    """What dtschema says of the binding in `work` and of its examples."""
    command = ["sh", "/firesteel/check-binding.sh", "/firesteel/work", series.BINDING.name]
    readable = {"/firesteel/dtschema": schemas}
    readable["/firesteel/check-binding.sh"] = _HERE / "check-binding.sh"
    room = Room({"/firesteel/work": work}, readable)
    root.run(products.runner, "Checking the binding", command, room)
    return (work / "messages").read_text()


def _lay_out_binding(trees: list[series.Tree], work: Path) -> Path:
    path = work / "crypto" / series.BINDING.name
    path.parent.mkdir()
    (text,) = (text for file, text in trees[0].items() if file.endswith(series.BINDING.name))
    path.write_text(text)
    return path


def test_the_binding_is_valid(
    products: Products, root: BuildRoot, schemas: Path, trees: list[series.Tree], tmp_path: Path
) -> None:
    _lay_out_binding(trees, tmp_path)
    assert binding_said(products, root, schemas, tmp_path) == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  resets:\n", "  reset:\n", "reset"),
        ('interrupt-names = "pk";', 'interrupt-names = "rng";', "rng"),
        ("const: silex-insight,cryptosoc", "cons: silex-insight,cryptosoc", "cons"),
    ],
)
def test_a_wrong_binding_is_not(
    products: Products,
    root: BuildRoot,
    schemas: Path,
    trees: list[series.Tree],
    tmp_path: Path,
    old: str,
    new: str,
    said: str,
) -> None:
    path = _lay_out_binding(trees, tmp_path)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert said in binding_said(products, root, schemas, tmp_path)


# ---- in a kernel's tree ----


def as_much(source: Path, directory: Path) -> Path:
    """Of a kernel's source the files that the series changes, for which it is made."""
    (package,) = source.glob("*.deb")
    pattern = "./usr/src/linux-source-*.tar.xz"
    names = [f"*/{name}" for name in KERNEL]
    outer = ["dpkg-deb", "--fsys-tarfile", str(package)]
    inner = ["tar", "--extract", "--to-stdout", "--wildcards", pattern]
    files = ["tar", "--extract", "--xz", "--strip-components=1", "--wildcards"]
    files += [f"--directory={directory}", "--no-wildcards-match-slash", *names]
    with (
        subprocess.Popen(outer, stdout=subprocess.PIPE) as package_tar,
        subprocess.Popen(inner, stdin=package_tar.stdout, stdout=subprocess.PIPE) as source_tar,
    ):
        subprocess.run(files, stdin=source_tar.stdout, check=True)
    return directory


def _source(products: Products, apt: Apt, name: str, version: str) -> Path:
    def build(partial: Path) -> None:
        apt.download(f"the source of Linux {version}", [name], partial)

    key = key_of({"source": name, "version": version})
    return products.cache.product("newest-kernel-source", key, build)


def newest_source(products: Products, work: Path) -> Path:
    """A directory with Debian's newest package of a kernel's source, fetched if need be."""
    for suite in ("experimental", "sid"):
        try:
            mirror = find_mirror(suite)
        except FiresteelError:
            continue
        with apt_within(work, products.runner, mirror=mirror) as apt:
            shown = next(paragraphs(apt.show(["linux-source"])), {})
            if match := re.search(r"linux-source-\d[\w.]*", shown.get("Depends", "")):
                return _source(products, apt, match[0], shown["Version"])
    pytest.skip("Debian's experimental and sid on the mirror have no package linux-source.")


@pytest.mark.thorough
@pytest.mark.parametrize("architecture", ["arm", "arm64"])
def test_each_builds_in_the_kernel_s_tree(
    products: Products,
    root: BuildRoot,
    schemas: Path,
    tmp_path: Path,
    architecture: str,
) -> None:
    """Compiler, sparse, checkpatch, dt_binding_check say only what upstream/series.toml allows."""
    source = newest_source(products, tmp_path)
    work, kernel = tmp_path / "work", tmp_path / "kernel"
    for directory in (work, kernel):
        directory.mkdir()
    series.write_series(as_much(source, kernel), tmp_path / "patches")
    readable = {
        "/firesteel/build-series.sh": _HERE / "build-series.sh",
        "/firesteel/source": source,
        "/firesteel/series": tmp_path / "patches",
        "/firesteel/sparse": newer_sparse(products),
        "/firesteel/dtschema": schemas,
    }
    command = ["sh", "/firesteel/build-series.sh", architecture]
    room = Room({"/firesteel/work": work}, readable)
    root.run(products.runner, f"Building the series for {architecture}", command, room)
    said = (work / "messages").read_text().splitlines()
    remove_tree(work)
    allowed = series.Plan().allowed
    assert [line for line in said if not any(f":{name}: " in line for name in allowed)] == []
