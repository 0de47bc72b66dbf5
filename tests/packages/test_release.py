# SPDX-License-Identifier: Apache-2.0
"""A release of a clone of the checkout, signed by a key of the test's."""

import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

from firesteel import __version__
from firesteel.base.checkout import CHECKOUT
from tools.packages import commit

pytestmark = pytest.mark.thorough

_KEY = "Somebody <somebody@example.org>"


@dataclass(frozen=True)
class Clone:
    """A clone with the checkout's files and a changelog that is ready, and a keyring."""

    path: Path
    home: str

    def run(self, *command: str) -> str:
        environment = os.environ | {"GNUPGHOME": self.home}
        done = subprocess.run(
            command, cwd=self.path, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    def release(self, *arguments: str) -> Path:
        return Path(self.run("scripts/release.sh", *arguments).strip().splitlines()[-1])

    def refusal(self, *arguments: str) -> str:
        """Why there is no release."""
        with pytest.raises(subprocess.CalledProcessError) as raised:
            self.release(*arguments)
        assert raised.value.stdout == ""
        assert not [path for path in (self.path / "dist").rglob("*") if path.is_file()]
        return str(raised.value.stderr)

    def commit(self, what: str) -> None:
        somebody = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
        self.run("git", *somebody, "commit", "--quiet", "--all", "--message", what)


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    # A socket's path is short
    with tempfile.TemporaryDirectory(prefix="gpg-") as home:
        path = tmp_path / "clone"
        made = Clone(tmp_path, home)
        made.run("git", "clone", "--quiet", "--shared", "--no-checkout", str(CHECKOUT), str(path))
        made = Clone(path, home)
        made.run("git", "checkout", "--quiet", "--detach", commit())
        made.run("gpg", "--batch", "--passphrase", "", "--quick-gen-key", _KEY, "ed25519", "sign")
        yield made
        made.run("gpgconf", "--kill", "all")


def _make_ready(clone: Clone) -> None:
    """What is unreleased becomes the version's."""
    file = clone.path / "CHANGELOG.md"
    text = file.read_text()
    head = re.search(rf"^## {re.escape(__version__)} — .*\n", text, re.MULTILINE)
    assert head
    before, _, unreleased = text[: head.start()].partition("\n## Unreleased\n")
    file.write_text(f"{before}\n## Unreleased\n\n{head[0]}{unreleased}{text[head.end() :]}")
    clone.commit("Release")


def test_a_release_is_whole_signed_and_the_same_again(clone: Clone) -> None:
    _make_ready(clone)
    folder = clone.release(_KEY, "none")
    name = f"firesteel-{__version__}"
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    others = {f"{name}.tar.xz", f"{name}.spdx.json", f"{name}.provenance.json"}
    assert files.keys() == {*others, "SHA256SUMS", "SHA256SUMS.asc"}
    clone.run("gpg", "--verify", str(folder / "SHA256SUMS.asc"), str(folder / "SHA256SUMS"))
    listed = dict(line.split()[::-1] for line in files["SHA256SUMS"].decode().splitlines())
    assert listed == {each: hashlib.sha256(files[each]).hexdigest() for each in others}

    _assert_provenance(clone, json.loads(files[f"{name}.provenance.json"]), listed)
    document = parse_file(str(folder / f"{name}.spdx.json"))
    assert [message.validation_message for message in validate_full_spdx_document(document)] == []
    packages = {each.name: each for each in document.packages}
    assert packages["firesteel"].checksums[0].value == listed[f"{name}.tar.xz"]
    assert {"pydantic", "busybox"} <= packages.keys()

    again = {path.name: path.read_bytes() for path in clone.release(_KEY, "none").iterdir()}
    assert {each for each in files if files[each] != again[each]} <= {"SHA256SUMS.asc"}


def _assert_provenance(clone: Clone, said: dict[str, object], listed: dict[str, str]) -> None:
    """The tar file was made from the commit."""
    statement = json.loads(json.dumps(said))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    subjects = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
    assert subjects.items() <= listed.items()
    assert f"firesteel-{__version__}.tar.xz" in subjects
    definition = statement["predicate"]["buildDefinition"]
    head = clone.run("git", "rev-parse", "HEAD").strip()
    assert definition["resolvedDependencies"][0]["digest"]["gitCommit"] == head


def test_what_is_no_release_is_refused(clone: Clone) -> None:
    readme = clone.path / "README.md"
    before = readme.read_text()
    _make_ready(clone)
    assert "KEY is missing" in clone.refusal("", "none")
    assert "does not sign" in clone.refusal("nobody", "none")
    assert "allowed are" in clone.refusal(_KEY, "trixy")
    readme.write_text(before + "more\n")
    assert "README.md is in none" in clone.refusal(_KEY, "none")
    clone.commit("More")
    changelog = clone.path / "CHANGELOG.md"
    changelog.write_text(
        changelog.read_text().replace("## Unreleased\n", "## Unreleased\n\n- One\n")
    )
    clone.commit("Change")
    assert "entries below `Unreleased`" in clone.refusal(_KEY, "none")
