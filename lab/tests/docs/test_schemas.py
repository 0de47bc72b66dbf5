# SPDX-License-Identifier: Apache-2.0
"""The schemas take all files of the checkout, and find mistakes in them."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from firesteel.base.checkout import CHECKOUT
from tools.schemas import SCHEMAS, schemas

PLACES = {
    "experiment": "experiments/*.toml",
    "profile": "board/profiles/*.toml",
    "topology": "board/topologies/*.toml",
    "assumptions": "board/assumptions.toml",
    **{
        name: f"published/*/{name}.toml"
        for name in ("study", "causes", "cycles", "fit", "fidelity")
    },
}


def validator(name: str) -> Draft7Validator:
    schema = json.loads(schemas()[SCHEMAS / f"{name}.json"])
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PLACES)
def test_every_file_of_the_checkout_fits(name: str) -> None:
    checked = validator(name)
    files = sorted(CHECKOUT.glob(PLACES[name]))
    assert files
    for file in files:
        assert not [error.message for error in checked.iter_errors(read(file))], file


def test_the_schemas_in_the_checkout_are_those_of_the_code() -> None:
    assert {path: path.read_text(encoding="utf-8") for path in schemas()} == schemas()


@pytest.mark.parametrize(
    ("name", "file", "change"),
    [
        ("experiment", "experiments/quickstart.toml", {"titel": "x"}),
        ("experiment", "experiments/quickstart.toml", {"seeds": 0}),
        ("profile", "board/profiles/socrates.toml", {"memory": {"mebibytes": "many"}}),
        ("topology", "board/topologies/host-host.toml", {"links": [{"name": "x"}]}),
        ("assumptions", "board/assumptions.toml", {"assumptions": [{"name": "x", "low": 0}]}),
        ("study", "published/delhaye2015/study.toml", {"ratios": [{"kind": "speed"}]}),
        ("causes", "published/delhaye2015/causes.toml", {"cause": []}),
        ("cycles", "published/delhaye2015/cycles.toml", {"board": "socrates"}),
        ("fit", "published/delhaye2015/fit.toml", {"numbers": [{"name": "rate"}]}),
        ("fidelity", "published/delhaye2015/fidelity.toml", {"texts": {"board": 2015}}),
    ],
)
def test_a_mistake_is_found(name: str, file: str, change: dict[str, Any]) -> None:
    assert not validator(name).is_valid(read(CHECKOUT / file) | change)


def test_keys_have_their_meanings() -> None:
    said = schemas()[SCHEMAS / "topology.json"]
    assert "Latency of a cable" in said
