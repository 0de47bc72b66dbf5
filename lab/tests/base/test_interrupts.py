# SPDX-License-Identifier: Apache-2.0
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import environment

from firesteel.base.errors import FiresteelError
from firesteel.base.interrupts import SIGNALS, unwrapped

SERIALIZES = """
import os, signal
from pydantic import BaseModel, model_serializer
from firesteel.base import interrupts

class Slow(BaseModel):
    @model_serializer
    def interrupted(self):
        os.kill(os.getpid(), signal.{name})
        return dict()

signal.signal(signal.SIGINT, signal.default_int_handler)  # Ignored in the background of a shell.
interrupts.listen()
try:
    with interrupts.unwrapped():
        Slow().model_dump_json()
except KeyboardInterrupt as stopped:
    print(type(stopped.__cause__).__name__)
"""


@pytest.mark.parametrize("number", SIGNALS)
def test_a_request_that_a_library_makes_an_error_of_is_still_one(
    tmp_path: Path, number: signal.Signals
) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", SERIALIZES.format(name=number.name)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("PydanticSerializationError\n", "")


def test_an_error_without_a_request_is_what_it_is() -> None:
    with pytest.raises(ValueError, match="wrong"), unwrapped():
        raise ValueError("wrong")
    with pytest.raises(FiresteelError, match="full"), unwrapped():
        raise FiresteelError("full")
