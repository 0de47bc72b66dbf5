# SPDX-License-Identifier: Apache-2.0
"""Experiments are read, refused with one clear sentence, and expanded to cells."""

import os
from pathlib import Path

import pytest

from firesteel.base.errors import FiresteelError
from firesteel.model.cell import Cell
from firesteel.run.experiment.collection import load
from firesteel.run.experiment.experiment import load_experiment, select
from firesteel.workloads.ping import PingPlan
from firesteel.workloads.transfer import TransferPlan

HEAD = 'title = "t"\ntopology = "host-host"\nmeasured = "board"\n'
NO_TUNNEL = '[[configurations]]\nprotocol = "none"\nsuite = "none:none"\n'
TUNNEL = '[[configurations]]\nprotocol = "ipsec"\nsuite = "none:none"\n'
CRYPTO = '[[configurations]]\nprotocol = "crypto-api"\nsuite = "none:sha256"\n'
REQUESTS = "[crypto]\nsizes = [64]\nrequests = 10\n"
DISK = '[[configurations]]\nprotocol = "dm-crypt"\nsuite = "aes-128-xts:none"\n'
BLOCKS = '[disk]\nsize = "1 MiB"\nblock_sizes = "4 KiB"\npatterns = "random-read"\n'
PING = "[ping]\nsizes = [56]\ncount = 10\n"


def complaint(tmp_path: Path, text: str) -> str:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(FiresteelError) as caught:
        load_experiment(str(path))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_a_protocol_with_one_suite_needs_none(tmp_path: Path) -> None:
    def cells(configuration: str) -> tuple[Cell, ...]:
        (tmp_path / "x.toml").write_text(HEAD + configuration + PING)
        return load_experiment(str(tmp_path / "x.toml")).cells()

    only = NO_TUNNEL.replace('suite = "none:none"\n', "")
    assert cells(only) == cells(NO_TUNNEL)
    said = complaint(tmp_path, HEAD + only.replace('"none"', '"ipsec"') + PING)
    assert '`suite` is missing; protocol "ipsec" has: none:none, ' in said
    said = complaint(tmp_path, HEAD + only.replace('"none"', '"nonesuch"') + PING)
    assert said.startswith('key `configurations[1].protocol` is "nonesuch"; allowed')


def test_completion_is_of_hardware_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    both = CRYPTO + 'implementation = ["software", "hardware"]\ncompletion = ["irq", "poll"]\n'
    path.write_text(HEAD + both + REQUESTS)
    cells = load_experiment(str(path)).cells()
    assert [cell.completion for cell in cells] == [None, "irq", "poll"]
    assert [cell.completion for cell in select(cells, ["completion=poll"])] == [None, "poll"], (
        "with the software that it is compared with"
    )
    alone = select(cells, ["completion=poll", "implementation=hardware"])
    assert [cell.completion for cell in alone] == ["poll"]
    with pytest.raises(FiresteelError, match="that completion; .*: irq, poll"):
        select(cells, ["completion=adaptive"])


def test_quick_sizes_replace_the_full_ones() -> None:
    experiment = load_experiment("quickstart")
    full, quick = experiment.cells()[0], experiment.cells(quick=True)[0]
    pings = [cell.needed(PingPlan) for cell in (full, quick)]
    assert [plan.sizes for plan in pings] == [(56, 1000, 8000, 16000)] * 2
    assert [plan.count for plan in pings] == [1000, (500, 200, 100, 100)]
    assert [cell.needed(TransferPlan).size for cell in (full, quick)] == [128 << 20, 8 << 20]


def test_an_experiment_may_name_other_profiles(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + 'profiles = { board = "peer" }\n' + NO_TUNNEL + PING)
    experiment = load_experiment(str(path))
    assert experiment.name == "mine"
    assert experiment.cells()[0].profiles == {"board": "peer", "peer": "peer"}
    assert experiment.cells()[0].plan(TransferPlan) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD + '[[configurations]]\nprotocol = "tls"\nsuite = "none:none"\n' + PING,
            "is \"tls\"; allowed is 'none', 'openvpn', 'openvpn-dco', 'openvpn-dco-batches', ",
        ),
        (
            HEAD + '[[configurations]]\nprotocol = "none"\nsuite = "aes-256-cbc:none"\n' + PING,
            'protocol "none" allows only suite "none:none"',
        ),
        (
            HEAD + TUNNEL + 'implementation = "virtio-crypto"\n' + PING,
            'protocol "ipsec" is measured with implementation "software" or "software-as',
        ),
        (
            HEAD
            + '[[configurations]]\nprotocol = "ipsec"\nsuite = "none:none"\n'
            + 'implementation = "hardware"\n'
            + PING,
            'suite "none:none" gives the hardware nothing to do',
        ),
        (
            HEAD
            + '[[configurations]]\nprotocol = "openssl"\nsuite = "none:sha256"\n'
            + 'implementation = "hardware-kernel"\n[speed]\nsizes = [64]\n',
            'implementation "hardware-kernel" has no suite "none:sha256"; allowed are aes-128-cbc',
        ),
        (
            HEAD + DISK + BLOCKS.replace('"4 KiB"', '["4 KiB", "6 KiB"]'),
            "blocks of 6144 bytes do not fit; allowed are multiples of the largest sector (512 ",
        ),
        (
            HEAD + DISK + BLOCKS.replace("1 MiB", "1 GiB"),
            (
                "a disk of 1073741824 bytes is not possible; allowed are multiples of 64 KiB up to "
                "256 "
                "MiB"
            ),
        ),
        (
            HEAD + CRYPTO + 'completion = "irq"\n' + REQUESTS,
            '`completion` is for implementation "hardware", which is not measured here',
        ),
        (
            HEAD + CRYPTO + 'implementation = "hardware"\ncompletion = ["irq", "irq"]\n' + REQUESTS,
            "gives crypto-api none:sha256 hardware irq more than once",
        ),
        (
            HEAD
            + '[[configurations]]\nprotocol = "ssh"\nsuite = "aes-256-gcm:gcm"\n'
            + '[transfer]\nsize = "1 MiB"\n'
            + '[sieve]\nrate = "1 Mbit/s"\nrounds = 1\nseconds = 1\n',
            'the tables `sieve` and `transfer` cannot share an experiment with protocol "ssh"',
        ),
        (HEAD + TUNNEL + CRYPTO + PING, "different measurements: crypto and traffic"),
        (
            HEAD + CRYPTO + REQUESTS.replace("64", "64, 64"),
            "`sizes` has 64 more than once; list each value once",
        ),
        (
            HEAD + NO_TUNNEL,
            "a table `ping` or `sieve` or `forwarding` or `stream` or `transfer` is missing",
        ),
        (
            HEAD + NO_TUNNEL + "[ping]\nsizes = [56, 1000, 8000]\ncount = [10, 10]\n",
            "`count` has 2 numbers, and the sizes are 3; give one number for all sizes or one for",
        ),
        (
            HEAD + NO_TUNNEL + PING.rstrip() + "\nquick = { count = [3, 2, 1] }\n",
            "`count` has 3 numbers under --quick, and the sizes are 1;",
        ),
        (
            HEAD + NO_TUNNEL + '[ping]\nsizes = ["8MB"]\ncount = 1\n',
            'key `ping.sizes[1]` is "8MB"; allowed is a whole number of bytes.',
        ),
        (HEAD + NO_TUNNEL + '[transfer]\nsize = "1 GiB"\n', "256 MiB is the most"),
        (
            HEAD.replace('"board"', '"desk"') + NO_TUNNEL + PING,
            'key `measured` is "desk"; allowed is a node of the topology `host-host`: board, peer.',
        ),
        (
            HEAD + 'profiles = { desk = "peer" }\n' + NO_TUNNEL + PING,
            "key `profiles.desk` is unknown; allowed here are the nodes of the topology",
        ),
        (
            HEAD + 'profiles = { board = "abacus" }\n' + NO_TUNNEL + PING,
            "key `profiles.board`: There is no profile `abacus`",
        ),
        (HEAD + NO_TUNNEL + NO_TUNNEL + PING, "gives none none:none software more than once"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    assert message in complaint(tmp_path, text)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            'protocol = "ipsec"\nsuite = "aes-256-cbc:none"\nas_in_2015 = "af-alg"\n',
            '`as_in_2015` "af-alg" is only for protocol openvpn and ssh',
        ),
        (
            'protocol = "ipsec"\nsuite = "aes-256-cbc:none"\nas_in_2015 = "core-only"\n',
            '`as_in_2015` "core-only" is only for implementation hardware or hardware-kernel',
        ),
        (
            (
                'protocol = "openvpn"\nsuite = "aes-256-cbc:none"\nimplementation = "hardware"\n'
                'as_in_2015 = "core-only"\n'
            ),
            'which "openvpn" uses only with `as_in_2015` "af-alg"',
        ),
        (
            (
                'protocol = "openssl"\nsuite = "aes-256-cbc:none"\nimplementation = "hardware"\n'
                'as_in_2015 = "core-only"\n'
            ),
            'which "openssl" uses only with `implementation` "hardware-kernel"',
        ),
        (
            (
                'protocol = "openvpn"\nsuite = ["aes-256-cbc:none", "aes-256-gcm:gcm"]\n'
                'implementation = "hardware"\nas_in_2015 = "af-alg"\n'
            ),
            '`as_in_2015` "af-alg" is only for AES-CBC, the one cipher of OpenSSL\'s engine',
        ),
        (
            'protocol = "ssh"\nsuite = "aes-256-cbc:none"\nas_in_2015 = "slow-tun"\n',
            '`as_in_2015` "slow-tun" is only for protocol openvpn and ipsec',
        ),
    ],
)
def test_habits_are_of_who_can_have_them(tmp_path: Path, lines: str, message: str) -> None:
    assert message in complaint(tmp_path, f"{HEAD}[[configurations]]\n{lines}{PING}")


def test_only_keeps_what_fits_every_key() -> None:
    cells = load_experiment("quickstart").cells()
    assert len(select(cells, [])) == 9
    assert len(select(cells, ["protocol=ipsec"])) == 4
    assert len(select(cells, ["protocol=ipsec", "protocol=none"])) == 5
    assert len(select(cells, ["protocol=ipsec", "mac=gcm"])) == 1


def test_only_knows_what_brings_files_also_where_that_is_the_usual_way() -> None:
    cells = load_experiment("relative-costs-files").cells()
    assert {cell.protocol for cell in select(cells, ["by=scp"])} == {"ssh"}
    assert {cell.protocol for cell in select(cells, ["by=ftp"])} == {"none", "ipsec"}
    with pytest.raises(FiresteelError, match="no cell has that by; there are: none"):
        select(load_experiment("tls").cells(), ["by=scp"])


@pytest.mark.parametrize(
    ("only", "message"),
    [
        (["colour=red"], "allowed is KEY=VALUE with one of the keys protocol, suite, cipher, mac"),
        (["protocol"], "allowed is KEY=VALUE"),
        (["protocol=tls"], "no cell has that protocol; there are: ipsec, none, openvpn."),
        (["protocol=none", "mac=gcm"], "no cell matches all of these"),
    ],
)
def test_only_refuses_what_it_does_not_know(only: list[str], message: str) -> None:
    with pytest.raises(FiresteelError, match=message):
        select(load_experiment("quickstart").cells(), only)


def test_a_word_that_is_a_file_is_no_experiment_s_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("ff")
    Path("text").write_text("")
    Path("quickstart").mkdir()
    allowed = "; allowed is an experiment's name, or a TOML file whose name ends in `.toml`."
    for name, what in (
        ("/dev/zero", "/dev/zero: is a pipe or a device"),
        ("./ff", "ff: is a pipe or a device"),
        ("ff", "ff: is a pipe or a device"),
        ("text", "text: is a file"),
        (".", ".: is a directory"),
        ("no/such", "no/such: is no file"),
    ):
        with pytest.raises(FiresteelError) as error:
            load(name)
        assert str(error.value) == what + allowed
    assert load("quickstart").name == "quickstart"
    for name in ("", "nonesuch"):
        with pytest.raises(FiresteelError, match=f"no experiment `{name}`"):
            load(name)


def seeded(tmp_path: Path, head: str = "") -> Path:
    path = tmp_path / "x.toml"
    path.write_text(HEAD + head + NO_TUNNEL + TUNNEL + PING)
    return path


def test_every_configuration_is_measured_with_every_seed_the_first_one_first(
    tmp_path: Path,
) -> None:
    experiment = load_experiment(str(seeded(tmp_path, "seed = 5\nseeds = 3\n")))
    told = [(cell.protocol, cell.seed) for cell in experiment.cells()]
    assert told == [(name, seed) for seed in (5, 6, 7) for name in ("none", "ipsec")]
    assert [cell.seed for cell in experiment.cells(seeds=1)] == [5, 5]
    assert len(experiment.cells(quick=True, seeds=4)) == 8
