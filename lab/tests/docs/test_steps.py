# SPDX-License-Identifier: Apache-2.0
"""Setup pages as steps: each page is understood to its end, and agrees with files and advice.

`tests/boards/test_pages.py` does the steps on boards.
"""

import re
from pathlib import Path

import page_steps
import pytest
from page_steps import EXAMPLES, Step, steps_of
from workloads.made_programs import cell

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.protocols.registry import protocol_of
from firesteel.protocols.setup import FILES

PAGES = (
    *sorted(path.name for path in (CHECKOUT / "docs").glob("provider-*.md")),
    *("disk.md", "ktls.md", "openvpn-dco.md", "silicon.md", "use-the-cores.md", "wolfssl.md"),
)
_CONFIGURATIONS = CHECKOUT / FILES
_ALTERNATIVES = {"openvpn/firesteel-cbc.conf"}
"""Files that a page names in the place of one that it installs."""

_TYPED = ("sed ", "EXTRAOPTS=")
"""Beginnings of lines that a reader types; others are the contents of files."""

_INSTALLED = re.compile(rf"^cp ({FILES}/\S+) (\S+)$")


def installed(page: str) -> dict[str, str]:
    """Ready-made files that a page installs, below their directory → where."""
    lines = [line for step in steps_of(page) if step.kind == "commands" for line in step.lines]
    found = {match[1]: match[2] for line in lines if (match := _INSTALLED.match(line))}
    return {file.removeprefix(f"{FILES}/"): _in(to, file) for file, to in found.items()}


def _in(to: str, file: str) -> str:
    return f"{to}{Path(file).name}" if to.endswith("/") else to


def test_every_block_of_a_page_is_a_step_that_boards_follow() -> None:
    tests = ("tests/boards/test_pages.py", "tests/boards/test_silicon.py")
    boards = "".join((CHECKOUT / name).read_text() for name in tests)
    followed = {name for name in PAGES if f'"{name}"' in boards}
    followed |= {step.page for name in followed for step in steps_of(name)}
    common = steps_of("provider-programs.md", "for-all-programs")
    for page in PAGES:
        text = (CHECKOUT / "docs" / page).read_text()
        found = steps_of(page)
        own = {step.line for step in found if step.page == page}
        assert len(own) == len(re.findall(r"^ *```", text, re.MULTILINE)) / 2, page
        assert page in followed
        if page.startswith("provider-") and page != "provider-programs.md":
            assert found[: len(common)] == common, page


def test_pages_install_all_ready_made_files() -> None:
    paths = (path for path in _CONFIGURATIONS.rglob("*") if path.is_file())
    files = {str(path.relative_to(_CONFIGURATIONS)) for path in paths}
    assert {file for page in PAGES for file in installed(page)} == files - _ALTERNATIVES
    text = "".join((CHECKOUT / "docs" / page).read_text() for page in PAGES)
    assert [name for name in _ALTERNATIVES if Path(name).name not in text] == []


def test_packages_copy_the_same_files_from_their_examples() -> None:
    recipe = (CHECKOUT / "packaging/debian/firesteel-provider.examples").read_text()
    assert recipe == f"{FILES}/*\n", "the layout of the package"
    page = "provider-nginx.md"
    lines = "\n".join(line for step in steps_of(page) for line in step.lines)
    copied = dict(re.findall(rf"^cp {EXAMPLES}/(\S+) (\S+)$", lines, re.MULTILINE))
    of_checkout = installed(page).items()
    assert copied == {file: to for file, to in of_checkout if file.startswith("nginx/")} != {}


@pytest.mark.parametrize("name", ["nginx", "haproxy", "https", "ssh", "openvpn", "ike"])
def test_advice_is_what_the_page_says(name: str) -> None:
    advised = cell(name, "aes-256-gcm:gcm")
    setup = protocol_of(advised).setup(advised, None)
    page = Path(setup.pages[0]).name
    put = [re.match(rf"Put {FILES}/(\S+) at (/\S+[^.:\s])", step.what) for step in setup.steps]
    files = {match[1]: match[2] for match in put if match}
    assert files, "none is advised"
    assert files.items() <= installed(page).items()
    written = {line for step in steps_of(page) for line in step.lines}
    typed = [line for step in setup.steps for line in step.lines]
    assert [line for line in typed if line.startswith(_TYPED) and line not in written] == []


@pytest.mark.parametrize(
    "suite", ["aes-256-xts:none", "aes-256-gcm:gcm", "aes-256-xts:hmac-sha256"]
)
def test_advice_formats_disks_as_the_page_does(suite: str) -> None:
    advised = cell("dm-crypt", suite)
    setup = protocol_of(advised).setup(advised, None)
    (line,) = (line for step in setup.steps for line in step.lines if "luksFormat" in line)
    options = line.partition(" --cipher ")[2].removesuffix(" DEVICE")
    page = Path(setup.pages[-1]).name
    written = {line for step in steps_of(page) for line in step.lines}
    assert f"$format --cipher {options} /dev/sda3" in written


# ---- pages that are wrong ----


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(page_steps, "DOCS", tmp_path)
    return tmp_path / "page.md"


def test_blocks_are_commands_lines_of_files_and_output(page: Path) -> None:
    page.write_text(
        "# A page\nText.\n\n```sh\ntrue\n```\n\n```text\nit says\n```\n\n"
        'In `/etc/x.conf`:\n\n```ini title="/etc/x.conf"\na = 1\n\nb = 2\n```\n'
    )
    assert steps_of("page.md") == [
        Step("page.md", "a-page", 4, "commands", ("true",)),
        Step("page.md", "a-page", 8, "output", ("it says",)),
        Step("page.md", "a-page", 14, "file", ("a = 1", "", "b = 2"), "/etc/x.conf"),
    ]


def test_what_is_to_be_followed_first_comes_first(page: Path) -> None:
    (page.parent / "other.md").write_text("## One\n```sh\none\n```\n## Two\n```sh\ntwo\n```\n")
    page.write_text("First follow [two](other.md#two).\n\n```sh\nthree\n```\n")
    assert [step.lines for step in steps_of("page.md")] == [("two",), ("three",)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```\nls\n```\n", "page.md:1: a block of ``; allowed are `sh` for commands"),
        ("```console\nls\n```\n", "a block of `console`"),
        ("Text:\n\n    ls\n", "page.md:3: an indented block"),
        ("```sh\nls\n", "page.md:1: this block has no end"),
        ("```text\nhello\n```\n", "page.md:1: output of no commands in this section"),
        ('```ini title="/etc/x"\na\n```\n', "the paragraph before the block has to name `/etc/x`"),
        ("Text.\n", "there is no such page with a step"),
        ("First follow [it](none.md).\n", "docs/none.md: cannot be read"),
        ("First follow [it](page.md#none).\n", "no such section `#none` with a step"),
    ],
)
def test_a_page_that_is_not_understood_is_refused(page: Path, text: str, problem: str) -> None:
    page.write_text(text)
    with pytest.raises(FiresteelError, match=re.escape(problem)):
        steps_of("page.md")
