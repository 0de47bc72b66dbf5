# SPDX-License-Identifier: Apache-2.0
"""Requirements as people write them."""

import pytest

from firesteel.judge.requirements import Requirement


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("throughput >= 100 MB/s", Requirement("throughput", ">=", 100)),
        ("throughput>=100", Requirement("throughput", ">=", 100)),
        ("throughput >= 940 Mbit/s", Requirement("throughput", ">=", 117.5)),
        ("throughput >= 1 Gbit/s", Requirement("throughput", ">=", 125)),
        ("connections >= 900/min", Requirement("connections", ">=", 900)),
        ("connections >= 900 1/min", Requirement("connections", ">=", 900)),
        ("connections >= 900", Requirement("connections", ">=", 900)),
        ("cpu <= 50 %", Requirement("cpu", "<=", 50)),
        ("cpu <= 50 % of core", Requirement("cpu", "<=", 50)),
        ("rtt_mean <= 1.5e0 ms", Requirement("rtt_mean", "<=", 1.5)),
        (
            "cpu_seconds_per_mb <= 0.6 of software",
            Requirement("cpu_seconds_per_mb", "<=", 0.6, of_software=True),
        ),
        ("file-transfer:cpu <= 50 %", Requirement("cpu", "<=", 50, traffic="file-transfer")),
        ("ping : rtt_mean <= 2 ms", Requirement("rtt_mean", "<=", 2, traffic="ping")),
        ("*:cpu <= 50 %", Requirement("cpu", "<=", 50, traffic="*")),
    ],
)
def test_what_is_understood(said: str, expected: Requirement) -> None:
    assert Requirement.read(said) == expected
    assert Requirement.read(expected.text) == expected


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("fast", "allowed is METRIC >= NUMBER"),
        ("cpu < 50", "allowed is METRIC >= NUMBER"),
        (":cpu <= 50 %", "allowed is METRIC >= NUMBER"),
        ("cpu <= -1", "allowed is METRIC >= NUMBER"),
        ("speed >= 1", "there is no metric `speed`"),
        ("cpu <= 50 MHz", '"MHz" is not a unit of `cpu`; allowed: %, % of core'),
        ("throughput >= 100 %", '"%" is not a unit of `throughput`; allowed: MB/s'),
        ("link_use >= 0.95", "`link_use` is a percentage and needs its unit; allowed: %, percent"),
        ("cpu <= 50", "`cpu` is a percentage and needs its unit; allowed: %, % of core"),
        ("connections >= 1 Mbit/s", '"Mbit/s" is not a unit of `connections`; allowed: /min'),
    ],
)
def test_what_is_refused(said: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem.replace("(", r"\(")):
        Requirement.read(said)


def test_a_rate_is_told_in_the_unit_that_was_asked_in() -> None:
    wanted = Requirement.read("file-transfer:throughput >= 100 Mbit/s")
    assert wanted.bound == 12.5
    assert wanted.text == "file-transfer:throughput >= 100 Mbit/s"
    assert wanted.said(5.73) == "45.84 Mbit/s"
    assert wanted == Requirement.read("file-transfer:throughput >= 12.5 MB/s")


def test_a_bound_holds_at_itself() -> None:
    least, most = Requirement.read("throughput >= 10"), Requirement.read("cpu <= 50 %")
    assert least.holds(10)
    assert not least.holds(9.99)
    assert most.holds(50)
    assert not most.holds(50.01)
    assert least.margin(12) == pytest.approx(0.2)
    assert most.margin(60) == pytest.approx(-0.2)
