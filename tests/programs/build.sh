#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds library and provider inside a program root, for its OpenSSL: from /firesteel/checkout in
# /firesteel/work to /firesteel/output, where they are used.
set -eu
output=/firesteel/output

for part in lib provider; do
    [ "$part" = lib ] && with=-Dmodel=true || with=-Dtests=false
    PKG_CONFIG_PATH=$output/lib/pkgconfig meson setup "/firesteel/work/$part" \
        "/firesteel/checkout/$part" --prefix "$output" --libdir lib $with
    ninja --quiet -C "/firesteel/work/$part"
    [ "$part" = provider ] || meson install -C "/firesteel/work/$part" --quiet --no-rebuild
done
# As they lie there they find the library where that was installed
mkdir "$output/bin"
cp /firesteel/work/provider/firesteel.so "$output"
cp /firesteel/work/provider/firesteel-provider "$output/bin"
