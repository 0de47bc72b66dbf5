# SPDX-License-Identifier: Apache-2.0
"""A sealed file is read as a whole or not at all."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from firesteel.base.envelope import Kind
from firesteel.base.errors import FiresteelError

KIND = Kind("parcel", 2, "`firesteel pack` makes it again")


class _Parcel(BaseModel):
    grams: int


def test_what_was_sealed_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "parcel.json"
    assert KIND.read(path, _Parcel) is None
    assert KIND.write(path, _Parcel(grams=250)) == path
    assert KIND.read(path, _Parcel) == _Parcel(grams=250)


def test_a_figure_that_changed_in_a_sealed_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "parcel.json"
    path.write_text(KIND.sealed(_Parcel(grams=250)).replace("250", "260"))
    said = r"parcel\.json: this parcel is damaged \(its digest .*\); `firesteel pack` makes it"
    with pytest.raises(FiresteelError, match=said):
        KIND.read(path, _Parcel)
