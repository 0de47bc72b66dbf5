# SPDX-License-Identifier: Apache-2.0
"""A bundle that cannot be is refused before anything is built."""

from pathlib import Path

import pytest
from processes import firesteel

from firesteel.base.errors import FiresteelError
from firesteel.build import artifacts
from firesteel.build.artifacts import ALL, LIST
from firesteel.cli import build


@pytest.mark.parametrize("python", ["3.9", "three", "3.13.1", ""])
def test_a_python_that_is_not_supported(python: str, tmp_path: Path) -> None:
    done = firesteel(tmp_path, "build", "bundle", "--python", "3.13", "--python", python)
    assert done.returncode == 1
    assert done.stderr == f"firesteel: Python {python}: allowed are 3.11, 3.12, 3.13.\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("product", ["image", "wolfSSL", ""])
def test_a_product_that_cannot_be_left_out(product: str, tmp_path: Path) -> None:
    done = firesteel(tmp_path, "build", "bundle", "--without", "libcrypto", "--without", product)
    assert done.returncode == 1
    allowed = "openssh, openvpn-dco, libcrypto, kernel-layout, lighttpd, wolfssl-front-end"
    assert done.stderr == f"firesteel: --without {product}: allowed are {allowed}.\n"
    assert not list(tmp_path.iterdir())


def test_a_product_that_is_left_out() -> None:
    kinds = build.kinds_of(["libcrypto", "lighttpd"])
    assert set(ALL) - set(kinds) == {"libcrypto", "lighttpd"}


def test_a_place_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = firesteel(tmp_path, "build", "bundle", "--to", str(tmp_path / "file"))
    assert done.returncode == 1
    assert done.stderr == f"firesteel: {tmp_path}/file: a file cannot be written: File exists.\n"


def test_in_a_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / LIST).write_text("{}")
    monkeypatch.setattr(artifacts, "BROUGHT", tmp_path)
    with pytest.raises(FiresteelError, match="`firesteel build` needs a checkout"):
        build.build("bundle")
    monkeypatch.setattr(build, "IN_A_BUNDLE", ())
    build.build(check=True)
