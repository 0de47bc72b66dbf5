#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds Debian packages of this checkout into dist/packages, and has lintian read them.
#
#   scripts/packages.sh [SUITE...]    for these releases; otherwise for all that have packages
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh run)
PYTHONPATH=$PWD:$PWD/lab/src exec "$python" -P -m tools packages "$@"
