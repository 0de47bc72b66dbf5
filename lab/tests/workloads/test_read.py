# SPDX-License-Identifier: Apache-2.0
"""Parameters read from their texts, as published studies have them."""

import pytest

from firesteel.base.checkout import RECORDED
from firesteel.judge.compare import rows_of
from firesteel.judge.study import load_studies
from firesteel.model.figure import Parameter
from firesteel.store.store import Store
from firesteel.workloads.registry import parameter_of


@pytest.mark.parametrize(
    ("series", "text", "expected"),
    [
        ("ping", "56 B", Parameter(size_bytes=56)),
        ("file-transfer", "128 MiB", Parameter(file_bytes=128 << 20)),
        ("file-transfer", "64 KiB", Parameter(file_bytes=64 << 10)),
        ("file-transfer", "8 MiB, by http", Parameter(file_bytes=8 << 20, by="http")),
        ("kernel-crypto", "64 B", Parameter(size_bytes=64, in_flight=1, direction="encrypt")),
        (
            "kernel-crypto-decrypt",
            "64 B, 16 in flight",
            Parameter(size_bytes=64, in_flight=16, direction="decrypt"),
        ),
        ("openssl-speed", "16384 B", Parameter(size_bytes=16384)),
        (
            "disk-random-read",
            "4 KiB, sector 512 B, depth 32",
            Parameter(size_bytes=4096, in_flight=32, sector_bytes=512, pattern="random-read"),
        ),
        (
            "disk-sequential-write",
            "1 MiB, sector 4096 B",
            Parameter(
                size_bytes=1 << 20, in_flight=1, sector_bytes=4096, pattern="sequential-write"
            ),
        ),
        ("packet-sizes", "80-159 B", Parameter(class_bytes=80, class_bytes_most=159)),
        ("packet-sizes", "2560 B and more", Parameter(class_bytes=2560)),
        ("packet-sizes", "other", Parameter(words="other")),
        ("tls-connections", "rsa-2048", Parameter(key="rsa-2048")),
        ("forwarding", "large packets", Parameter(words="large packets")),
        ("microbenchmarks", "fork", Parameter(operation="fork")),
        ("microbenchmarks", "sha256, 64 B", Parameter(operation="sha256", size_bytes=64)),
    ],
)
def test_the_text_of_a_stored_figure_is_read_and_written(
    series: str, text: str, expected: Parameter
) -> None:
    assert parameter_of(series, text) == expected
    assert expected.text == text


def test_every_recorded_and_published_text_is_kept() -> None:
    store = Store(RECORDED)
    stored = {
        (figure.workload, figure.parameter.text)
        for name in store.run_names()
        for record in store.records(store.journal(name))
        for figure in record.figures
    }
    published = {
        (row["experiment"], row["parameter"]) for study in load_studies() for row in rows_of(study)
    }
    assert stored
    for workload, text in stored | published:
        assert parameter_of(workload, text).text == text
    assert not [text for workload, text in stored if parameter_of(workload, text).words]
