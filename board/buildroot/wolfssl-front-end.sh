#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds wolfSSL's front end for the guest, inside the build root:
#
#   /firesteel/source    the project with lib/, silex/, frontends/common/, frontends/wolfssl/;
#                        @ARCHITECTURE@.ini
#   /firesteel/wolfssl   usr/ with the guest's wolfSSL and its headers
#   /firesteel/output    libfiresteel-wolfssl.so.0 and libfiresteel-wolfssl-preload.so afterwards
#   /firesteel/work      empty; may be thrown away
set -eu

work=/firesteel/work
source=/firesteel/source
triplet=@TRIPLET@

mkdir "$work/described"
sed "s|^prefix=.*|prefix=/firesteel/wolfssl/usr|" \
    "/firesteel/wolfssl/usr/lib/$triplet/pkgconfig/wolfssl.pc" >"$work/described/wolfssl.pc"
export PKG_CONFIG_LIBDIR="$work/described"

meson setup "$work/build" "$source" --cross-file "$source/@ARCHITECTURE@.ini" \
    --prefix /usr --libdir "lib/$triplet" -Dprovider=disabled -Dwolfssl=enabled
nice ninja -C "$work/build"
DESTDIR="$work/installed" meson install -C "$work/build" --no-rebuild

cd "$work/installed/usr/lib/$triplet"
cp libfiresteel-wolfssl.so.0 libfiresteel-wolfssl-preload.so /firesteel/output
$triplet-strip --strip-debug /firesteel/output/*.so*
