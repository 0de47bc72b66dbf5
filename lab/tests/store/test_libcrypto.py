# SPDX-License-Identifier: Apache-2.0
"""A run may have a patched libcrypto on its measured node, and its records say so."""

from pathlib import Path

import pytest
from advice_store import RATE, Runs, cell
from fake_runner import HASH, FakeRunner
from made_supply import MadeSupply
from workloads.sites import jobs_of

from firesteel.architectures import DEFAULT
from firesteel.base.checkout import BOARD
from firesteel.base.errors import FiresteelError
from firesteel.boards.job import JobFile
from firesteel.build.artifacts import LIBCRYPTO_PACKAGE as PACKAGE
from firesteel.cli import bench
from firesteel.cli import run as run_command
from firesteel.judge.advice.advice import advise
from firesteel.run.board_runner import with_library
from firesteel.run.experiment.collection import Collection, load
from firesteel.search.commands import ask
from firesteel.store.record import libcrypto_of, marked
from firesteel.store.store import Store

DEBIAN = {PACKAGE: "3.5.7-1~deb13u2", "openssl": "3.5.7-1~deb13u2"}
PATCHED = marked(DEBIAN, "3.5.6-1", "neon-ghash")

COLLECTION = """\
title = "all"
libcrypto = "{}"
[[parts]]
experiment = "quickstart"
"""


def collection(directory: Path, libcrypto: str) -> Collection:
    path = directory / "patched.toml"
    path.write_text(COLLECTION.format(libcrypto))
    (directory / "quickstart.toml").write_text(
        (BOARD.parent / "experiments" / "quickstart.toml").read_text()
    )
    found = load("patched", directory)
    assert isinstance(found, Collection)
    return found


def test_a_collection_chooses_the_library(tmp_path: Path) -> None:
    assert collection(tmp_path, "neon-ghash").libcrypto == "neon-ghash"
    with pytest.raises(FiresteelError, match="key `libcrypto`"):
        collection(tmp_path, "fast")


@pytest.mark.parametrize(("experiment", "patch"), [("gcm", None), ("gcm-neon", "neon-ghash")])
def test_the_runner_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, experiment: str, patch: str | None
) -> None:
    told: list[object] = []

    def make(_: object, patch: object, *__: object) -> FakeRunner:
        told.append(patch)
        raise FiresteelError("Enough.")

    monkeypatch.setattr(bench, "make_runner", make)
    with pytest.raises(FiresteelError, match="Enough"):
        run_command.run(experiment, bench.Measuring(quick=True, store=tmp_path))
    assert told == [patch]


def test_the_library_goes_to_the_measured_node_alone_and_into_the_address(tmp_path: Path) -> None:
    before = jobs_of(cell())
    digests = {HASH}
    for content in ("a library", "another"):
        after, digest = with_library(
            cell(), before, HASH, MadeSupply(tmp_path, content), "debug-flags"
        )
        made = f"{content} libcrypto debug-flags.so\n".encode()
        assert after["peer"] == before["peer"]
        assert after["board"].files == {
            **before["board"].files,
            f"{DEFAULT.libraries}/libcrypto.so.3": JobFile(made),
        }
        digests.add(digest)
    assert len(digests) == 3


def test_a_newer_openssl_comes_with_its_program(tmp_path: Path) -> None:
    before, supply = jobs_of(cell()), MadeSupply(tmp_path)
    after, digest = with_library(cell(), before, HASH, supply, "experimental")
    assert (
        after["board"].files["/usr/bin/openssl"].content == b"made openssl-experimental openssl\n"
    )
    places = {f"{DEFAULT.libraries}/{name}.so.4" for name in ("libcrypto", "libssl")}
    assert after["board"].files.keys() - before["board"].files.keys() == {
        "/usr/bin/openssl",
        *places,
    }
    assert digest != with_library(cell(), before, HASH, supply, "unstable")[1]


def test_records_of_several_architectures_say_it_too(tmp_path: Path) -> None:
    runs = Runs(Store(tmp_path))
    packages = {
        f"{PACKAGE}:arm64": "3.6.5-1 with unstable",
        f"{PACKAGE}:armhf": "3.6.5-1 with unstable",
    }
    name = runs.add((cell(), {RATE: 5.0}), packages=packages)
    assert libcrypto_of(runs.store.records(runs.store.journal(name))) == "unstable"


def test_records_say_which_library_it_was(tmp_path: Path) -> None:
    runs = Runs(Store(tmp_path))
    for seed, (packages, patch) in enumerate(
        ((DEBIAN, None), (PATCHED, "neon-ghash"), ({}, None)), 1
    ):
        name = runs.add((cell(seed=seed), {RATE: 5.0}), packages=packages)
        assert libcrypto_of(runs.store.records(runs.store.journal(name))) == patch
    assert PATCHED == {**DEBIAN, PACKAGE: "3.5.6-1 with neon-ghash"}


def test_advice_is_for_debian_s_library_unless_the_run_is_named(tmp_path: Path) -> None:
    runs = Runs(Store(tmp_path))
    rows = (cell(), {RATE: 5.0}), (cell("hardware"), {RATE: 8.0})
    question = ask("openvpn", "aes-256-cbc:sha256")
    patched = runs.add(*rows, packages=PATCHED)
    with pytest.raises(FiresteelError, match="has no run of"):
        advise(runs.store, question)
    assert advise(runs.store, question, run=patched).answer == "yes"
