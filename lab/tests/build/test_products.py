# SPDX-License-Identifier: Apache-2.0
"""What cannot be built is refused in one sentence, and nothing is left of the attempt."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from firesteel.architectures.armhf import ARMHF
from firesteel.base.checkout import BOARD
from firesteel.base.errors import FiresteelError
from firesteel.build import debian, doctor, fetched, image
from firesteel.build.buildroot import read_list
from firesteel.build.products import Products
from firesteel.build.progress import Runner
from firesteel.build.recipes import qemu_recipe


@pytest.fixture
def products(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Products:
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    return Products(Runner(tmp_path / "logs", Console(file=io.StringIO())))


def test_a_mirror_out_of_reach(
    products: Products, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTEEL_MIRROR", "http://127.0.0.1:1/debian")
    monkeypatch.setattr(doctor, "BEFORE_BUILDING", (doctor.check_architecture,))
    for make, kind in ((products.build_root, "build-root"), (products.emulator, "qemu-source")):
        with pytest.raises(FiresteelError, match="^No Debian archive"):
            make()
        assert list((tmp_path / "cache" / kind).iterdir()) == []


def test_a_machine_that_lacks_something(
    products: Products, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = replace(doctor.this_machine(), free_space=lambda _: 2**20)
    monkeypatch.setattr(doctor, "this_machine", lambda: full)
    monkeypatch.setattr(doctor, "BEFORE_BUILDING", (doctor.check_space,))
    with pytest.raises(FiresteelError, match=r"5\.0 GiB"):
        products.image()
    assert not (tmp_path / "cache" / "packages").exists()


# ---- what goes into builds is what was pinned ----


def test_another_version_than_the_pinned_one_is_refused_in_one_sentence(tmp_path: Path) -> None:
    for version in ("1:10.0.13+ds-0+deb13u1", "1:10.0.2+ds-2", "10.0.0"):
        fetched.check_qemu(version)
    for version in ("1:10.1.0+ds-1", "1:7.2+dfsg-7+deb12u16", "1:10.01", "11.0.0"):
        told = re.escape(version.removeprefix("1:").split("+")[0])
        with pytest.raises(FiresteelError, match=f"^.*QEMU {told}.* fit only 10.0.x.*$"):
            fetched.check_qemu(version)
    fetched.check_openvpn_dco("0.0+git20241121-1+deb13u1")
    (tmp_path / "openvpn-dco-dkms_0.2.20260101-1_all.deb").touch()
    version = debian.version_in(tmp_path, "openvpn-dco-dkms")
    with pytest.raises(FiresteelError, match=r"^.*20260101-1, .* for 0\.0\+git20241121"):
        fetched.check_openvpn_dco(version)


def test_a_source_without_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "qemu.dsc").write_text("Source: qemu\n")
    with pytest.raises(FiresteelError, match="has no version"):
        fetched.source_version(tmp_path)


def test_the_emulator_is_made_of_devices_and_the_model_without_its_tests() -> None:
    parts = qemu_recipe()
    wanted = {"build.sh", "devices/lockstep.c", "probe.h", "silex/soc.h", "model/silex-model.h"}
    assert wanted <= parts.keys()
    assert all(path.exists() for path in parts.values())
    assert not [name for name in parts if "test" in name or "fuzz" in name or "bench" in name]
    assert "devices/layers.txt" not in parts


def test_headers_and_source_are_those_of_the_kernel() -> None:
    release = "6.12.107+deb13"
    packages = f"libc6 2.41-12\nlinux-image-{release}-armmp 6.12.107-1\nlinux-image-armmp 6.12-1\n"
    assert image.header_packages(packages, ARMHF) == [
        f"linux-headers-{release}-armmp:armhf=6.12.107-1",
        f"linux-headers-{release}-common=6.12.107-1",
        f"linux-kbuild-{release}:amd64=6.12.107-1",
    ]
    assert fetched.kernel_source_of(packages) == ("linux-source-6.12", "6.12.107-1")
    with pytest.raises(FiresteelError, match="brings 0 kernels"):
        image.header_packages("libc6 2.41-12\n", ARMHF)


def test_lists_name_each_thing_once_and_may_have_comments(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("# all\n\n a \nb # the second\n")
    assert read_list(tmp_path / "list") == ["a", "b"]
    options = read_list(BOARD / "debug-kernel" / "config")
    names = [re.fullmatch(r"(CONFIG_\w+)=(y|m|\d+|\"[^\"]*\")", each) for each in options]
    assert len({name[1] for name in names if name}) == len(options)
    for part in ("buildroot", "image"):
        packages = read_list(BOARD / part / "packages.txt")
        assert packages
        assert len(packages) == len(set(packages))
