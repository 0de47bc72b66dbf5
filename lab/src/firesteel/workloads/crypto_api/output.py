# SPDX-License-Identifier: Apache-2.0
"""Reading what the module cryptobench says of a run; docs/cryptobench.md has its lines."""

import math
import re
from dataclasses import dataclass

from firesteel.protocols.failure import CellFailure

_LINE = re.compile(r"^(\w+) (.+)$")
_EACH = re.compile(r"^each (\d+) (\d+) (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Request:
    """One request from its submission to its completion; times in ns."""

    instructions: int
    time_ns: int
    idle_ns: int

    @property
    def busy_ns(self) -> int:
        """Time in which the CPU did not sleep: it executed instructions, or stood still in one."""
        return self.time_ns - self.idle_ns


@dataclass(frozen=True)
class Output:
    """One run: the driver that was measured, totals of all requests, and each one if timed so.

    Times are in ns.
    """

    driver: str
    size: int
    requests: int
    in_flight: int
    asynchronous: int
    time_ns: int
    instructions: int
    idle_ns: int
    each: tuple[Request, ...]

    @property
    def bytes_with_warm_up(self) -> int:
        """Of all requests, those before the measured ones too."""
        return (self.requests + self.in_flight) * self.size

    @property
    def busy_ns(self) -> int:
        """Time in which the CPU did not sleep."""
        return self.time_ns - self.idle_ns


def parse_output(text: bytes, name: str) -> Output:
    """The output of the run called `name`; `CellFailure` when it is not whole."""
    lines = text.decode(errors="replace")
    found = [_LINE.match(line) for line in lines.splitlines()]
    values = {match[1]: match[2] for match in found if match}
    try:
        output = Output(
            driver=values["driver"],
            size=int(values["size"]),
            requests=int(values["requests"]),
            in_flight=int(values["in_flight"]),
            asynchronous=int(values["asynchronous"]),
            time_ns=int(values["time_ns"]),
            instructions=int(values["instructions"]),
            idle_ns=int(values["idle_ns"]),
            each=tuple(Request(*map(int, numbers)) for numbers in _EACH.findall(lines)),
        )
    except KeyError as error:
        raise CellFailure(f"Run {name}: its report lacks {error.args[0]}.") from None
    except ValueError as error:
        raise CellFailure(f"Run {name}: its report is damaged: {error}.") from None
    if output.time_ns <= 0 or (output.each and len(output.each) != output.requests):
        raise CellFailure(f"Run {name}: its report has no length, or not one line per request.")
    return output


def percentile(values: list[int], percent: int) -> int:
    """The least value that `percent` of all did not exceed (nearest rank)."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]
