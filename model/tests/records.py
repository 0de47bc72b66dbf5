# SPDX-License-Identifier: Apache-2.0
"""Files of test vectors as the package `cryptography-vectors` has them, read record by record; and
the files that tests in C read.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from cryptography_vectors import open_vector_file

Fields = dict[str, str]


def records(name: str, first: str) -> Iterator[Fields]:
    """The records of a file; each begins with the field `first`.

    What stands in brackets, or before the first record of a section, holds for all its records;
    the brackets' whole text is in `section`.  Names are in lower case; a line that is a name
    alone is a field without value.
    """
    common: Fields = {}
    record: Fields | None = None
    with open_vector_file(name, "r") as file:
        for text in file:
            line = text.strip()
            if line.startswith("#") or not line:
                continue
            if line.startswith("["):
                if record:
                    yield common | record
                record = None
                common |= _section(line.strip("[]"))
                continue
            key, _, value = line.partition("=")
            field = {key.strip().lower(): value.strip()}
            if key.strip().lower() == first:
                if record:
                    yield common | record
                record = field
            elif record is None:
                common |= field
            else:
                record |= field
    if record:
        yield common | record


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes a file for a test in C."""
    with path.open("w") as file:
        for line in lines:
            print(line, file=file)


def _section(text: str) -> Fields:
    fields = {"section": text}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if equals:
            fields[key.strip().lower()] = value.strip()
        else:
            fields["direction"] = key.strip().lower()
    return fields
