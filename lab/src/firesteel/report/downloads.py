# SPDX-License-Identifier: Apache-2.0
"""The tidy figures, carried by the page itself: links to data that a browser saves as a file."""

import base64
import gzip
from dataclasses import dataclass

import polars as pl

from firesteel.base.tidy import to_csv, to_json

MOST_BYTES = 1_000_000
"""A browser may refuse an address of more than 2 MiB; text that would come near is compressed."""


@dataclass(frozen=True)
class Download:
    """A file in a `data:` address."""

    name: str
    words: str
    address: str


def downloads(figures: pl.DataFrame, run: str) -> list[Download]:
    """CSV and JSON of all figures."""
    texts = (("csv", "text/csv", to_csv(figures)), ("json", "application/json", to_json(figures)))
    return [_download(f"{run}.{ending}", kind, text.encode()) for ending, kind, text in texts]


def _download(name: str, kind: str, content: bytes) -> Download:
    if len(content) > MOST_BYTES:
        # No time of day goes in, so the same figures give the same page.
        content = gzip.compress(content, mtime=0)
        name, kind = f"{name}.gz", "application/gzip"
    address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return Download(name, f"{name}, {max(1, round(len(content) / 1000))} kB", address)
