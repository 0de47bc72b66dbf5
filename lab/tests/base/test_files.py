# SPDX-License-Identifier: Apache-2.0
"""A file that a user names for results may be a pipe, a device or a link."""

import os
import threading
from pathlib import Path

from firesteel.base.files import write_whole


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    writer = threading.Thread(target=write_whole, args=(pipe, b"results"))
    writer.start()
    assert pipe.read_bytes() == b"results"
    writer.join()
    assert pipe.is_fifo()


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"before")
    (link := tmp_path / "link").symlink_to("file")
    write_whole(link, b"after")
    assert link.is_symlink()
    assert (tmp_path / "file").read_bytes() == b"after"
