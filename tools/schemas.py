# SPDX-License-Identifier: Apache-2.0
"""JSON schemas of the TOML files that people write, so that editors complete and check them.

They hold what a file may say by itself.  What must go together, as a protocol and its suites, only
the lab checks.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from firesteel.analysis.study import StudyFile
from firesteel.base.checkout import CHECKOUT
from firesteel.board.assumptions import Assumptions
from firesteel.board.profile import Processor, Profile
from firesteel.board.topology import Topology
from firesteel.experiment.collection import Parts
from firesteel.experiment.experiment import ExperimentFile
from firesteel.replication.causes import Causes
from firesteel.replication.fit_file import FitFile
from firesteel.replication.method import Cycles
from research.fidelity import FidelityFile
from research.processor import PriorsFile, ProcessorFile

SCHEMAS = CHECKOUT / "schemas"

_DIALECT = "http://json-schema.org/draft-07/schema#"
"""Editors for TOML know this one."""

_FILES: Mapping[str, tuple[str, tuple[type[BaseModel], ...]]] = {
    "experiment": ("A file of experiments/", (ExperimentFile, Parts)),
    "profile": ("A file of board/profiles/", (Profile,)),
    "processor": ("A file of board/processors/", (Processor,)),
    "topology": ("A file of board/topologies/", (Topology,)),
    "assumptions": ("The file board/assumptions.toml", (Assumptions,)),
    "study": ("A file published/NAME/study.toml", (StudyFile,)),
    "causes": ("A file published/NAME/causes.toml", (Causes,)),
    "cycles": ("A file published/NAME/cycles.toml", (Cycles,)),
    "fit": ("A file published/NAME/fit.toml", (FitFile,)),
    "fidelity": ("A file published/NAME/fidelity.toml", (FidelityFile,)),
    "published-processor": ("A file published/NAME/processor.toml", (ProcessorFile,)),
    "priors": ("A file published/NAME/priors.toml", (PriorsFile,)),
}


def schemas() -> dict[Path, str]:
    """The files of `schemas/` and what they say."""
    return {
        SCHEMAS / f"{name}.json": json.dumps(_schema(title, models), indent=1) + "\n"
        for name, (title, models) in _FILES.items()
    }


def _schema(title: str, models: tuple[type[BaseModel], ...]) -> dict[str, Any]:
    """The schema of a file that is one of the models."""
    each = [model.model_json_schema(ref_template="#/definitions/{model}") for model in models]
    definitions = {name: said for one in each for name, said in one.pop("$defs", {}).items()}
    head = {"$schema": _DIALECT, "title": title}
    if len(each) == 1:
        return each[0] | head | {"definitions": definitions}
    return head | {"anyOf": each, "definitions": definitions}
