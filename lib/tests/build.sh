#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the library and its tests inside the build root, with what finds faults: in
# /firesteel/work/checked (addresses, undefined behaviour) and /firesteel/work/threads (races); as it
# is used in /firesteel/work/plain; and as it is installed, without the model, in
# /firesteel/work/bare.  Anew, or only what
# has changed.
set -eu
sources=/firesteel/checkout

build() { # DIRECTORY OPTION...
    directory=/firesteel/work/$1
    shift
    [ -e "$directory/build.ninja" ] || {
        rm -rf "$directory"
        meson setup "$directory" "$sources" -Dprovider=disabled "$@"
    }
    ninja -C "$directory"
}

build checked -Dmodel=true -Dtests=lib -Db_sanitize=address,undefined
build threads -Dmodel=true -Dtests=lib -Db_sanitize=thread
build plain -Dmodel=true -Dtests=lib
build bare
