#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds libfiresteel and the OpenSSL provider for the guest, inside the build root:
#
#   /firesteel/source   the project with lib/, provider/, frontends/common/, silex/; @ARCHITECTURE@.ini
#   /firesteel/target   usr/ with the guest's libraries and their headers
#   /firesteel/output   firesteel.so and libfiresteel.so.0 afterwards
#   /firesteel/work     empty; may be thrown away
set -eu

work=/firesteel/work
source=/firesteel/source
triplet=@TRIPLET@

export PKG_CONFIG_SYSROOT_DIR=/firesteel/target
export PKG_CONFIG_LIBDIR="/firesteel/target/usr/lib/$triplet/pkgconfig"

meson setup "$work/build" "$source" --cross-file "$source/@ARCHITECTURE@.ini" \
    --prefix /usr --libdir "lib/$triplet" -Dprovider=enabled \
    -Dc_args="-isystem /firesteel/target/usr/include/$triplet"
nice ninja -C "$work/build"
DESTDIR="$work/installed" meson install -C "$work/build" --no-rebuild

cd "$work/installed/usr/lib/$triplet"
cp ossl-modules/firesteel.so libfiresteel.so.0 /firesteel/output
$triplet-strip --strip-debug /firesteel/output/*.so*
