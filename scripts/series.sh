#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the driver as a series of patches for the kernel's maintainers (see upstream/README.md).
#
#   series.sh KERNEL DIRECTORY    KERNEL is a kernel's source, DIRECTORY is new
set -eu
# Paths are the caller's.
here=$(cd "$(dirname "$0")/.." && pwd)
python=$("$here/scripts/venv.sh" dev)
PYTHONPATH=$here:$here/lab/src exec "$python" -P -m tools series "$@"
