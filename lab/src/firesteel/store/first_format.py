# SPDX-License-Identifier: Apache-2.0
"""Records of the first format, which kept figures and not what boards handed out.

They are read as they are.  Nothing can be derived from them, and no run takes them from the store:
what is measured again is kept in the present format.
"""

from typing import Any

from firesteel.base.envelope import Kind, digest
from firesteel.store.record import Record
from firesteel.workloads.read import figure_of

FORMAT = 1

_KIND = Kind("record", FORMAT, "`firesteel run` measures its cell again")


def read(text: str, where: str) -> tuple[str, Record]:
    """The address and the record in `text`, read from `where`.

    Raises `FiresteelError` when it is damaged.
    """
    content = _KIND.unsealed(text, where)
    address = digest({"format": FORMAT, "inputs": content.get("inputs")})
    return address, _KIND.validate(_now(content) | {"address": address}, Record, where)


def _now(content: dict[str, Any]) -> dict[str, Any]:
    """With the versions that records have now: they had one of the lab's code instead of one of the
    emulator's commands.  Their figures were tidy rows.
    """
    try:
        inputs, measurement = content["inputs"], content["measurement"]
        versions = {key: value for key, value in inputs["versions"].items() if key != "lab"}
        figures = [figure_of(row).model_dump(mode="json") for row in measurement["figures"]]
    except (KeyError, TypeError, AttributeError, ValueError):
        return content  # Which the model finds wrong.
    return content | {
        "inputs": inputs | {"versions": versions | {"commands": ""}},
        "measurement": measurement | {"figures": figures},
    }
