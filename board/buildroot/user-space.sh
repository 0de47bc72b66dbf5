#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds libfiresteel and the OpenSSL provider for the guest, inside the build root:
#
#   /firesteel/source   lib/, provider/, frontends/common/, silex/, @ARCHITECTURE@.ini
#   /firesteel/target   usr/ with the guest's libraries and their headers
#   /firesteel/output   firesteel.so and libfiresteel.so.0 afterwards
#   /firesteel/work     empty; may be thrown away
set -eu

work=/firesteel/work
source=/firesteel/source
triplet=@TRIPLET@

# A copy, as the library is installed into it for the provider to find.
cp -a /firesteel/target "$work/target"
export PKG_CONFIG_SYSROOT_DIR="$work/target"
export PKG_CONFIG_LIBDIR="$work/target/usr/lib/$triplet/pkgconfig"

for part in lib provider; do
    meson setup "$work/$part" "$source/$part" --cross-file "$source/@ARCHITECTURE@.ini" \
        --prefix /usr --libdir "lib/$triplet" \
        -Dc_args="-isystem $work/target/usr/include/$triplet"
    nice ninja -C "$work/$part"
    [ $part = provider ] || DESTDIR="$work/target" meson install -C "$work/$part" --no-rebuild
done

cp "$work/provider/firesteel.so" "$work/lib/libfiresteel.so.0" /firesteel/output
$triplet-strip --strip-debug /firesteel/output/*.so*
