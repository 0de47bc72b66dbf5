#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds library, provider and the provider's tests inside the build root: in
# /firesteel/work/checked and threads with what finds faults (addresses, undefined behaviour; races),
# in /firesteel/work/plain as it is used.  Anew, or only what has changed.
set -eu

# One at a time: a test machine has other things to do
ninja="nice ninja -j 1 --quiet -C"

build() { # DIRECTORY OPTION...
    directory=/firesteel/work/$1
    shift
    for part in lib provider; do
        [ "$part" = lib ] && with=-Dmodel=true || with=-Dtests=true
        [ -e "$directory/$part/build.ninja" ] || {
            rm -rf "$directory/$part"
            PKG_CONFIG_PATH=$directory/prefix/lib/pkgconfig meson setup "$directory/$part" \
                "/firesteel/checkout/$part" --prefix "$directory/prefix" --libdir lib \
                $with "$@"
        }
        $ninja "$directory/$part"
        [ "$part" = provider ] || meson install -C "$directory/$part" --quiet --no-rebuild
    done
}

build checked -Db_sanitize=address,undefined -Db_lundef=false
build threads -Db_sanitize=thread -Db_lundef=false
build plain
