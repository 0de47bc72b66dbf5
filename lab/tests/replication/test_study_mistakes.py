# SPDX-License-Identifier: Apache-2.0
"""A mistake in a file of a study is one sentence: file, key, what was found, what is allowed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel.analysis.compare import load_published
from firesteel.analysis.study import load_studies
from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.replication.causes import load_causes
from firesteel.replication.fidelity_file import load_fidelity
from firesteel.replication.fit_file import load_fit
from firesteel.replication.flat_time import load_cycles
from firesteel.store.store import Store
from tools.fidelity_page import fidelity_pages


def _drop(path: Path) -> None:
    path.unlink()


def _says(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(path.read_text() + text)


def _instead(old: str, new: str) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return change


DAMAGE: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "no figures": ("figures.csv", _drop, "cannot be read as published figures"),
    "a short row": ("figures.csv", _says("9,ping\n"), "row 29 has 2 fields"),
    "no TOML": ("study.toml", _says("["), "is not valid TOML"),
    "a wrong key": ("study.toml", _instead("cite", "site"), "key `site` is unknown"),
    "no such board": (
        "study.toml",
        _instead('"socrates"', '"sokrates"'),
        "no board `sokrates`; there are: am437x, clients",
    ),
    "no such topology": (
        "study.toml",
        _instead('"three-hosts-gateway-host"', '"four-hosts"'),
        "no topology `four-hosts`",
    ),
    "no such section": (
        "study.toml",
        _instead('"latency"', '"delay"'),
        "no topic `delay`; there are: .*latency.*by-size",
    ),
    "no such table": (
        "study.toml",
        _instead('number = "9"', 'number = "10"'),
        "no row of figures.csv is of table `10`; there are: 7, 8, 9",
    ),
    "a table twice": (
        "study.toml",
        _instead('number = "8"', 'number = "7"'),
        r"key `tables`: `number` has 7 more than once",
    ),
    "a ratio of no workload": (
        "study.toml",
        _instead('experiment = "file-transfer"', 'experiment = "file-transfers"'),
        r'`ratios\[1\].experiment` is "file-transfers"; allowed are: .*file-transfer',
    ),
    "a statement of an unknown protocol": (
        "study.toml",
        _instead('protocol = "ipsec"', 'protocol = "ipsek"'),
        r"`statements\[1\].protocol` is `ipsek`; rows of figures.csv have there: none, ipsec",
    ),
    "a statement of an unknown published metric": (
        "study.toml",
        _instead('"throughput_ratio_to_clear"', '"throughput_ratio"'),
        r"`statements\[1\].metric` is `throughput_ratio`; .*there: .*throughput_ratio_to_clear",
    ),
    "a statement of an unknown figure": (
        "study.toml",
        _instead("figure = { ", 'figure = { experiment = "pign", '),
        r'`statements\[1\].figure.experiment\[?1?\]?` is "pign"; allowed are: .*ping',
    ),
    "a statement of a figure of no protocol": (
        "study.toml",
        _instead("figure = { ", 'figure = { protocol = "ipsek", '),
        r'`statements\[1\].figure.protocol\[?1?\]?` is "ipsek"; allowed are: .*ipsec',
    ),
    "a statement of a figure of an unknown metric": (
        "study.toml",
        _instead('metric = "cpu_user"', 'metric = "cpu_usr"'),
        r'`statements\[3\].figure.metric\[?1?\]?` is "cpu_usr"; allowed are: .*cpu_user',
    ),
    "a statement versus no protocol": (
        "study.toml",
        _instead('versus = { protocol = "none"', 'versus = { protocol = "non"'),
        r'`statements\[1\].versus.protocol` is "non"; allowed are: none',
    ),
    "a regression of no protocol": (
        "study.toml",
        _instead('protocol = "ipsec"\nwhy', 'protocol = "ipsek"\nwhy'),
        r'`regressions\[1\].protocol` is "ipsek"; allowed are: none',
    ),
    "a statement of no metric": (
        "study.toml",
        _instead(', metric = "throughput" }\nversus', " }\nversus"),
        r"statements\[1\].* one `metric`",
    ),
    "a ratio of what is neither better nor worse": (
        "study.toml",
        _instead('metric = "throughput"\nkind', 'metric = "interrupts"\nkind'),
        r"`ratios\[1\].metric` is \"interrupts\"",
    ),
    "a statement of one figure that has two": (
        "study.toml",
        _instead('"figure over versus"', '"value"'),
        '`versus` is not for form "value"',
    ),
    "an order of what is not ordered": (
        "study.toml",
        _instead('{ name = "IPsec" }]\nform = "order"', '{ name = "VPN" }]\nform = "order"'),
        r"`statements\[4\].form` is `order`, .* `plain, IPsec`; allowed is an order of plain, VPN",
    ),
    "an order of one": (
        "study.toml",
        _instead(', { name = "IPsec" }]', "]"),
        '`among` needs two or more of form "order"',
    ),
    "an order of two with one name": (
        "study.toml",
        _instead('{ name = "IPsec" }]', '{ name = "plain" }]'),
        "`among.name` has plain more than once",
    ),
    "an order of what is neither better nor worse": (
        "study.toml",
        _instead('"throughput", implementation = "software" }', '"interrupts" }'),
        r"statements\[4\].*`interrupts` is neither better higher nor lower",
    ),
    "several figures of a form of one": (
        "study.toml",
        _instead(
            'form = "rest of 100"', 'among = [{ name = "a" }, { name = "b" }]\nform = "value"'
        ),
        '`among` is not for form "value"',
    ),
    "a ratio of what is no ratio": (
        "study.toml",
        _instead('form = "rest of 100"', 'than = { protocol = "none" }\nform = "rest of 100"'),
        '`than` is not for form "rest of 100", which is no ratio',
    ),
    "an outlier at no size": (
        "figures.csv",
        _instead(",100 B,", ",somewhere,"),
        r"`statements\[6\].form` is `outlier`, .*`somewhere`; allowed is a size",
    ),
    "a mean of outliers": (
        "study.toml",
        _instead('form = "outlier"', 'form = "outlier"\nover = "mean"'),
        r'statements\[6\].*`over` is "mean", which form "outlier" has none of',
    ),
    "a limit that nothing has": (
        "figures.csv",
        _instead(",,CPU,", ",,bus,"),
        r"`statements\[7\].form` is `what limits`, .*`bus`; allowed is one of CPU, core, link",
    ),
    "a number that is none": (
        "figures.csv",
        _instead("0.5..2", "half to twice"),
        r"`statements\[8\].form` is `figure over versus`, .*allowed is a number, a bound",
    ),
    "a size that the study does not name": (
        "study.toml",
        _instead('size = "large"', 'size = "huge"'),
        "there is no size `huge`; there are: small, large",
    ),
    "a figure in no topology": (
        "study.toml",
        _instead('versus = { topology = "three', 'versus = { topology = "four'),
        "there is no topology `four-hosts-gateway-host`",
    ),
    "a base in no topology": (
        "study.toml",
        _instead("versus = { topology", 'than = { topology = "five" }\nversus = { topology'),
        "there is no topology `five`",
    ),
    "a figure on no board": (
        "study.toml",
        _instead('metric = "cpu", impl', 'metric = "cpu", board = "x", impl'),
        "there is no board `x`",
    ),
    "a page that there is not": (
        "study.toml",
        _instead('"comparing.md"', '"comparison.md"'),
        "there is no page `comparison.md`; there are: .*comparing.md",
    ),
    "statements of no experiment": (
        "study.toml",
        _instead('experiment = "gateways"', 'experiment = "getaways"'),
        "there is no experiment `getaways`; there are: .*gateways",
    ),
    "a table of nothing": (
        "study.toml",
        _instead('topic = "latency"\n', ""),
        r"`tables\[1\]`: a table has a `topic`, or `ours`",
    ),
    "a reason for no row": (
        "study.toml",
        _instead('"cost_of_a_prime"', '"cost_of_two"'),
        r"`unmeasured\[1\].metric` is `cost_of_two`; .*cost_of_a_prime",
    ),
    "a figure that nobody published": (
        "causes.toml",
        _instead("hardware 64 MiB", "hardware 32 MiB"),
        "there are 0 published rows of file-transfer ipsec",
    ),
    "a side that there is not": (
        "causes.toml",
        _instead('"above"', '"over"'),
        r"`cause\[1\].side` is \"over\"; allowed is 'above' or 'below'",
    ),
    "a test without variants": (
        "causes.toml",
        _instead('variant = "no-neon"', ""),
        '`variant` goes with evidence "variants"',
    ),
    "a cause of no metric": (
        "causes.toml",
        _instead('metric = "rtt_mean"', 'metric = "rtt_men"'),
        r'`cause\[2\].metric\[?1?\]?` is "rtt_men"; allowed are: rtt_mean',
    ),
    "a cause that no variant tests": (
        "causes.toml",
        _instead('"no-neon"', '"no-noen"'),
        r'`cause\[1\].variant\[?1?\]?` is "no-noen"; allowed are: .*no-neon.*irq.*socrates',
    ),
    "an amount of no variant": (
        "fit.toml",
        _instead('"no-neon"', '"no-noen"'),
        r'`amounts\[1\].variant` is "no-noen"; allowed are: .*no-neon.*irq.*socrates',
    ),
    "a fit by no experiment": (
        "fit.toml",
        _instead('experiment = "gateways"', 'experiment = "getaways"'),
        "`experiment` is `getaways`; there are: .*gateways",
    ),
    "a page of a run that is not recorded": (
        "fidelity.toml",
        _instead('figures = "gateways"', 'figures = "getaways"'),
        r"`runs.figures` has `getaways`; .*runs\.toml has: .*gateways",
    ),
    "another clock's run that is not recorded": (
        "fidelity.toml",
        _instead('figures = "gateways"', 'figures = "gateways"\nother = "getaways"'),
        r"`runs.other` has `getaways`; .*runs\.toml has: .*gateways",
    ),
    "a text of no clock": (
        "fidelity.toml",
        _instead('speed = "one number sets it"', 'speed.flatt = "one number sets it"'),
        "key `texts.speed.flatt` is unknown .*did you mean `flat`.*: flat, cycles",
    ),
    "a text that is none": (
        "fidelity.toml",
        _instead('speed = "one number sets it"', "speed = 1"),
        "key `texts.speed` is 1; allowed is ",
    ),
    "variants of a run that is not recorded": (
        "fidelity.toml",
        _instead('figures = "gateways"', 'figures = "gateways"\nvariants = ["causes", "cuases"]'),
        r"`runs.variants` has `cuases`; .*runs\.toml has: .*causes",
    ),
    "a fit of unpublished rows": (
        "fit.toml",
        _instead('protocol = "ipsec"', 'protocol = "ssh"'),
        "figures.csv has no row of experiment file-transfer, protocol ssh",
    ),
    "a fit of no file": (
        "fit.toml",
        _instead('"socrates"', '"plato"'),
        "there is no `plato` in .*profiles; there are: am437x, clients",
    ),
    "a latency of what is no time": (
        "fit.toml",
        lambda path: (
            _instead("cpu.instructions_per_second", "links.latency_ns")(path),
            _instead('files = "socrates"', 'files = "host-host"')(path),
        ),
        "`throughput` is no time; allowed are metrics in s, ms, µs",
    ),
    "a rate of no clock": (
        "fit.toml",
        _instead('clock = "flat"\n', ""),
        r'`numbers\[1\]`.*`clock` has to be "flat" with key "cpu.instructions_per_second"',
    ),
    "a rate of the clock that does not go by it": (
        "fit.toml",
        _instead('clock = "flat"', 'clock = "cycles"'),
        r'`numbers\[1\]`.*`clock` has to be "flat" with key "cpu.instructions_per_second"',
    ),
    "a number of an unknown clock": (
        "fit.toml",
        _instead('clock = "flat"', 'clock = "flta"'),
        r"`numbers\[1\].clock` is \"flta\"; allowed is 'flat' or 'cycles'",
    ),
    "a fit of an unknown key": (
        "fit.toml",
        _instead("cpu.instructions_per_second", "cpu.caches"),
        r"`numbers\[1\].key` is \"cpu.caches\"",
    ),
    "another's page": (
        "fidelity.toml",
        _instead("fidelity-somebody2001.md", "index.md"),
        "allowed is a name that begins with `fidelity`",
    ),
    "no text": ("fidelity.toml", _instead("board =", "bord ="), "`texts.bord`"),
    "ratios of an unnamed run": (
        "fidelity.toml",
        _instead('figures = "gateways"', 'figures = "gateways"\nvariant_ratios = "x"'),
        "allowed is one of `runs.variants`",
    ),
    "a clock that stands": (
        "cycles.toml",
        _instead("clock_hz = 1_000", "clock_hz = -1_000"),
        "`board.clock_hz` is -1000000000",
    ),
    "cycles of no board": (
        "cycles.toml",
        _instead('"peer"', '"nobody"'),
        "no profile `nobody`; there are: am437x, clients",
    ),
}


def read_all() -> None:
    """Reads every file of every study."""
    load_published()
    for each in load_studies():
        load_causes(each)
        load_fit(each)
        load_fidelity(each)
    load_cycles()
    fidelity_pages(Store(CHECKOUT / "nowhere"))


@pytest.mark.usefixtures("folder")
def test_every_file_can_be_read() -> None:
    read_all()


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_one_sentence(folder: Path, name: str) -> None:
    file, harm, sentence = DAMAGE[name]
    harm(folder / file)
    with pytest.raises(FiresteelError, match=sentence) as found:
        read_all()
    said = str(found.value)
    assert said.startswith(str(folder)), "it says where"
    assert said.count("\n") == 0
