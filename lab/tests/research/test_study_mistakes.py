# SPDX-License-Identifier: Apache-2.0
"""A mistake in a file of a study is one sentence: file, key, what was found, what is allowed."""

from pathlib import Path

import pytest

from firesteel.base.checkout import CHECKOUT
from firesteel.base.errors import FiresteelError
from firesteel.judge.compare import load_published
from firesteel.judge.replication.causes import load_causes
from firesteel.judge.replication.fit_file import load_fit
from firesteel.judge.replication.method import load_cycles
from firesteel.judge.study import load_studies
from firesteel.store.store import Store
from research.fidelity import load_fidelity
from tools.figures import fidelity_pages

MISTAKES = r"""
figures.csv
,100 B, => ,somewhere, => `statements\[6\].form` is `outlier`, .*`somewhere`; allowed is a size
,,CPU, => ,,bus, => `statements\[7\].form` is `what limits`, .*`bus`; allowed is one of CPU, core
0.5..2 => half => `statements\[8\].form` is `figure over versus`, .*allowed is a number, a bound
study.toml
cite => site => key `site` is unknown
"socrates" => "sokrates" => no board `sokrates`; there are: am437x, am62x, clients
"three-hosts-gateway-host" => "four-hosts" => no topology `four-hosts`
"latency" => "delay" => no topic `delay`; there are: .*latency.*by-size
number = "9" => number = "10" => no row of figures.csv is of table `10`; there are: 7, 8, 9
number = "8" => number = "7" => key `tables`: `number` has 7 more than once
experiment = "file-transfer" => experiment = "x" => `ratios\[1\].experiment` is "x"; allowed are: .*
protocol = "ipsec" => protocol = "ipsek" => `statements\[1\].protocol` is `ipsek`; .*values: .*ipsec
"throughput_ratio_to_clear" => "speed" => `statements\[1\].metric` is `speed`; .*_ratio_to_clear
figure = { => figure = { experiment = "pign", => `statements\[1\].figure.exp.* "pign"; .*ping
figure = { => figure = { protocol = "ipsek", => `statements\[1\].figure.pro.* "ipsek"; .*ipsec
metric = "cpu_user" => metric = "cpu_usr" => `statements\[3\].figure.met.* "cpu_usr"; .*cpu_user
versus = { protocol = "none" => versus = { protocol = "non" => `statements\[1\].versus.protocol` is
, metric = "throughput" }§versus => }§versus => statements\[1\].* one `metric`
metric = "throughput"§kind => metric = "interrupts"§kind => `ratios\[1\].metric` is "interrupts"
"figure over versus" => "value" => `versus` is not for form "value"
{ name = "IPsec" }]§form = "order" => { name = "VPN" }]§form = "order" => .* an order of plain, VPN
, { name = "IPsec" }] => ] => `among` needs two or more of form "order"
{ name = "IPsec" }] => { name = "plain" }] => `among.name` has plain more than once
"throughput", implementation = "software" } => "interrupts" } => `interrupts` is neither better
form = "rest of 100" => among = [{ name = "a" }, { name = "b" }]§form = "value" => `among` is not
form = "rest of 100" => than = { protocol = "none" }§form = "rest of 100" => `than` is only
form = "outlier" => form = "outlier"§over = "mean" => `over` is "mean", which is not
size = "large" => size = "huge" => there is no size `huge`; there are: small, large
versus = { topology = "three => versus = { topology = "four => no topology `four-hosts-gateway-host`
versus = { topology => than = { topology = "five" }§versus = { topology => no topology `five`
metric = "cpu", impl => metric = "cpu", board = "x", impl => there is no board `x`
"comparing.md" => "comparison.md" => no page `comparison.md`; there are: .*comparing.md
experiment = "gateways" => experiment = "getaways" => no experiment `getaways`; .*gateways
topic = "latency"§ =>  => key `tables\[1\].topic` is missing
"cost_of_a_prime" => "cost_of_two" => `unmeasured\[1\].metric` is `cost_of_two`; .*cost_of_a_prime
causes.toml
hardware 64 MiB => hardware 32 MiB => there are 0 published rows of file-transfer ipsec
"above" => "over" => `cause\[1\].side` is "over"; allowed is 'above' or 'below'
variant = "no-neon" =>  => `variant` goes with evidence "variants"
metric = "rtt_mean" => metric = "rtt_men" => `cause\[2\].metric.* "rtt_men"; allowed
"no-neon" => "no-noen" => `cause\[1\].variant.* is "no-noen"; allowed are: .*no-neon.*irq.*socrates
fit.toml
"no-neon" => "no-noen" => `amounts\[1\].variant` is "no-noen"; allowed are: .*no-neon.*irq.*socrates
experiment = "gateways" => experiment = "getaways" => `experiment` is `getaways`; there are: .*gate
protocol = "ipsec" => protocol = "ssh" => has no row of experiment file-transfer, protocol ssh
clock = "flat"§ =>  => `numbers\[1\]`.*`clock` must be "flat" with key "cpu.inst
clock = "flat" => clock = "cycles" => `clock` must be "flat" with key "cpu.inst
clock = "flat" => clock = "flta" => `numbers\[1\].clock` is "flta"; allowed is 'flat' or 'cycles'
cpu.instructions_per_second => cpu.caches => `numbers\[1\].key` is "cpu.caches"
fidelity.toml
figures = "gateways" => figures = "getaways" => `runs.figures` has `getaways`; .*has: .*gateways
figures = "gateways" => figures = "gateways"§other = "x" => `runs.other` has `x`; .*has: .*gateways
figures = "gateways" => figures = "gateways"§variants = ["causes", "x"] => `runs.variants` has `x`;
speed = "one number sets it" => speed = 1 => key `texts.speed` is 1; allowed
fidelity-somebody2001.md => index.md => allowed is a name that begins with `fidelity`
board = => bord = => `texts.bord`
cycles.toml
clock_hz = 1_000 => clock_hz = -1_000 => `board.clock_hz` is -1000000000
"peer" => "nobody" => no profile `nobody`; there are: am437x, am62x, clients
"""
"""A file, and below it what is put where what, and what is said of it; § ends a line."""


def mistakes() -> list[tuple[str, str, str, str]]:
    found, file = [], ""
    for line in MISTAKES.strip().splitlines():
        if " => " in line:
            old, new, sentence = line.replace("§", "\n").split(" => ")
            found.append((file, old, new.strip(" "), sentence))
        else:
            file = line
    return found


def read_all() -> None:
    """Reads every file of every study."""
    load_published()
    for each in load_studies():
        load_causes(each)
        load_fit(each)
        load_fidelity(each)
    load_cycles()
    fidelity_pages(Store(CHECKOUT / "nowhere"))


def check(folder: Path, sentence: str) -> None:
    with pytest.raises(FiresteelError, match=sentence) as found:
        read_all()
    said = str(found.value)
    assert said.startswith(str(folder)), "it says where"
    assert said.count("\n") == 0


@pytest.mark.usefixtures("folder")
def test_every_file_can_be_read() -> None:
    read_all()


@pytest.mark.parametrize(("file", "old", "new", "sentence"), mistakes())
def test_a_mistake_is_one_sentence(
    folder: Path, file: str, old: str, new: str, sentence: str
) -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    check(folder, sentence)


def test_what_takes_more_than_a_word_is_told_too(folder: Path) -> None:
    figures, study = folder / "figures.csv", folder / "study.toml"
    whole, text = figures.read_text(), study.read_text()
    figures.write_text(whole + "9,ping\n")
    check(folder, "row 29 has 2 fields")
    figures.unlink()
    check(folder, "cannot be read as published figures")
    figures.write_text(whole)
    study.write_text(text + "[")
    check(folder, "is not valid TOML")
    study.write_text(text)
