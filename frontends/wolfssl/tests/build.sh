#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Builds library, front end and its tests inside the build root: in /firesteel/work/checked and threads
# with what finds faults (addresses, undefined behaviour; races), in /firesteel/work/plain as it is used.
# Anew, or only what has changed.  wolfSSL lies in /firesteel/wolfssl.
set -eu

# One at a time: a test machine has other things to do
ninja="nice ninja -j 1 --quiet -C"

# wolfSSL is where it was extracted, not where its package says
described=/firesteel/work/pkgconfig
mkdir -p $described
sed "s|^prefix=.*|prefix=/firesteel/wolfssl/usr|" \
    /firesteel/wolfssl/usr/lib/*/pkgconfig/wolfssl.pc >$described/wolfssl.pc

build() { # DIRECTORY OPTION...
    directory=/firesteel/work/$1
    shift
    [ -e "$directory/build.ninja" ] || {
        rm -rf "$directory"
        PKG_CONFIG_PATH=$described meson setup "$directory" /firesteel/checkout \
            --prefix /firesteel/work/prefix --libdir lib -Dprovider=disabled \
            -Dwolfssl=enabled -Dmodel=true -Dtests=wolfssl "$@"
    }
    $ninja "$directory"
}

build checked -Db_sanitize=address,undefined -Db_lundef=false
build threads -Db_sanitize=thread -Db_lundef=false
build plain
