#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The figures in README and docs, made anew from recorded/ (see recorded/README.md).
#
#   scripts/figures.sh measure [NAME...] | budget | write | check | same STORE [OF]
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/venv.sh run)
PYTHONPATH=$PWD:$PWD/lab/src exec "$python" -P -m tools "$@"
