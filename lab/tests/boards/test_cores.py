# SPDX-License-Identifier: Apache-2.0
"""The cores of a profile become devices as the profile says, and a mistake is one sentence."""

from pathlib import Path

import pytest

from firesteel.base import toml
from firesteel.base.errors import FiresteelError
from firesteel.boards.command import crypto_arguments
from firesteel.boards.profile import Profile

BOARD = """
[cpu]
model = "cortex-a15"
instructions_per_second = 600_000_000
[memory]
mebibytes = 1024
"""


def read(tmp_path: Path, text: str) -> Profile:
    path = tmp_path / "board.toml"
    path.write_text(BOARD + text)
    return toml.read_model(path, Profile)


def test_a_window_with_everything_said(tmp_path: Path) -> None:
    profile = read(
        tmp_path,
        """
        [[cores]]
        name = "fast"
        bus = "sysbus"
        pk = true
        pk_multipliers = 64
        [cores.timing]
        clock_hz = 200_000_000
        fetcher = "serial"
        aes256_cycles = 0
        pk_row_cycles = 9
        [[cores.faults]]
        kind = "late"
        rate = 100
        factor = 7
        [[cores.faults]]
        kind = "gone"
        accesses = 3
        from_ms = 5
        until_ms = 9
        for_ns = 1
        """,
    )
    option, device = crypto_arguments(profile, seed=1)
    assert option == "-device"
    kind, *properties = device.split(",")
    assert kind == "silex-sysbus"
    told = dict(item.split("=", 1) for item in properties)
    assert told.pop("seed").isdigit()
    assert told == {
        "id": "fast",
        "cryptomaster": "off",
        "aes": "off",
        "hash": "off",
        "pk": "on",
        "pk_multipliers": "64",
        "zero": "off",
        "clock_hz": "200000000",
        "fetcher": "serial",
        "aes256_cycles": "0",
        "pk_row_cycles": "9",
        "faults": "late:rate=100:factor=7;gone:from=5:until=9:accesses=3:for=1",
    }


def test_a_count_makes_windows_of_its_own_and_a_single_one_says_nothing(tmp_path: Path) -> None:
    window = '[[cores]]\nname = "a"\naes = true\ncount = {}\n'
    profile = read(tmp_path, window.format(3))
    devices = [device.split(",")[1] for device in crypto_arguments(profile, 1)[1::2]]
    assert devices == ["id=a", "id=a-2", "id=a-3"]
    assert Profile.model_validate_json(profile.model_dump_json()) == profile
    assert "count" not in read(tmp_path, window.format(1)).cores[0].model_dump()
    with pytest.raises(FiresteelError, match="a-2"):
        read(tmp_path, window.format(2) + '[[cores]]\nname = "a-2"\naes = true\n')
    with pytest.raises(FiresteelError, match="count"):
        read(tmp_path, window.format(9))


def test_each_window_has_a_fault_seed_of_its_own(tmp_path: Path) -> None:
    window = '[[cores]]\nname = "{}"\naes = true\nfaults = [{{ kind = "late", rate = 9 }}]\n'
    profile = read(tmp_path, window.format("a") + window.format("b"))
    devices = crypto_arguments(profile, 1)[1::2] + crypto_arguments(profile, 2)[1::2]
    seeds = {part for device in devices for part in device.split(",") if part.startswith("seed=")}
    assert len(seeds) == 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[cores]]\nname = "c"', "`c` has no core; set one of `aes`, `hash`, `pk`"),
        ('[[cores]]\nname = "eth0"\npk = true', "is the name of a network device"),
        ('[[cores]]\nname = "C"\npk = true', 'key `cores[1].name` is "C"'),
        ('[[cores]]\nname = "c"\npk = true\n' * 2, "`cores` has c more than once"),
        (
            '[[cores]]\nname = "c"\npk = true\ntiming = { zero = true, end_cycles = 1 }',
            "nothing takes time with `zero`; leave out: end_cycles",
        ),
        (
            '[[cores]]\nname = "c"\npk = true\nfaults = [{ kind = "late" }]',
            "fault `late` needs `rate` or `nth`, one of them",
        ),
        (
            '[[cores]]\nname = "c"\npk = true\nfaults = [{ kind = "gone", nth = 1, factor = 2 }]',
            "only `late` takes it",
        ),
        (
            """
            [[cores]]
            name = "c"
            pk = true
            faults = [{ kind = "gone", nth = 1, from_ms = 2, until_ms = 2 }]
            """,
            "fault `gone` ends before it begins; `until_ms` must be above `from_ms`",
        ),
        (
            '[[cores]]\nname = "c"\npk = true\nfaults = [{ kind = "late", nth = 1, for_ns = 2 }]',
            "fault `late` has `for_ns`; only `gone` takes it",
        ),
        (
            """
            [[cores]]
            name = "c"
            pk = true
            faults = [{ kind = "gone", accesses = 1, within_ns = 2 }]
            """,
            "fault `gone` has `accesses` and `within_ns`; leave one out",
        ),
        (
            '[[cores]]\nname = "c"\npk = true' + 2 * '\n[[cores.faults]]\nkind = "gone"\nnth = 1',
            "`c` has the fault `gone` twice",
        ),
    ],
)
def test_a_mistake_is_told_in_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(FiresteelError) as caught:
        read(tmp_path, text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
