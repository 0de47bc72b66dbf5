#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does inside a package root what BitBake does for the recipe `firesteel`, with the given options of meson.
set -eu
cd /firesteel/work
mkdir source
tar -xf /firesteel/source.tar.xz -C source --strip-components=1
meson setup --buildtype plain --prefix /usr "$@" build source
ninja --quiet -C build
DESTDIR=/firesteel/work/installed meson install -C build --quiet --no-rebuild
sh -eu append.sh
