#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renews requirements/*.txt from requirements/*.in: newest versions, with the hashes of every
# file, for CPython 3.11 and later on every platform.  Names no package index, so that an
# installation uses the machine's own pip configuration.  Needs `uv` on the PATH.
set -eu
cd "$(dirname "$0")"
licence=$(sed -n 2p lock.sh)
cd ../requirements
for name in run dev docs binding; do
    alone=
    [ $name = binding ] && alone=--no-deps
    {
        echo "$licence"
        echo "# Made by scripts/lock.sh from $name.in: do not edit."
        uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
            --only-binary :all: --no-emit-index-url --no-emit-find-links --no-header \
            --no-annotate --upgrade $alone "$name.in"
    } >"$name.txt.partial"
    mv "$name.txt.partial" "$name.txt"
done
