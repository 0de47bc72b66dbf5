# SPDX-License-Identifier: Apache-2.0
"""What goes into builds is what was pinned, and lists mean what they say."""

import re
from pathlib import Path

import pytest

from firesteel.architectures.armhf import ARMHF
from firesteel.base.checkout import BOARD
from firesteel.base.errors import FiresteelError
from firesteel.build import debian, fetched, image, products
from firesteel.build.buildroot import read_list


@pytest.mark.parametrize("version", ["1:10.0.13+ds-0+deb13u1", "1:10.0.2+ds-2", "10.0.0"])
def test_the_pinned_series_is_taken(version: str) -> None:
    fetched.check_qemu(version)


@pytest.mark.parametrize("version", ["1:10.1.0+ds-1", "1:7.2+dfsg-7+deb12u16", "1:10.01", "11.0.0"])
def test_another_series_is_refused_in_one_sentence(version: str) -> None:
    with pytest.raises(FiresteelError) as caught:
        fetched.check_qemu(version)
    told = str(caught.value)
    assert "fit only 10.0.x" in told
    assert version.removeprefix("1:").split("+")[0] in told
    assert "\n" not in told


def test_another_module_of_openvpn_is_refused_in_one_sentence(tmp_path: Path) -> None:
    fetched.check_openvpn_dco("0.0+git20241121-1+deb13u1")
    (tmp_path / "openvpn-dco-dkms_0.2.20260101-1_all.deb").touch()
    with pytest.raises(FiresteelError, match=r"made for 0\.0\+git20241121") as caught:
        fetched.check_openvpn_dco(debian.version_in(tmp_path, "openvpn-dco-dkms"))
    assert "0.2.20260101-1" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_source_without_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "qemu.dsc").write_text("Source: qemu\n")
    with pytest.raises(FiresteelError, match="has no version"):
        fetched.source_version(tmp_path)


def test_the_emulator_is_made_of_devices_and_the_model_without_its_tests() -> None:
    parts = products.qemu_recipe()
    wanted = {"build.sh", "devices/lockstep.c", "probe.h", "silex/soc.h", "model/silex-model.h"}
    assert wanted <= parts.keys()
    assert all(path.exists() for path in parts.values())
    assert not [name for name in parts if "test" in name or "fuzz" in name or "bench" in name]
    assert "devices/layers.txt" not in parts


def test_headers_are_those_of_the_kernel() -> None:
    packages = (
        "libc6 2.41-12\nlinux-image-6.12.107+deb13-armmp 6.12.107-1\nlinux-image-armmp 6.12.107-1\n"
    )
    assert image.header_packages(packages, ARMHF) == [
        "linux-headers-6.12.107+deb13-armmp:armhf=6.12.107-1",
        "linux-headers-6.12.107+deb13-common=6.12.107-1",
        "linux-kbuild-6.12.107+deb13:amd64=6.12.107-1",
    ]


def test_there_must_be_one_kernel() -> None:
    with pytest.raises(FiresteelError, match="brings 0 kernels"):
        image.header_packages("libc6 2.41-12\n", ARMHF)


def test_the_debug_kernel_is_made_of_the_source_of_the_image_s_kernel() -> None:
    packages = "libc6 2.41-12\nlinux-image-6.12.107+deb13-armmp 6.12.107-1\n"
    assert fetched.kernel_source_of(packages) == ("linux-source-6.12", "6.12.107-1")
    with pytest.raises(FiresteelError, match="brings 0 kernels"):
        fetched.kernel_source_of("libc6 2.41-12\n")


def test_the_debug_kernel_s_configuration_names_each_option_once() -> None:
    lines = read_list(BOARD / "debug-kernel" / "config")
    options = [re.fullmatch(r"(CONFIG_\w+)=(y|m|\d+|\"[^\"]*\")", line) for line in lines]
    names = [option[1] for option in options if option]
    assert len(names) == len(lines) == len(set(names))


def test_lists_may_have_comments(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("# all\n\n a \nb # the second\n")
    assert read_list(tmp_path / "list") == ["a", "b"]


@pytest.mark.parametrize("part", ["buildroot", "image"])
def test_the_checkout_s_lists_name_each_package_once(part: str) -> None:
    packages = read_list(BOARD / part / "packages.txt")
    assert packages
    assert len(packages) == len(set(packages))
