#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes a release of the checkout's commit into dist/release, signed by a key of yours.
#
#   scripts/release.sh KEY [SUITE... | none]    with Debian packages for these releases; otherwise for all
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh run)
PYTHONPATH=$PWD:$PWD/lab/src exec "$python" -P -m tools release "$@"
