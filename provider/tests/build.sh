#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds library, provider and the provider's tests inside a root: in /firesteel/work/checked and threads with what
# finds faults (addresses, undefined behaviour; races), in /firesteel/work/plain as it is used.  Anew, or only what
# has changed.
#
#   build.sh [plain]
set -eu

# One at a time: a test machine has other things to do
ninja="nice ninja -j 1 --quiet -C"

build() { # DIRECTORY OPTION...
    directory=/firesteel/work/$1
    shift
    [ -e "$directory/build.ninja" ] || {
        rm -rf "$directory"
        meson setup "$directory" /firesteel/checkout -Dprovider=enabled -Dmodel=true \
            -Dtests=provider "$@"
    }
    $ninja "$directory"
}

[ $# -gt 0 ] || {
    build checked -Db_sanitize=address,undefined -Db_lundef=false
    build threads -Db_sanitize=thread -Db_lundef=false
}
build plain --prefix /firesteel/work/prefix --libdir lib
