# SPDX-License-Identifier: Apache-2.0
"""A figure's way into a page crosses few packages of the lab."""

from firesteel.base.checkout import RECORDED
from tools.crossings import crossings

_MOST = 40


def test_a_figure_of_a_page_crosses_few_packages() -> None:
    asked = (
        'ratio("seeds", protocol="openvpn", mac="sha256", experiment="file-transfer", '
        'metric="throughput")'
    )
    crossings(asked, RECORDED)  # Imports what it needs, and keeps the run's rows.
    found = crossings(asked, RECORDED)
    assert found["tools", "table", "rows"] == 1
    assert found.total() <= _MOST, found
