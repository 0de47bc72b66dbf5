#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Builds the model and its tests inside the build root, with what finds faults: in
# /firesteel/work/checked, anew or only what has changed.
set -eu
build=/firesteel/work/checked
[ -e "$build/build.ninja" ] || {
    rm -rf "$build"
    meson setup "$build" /firesteel/checkout -Dprovider=disabled -Dmodel=true -Dtests=model \
        -Db_sanitize=address,undefined
}
ninja -C "$build"
