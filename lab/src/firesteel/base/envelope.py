# SPDX-License-Identifier: Apache-2.0
"""What is kept as JSON: an object with the number of its format, held against a model.

A sealed file also contains a digest of all the rest, so that damage is noticed.  Whatever is wrong
with a file is said in one sentence: where it is, and what is damaged why.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from firesteel.base.errors import FiresteelError
from firesteel.base.files import write_whole

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Kind:
    """A kind of file: the word for it, the one format that is read, and what mends a damaged one,
    as a clause, if anything does.
    """

    name: str
    format: int
    remedy: str = ""

    def load(self, text: str, where: str) -> dict[str, Any]:
        """The object in `text`, read from `where`, with its format's number.

        Raises `FiresteelError` when it is damaged or of another format.
        """
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.damaged(where, f"not valid JSON, {error}") from None
        if not isinstance(content, dict):
            raise self.damaged(where, "not a JSON object")
        self._check_format(content, where)
        return content

    def validate(
        self, content: dict[str, Any], model: type[Model], where: str, *, strict: bool = True
    ) -> Model:
        """What `load` gave as a model, which does not know the format's number.

        Raises `FiresteelError` with the first thing that does not fit.
        """
        fields = {key: value for key, value in content.items() if key != "format"}
        try:
            # Strict checking of JSON, unlike that of Python objects, still takes a list for a
            # tuple.
            return model.model_validate_json(json.dumps(fields), strict=strict)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            raise self.damaged(where, f"{key}: {first['msg']}") from None

    def sealed(self, model: BaseModel) -> str:
        """The file of a model, to the byte: JSON with sorted keys, its format, and a digest."""
        content = {"format": self.format, **model.model_dump(mode="json")}
        content["digest"] = digest(content)
        return json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False) + "\n"

    def unsealed(self, text: str, where: str) -> dict[str, Any]:
        """As `load`, of what `sealed` gave; without the digest."""
        content = self.load(text, where)
        if content.pop("digest", None) != digest(content):
            raise self.damaged(where, "its digest does not match its content")
        return content

    def read(self, path: Path, model: type[Model]) -> Model | None:
        """The model in a file that `sealed` gave; None if there is none.

        Raises `FiresteelError` when it cannot be read, is damaged or of another format.
        """
        text, where = read_text(path), str(path)
        return None if text is None else self.validate(self.unsealed(text, where), model, where)

    def write(self, path: Path, model: BaseModel) -> Path:
        """Keeps a model in a file that `read` takes, and gives the file's path.

        Raises `StoreError` when it cannot be written.
        """
        write_whole(path, self.sealed(model).encode())
        return path

    def damaged(self, where: str, why: str) -> FiresteelError:
        """What is said of a damaged file."""
        told = f" ({why}); {self.remedy}." if self.remedy else f": {why}."
        return FiresteelError(f"{where}: this {self.name} is damaged{told}")

    def _check_format(self, content: dict[str, Any], where: str) -> None:
        version = content.get("format")
        this = f"{where}: this {self.name}"
        if not isinstance(version, int):
            raise FiresteelError(f"{this} is damaged: it has no format number.")
        if version > self.format:
            raise FiresteelError(
                f"{this} has format {version}, written by a newer Firesteel; "
                f"this one reads format {self.format}."
            )
        if version != self.format:
            raise FiresteelError(f"{this} has format {version}; allowed is {self.format}.")


def digest(content: Any) -> str:
    """Hex SHA-256 of a JSON value, whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # A damaged file may have half a character, which is as good as any other byte that is wrong.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def read_text(path: Path) -> str | None:
    """What a file says, nothing if it is no text; None if there is none.

    Raises `FiresteelError` when it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        return ""  # Which is no JSON.
    except OSError as error:
        raise FiresteelError(f"{path}: cannot be read: {error.strerror}.") from None
