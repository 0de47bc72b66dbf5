# SPDX-License-Identifier: Apache-2.0
"""The series of figures that a workload gives, and what is known of each.

All figures of a series have its name in the column `experiment`.  Whoever computes with figures
asks for what it needs to know of them here, and never for the name of a series.
"""

from dataclasses import dataclass

from firesteel.model.figure import Parameter, read_operation, read_parameter

_NOTHING = Parameter()


@dataclass(frozen=True)
class Series:
    """`title` is for people, `name` for files.

    `is_transfer` says that a file was fetched, whose size scarcely matters to its rate and which
    the link may limit.  `is_histogram` says that the figures are shares in percent of one whole.
    `costs` are the metrics of one request by which sizes break even.  `of_operations` says that
    each of its figures is of a single operation, which its text names.  `same` is what all
    parameters of a size have alike, so that no text says it.
    """

    name: str
    title: str
    is_transfer: bool = False
    is_histogram: bool = False
    costs: tuple[str, ...] = ()
    of_operations: bool = False
    same: Parameter = _NOTHING

    def parameter(self, text: str) -> Parameter:
        """What the text of one of its figures says."""
        if self.of_operations:
            return read_operation(text)
        read = read_parameter(text)
        if read.size_bytes is None:
            return read
        if self.is_transfer:
            return Parameter(file_bytes=read.size_bytes, by=read.by)
        said = {key: value for key, value in read if value is not None}
        return self.same.model_copy(update=said)
