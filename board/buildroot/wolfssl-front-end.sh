#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds wolfSSL's front end for the guest, inside the build root:
#
#   /firesteel/source    lib/include/, lib/fork.[ch], frontends/common/, frontends/wolfssl/,
#                        @ARCHITECTURE@.ini
#   /firesteel/library   libfiresteel.so.0 for the guest
#   /firesteel/wolfssl   usr/ with the guest's wolfSSL and its headers
#   /firesteel/output    libfiresteel-wolfssl.so.0 and libfiresteel-wolfssl-preload.so afterwards
#   /firesteel/work      empty; may be thrown away
set -eu

work=/firesteel/work
source=/firesteel/source
triplet=@TRIPLET@

# Where both libraries are, as their packages would say it.
mkdir "$work/described" "$work/libraries"
ln -s /firesteel/library/libfiresteel.so.0 "$work/libraries/libfiresteel.so"
cat >"$work/described/firesteel.pc" <<end
Name: firesteel
Description: The Silex cores
Version: 0
Libs: -L$work/libraries -lfiresteel
Cflags: -I$source/lib/include
end
sed "s|^prefix=.*|prefix=/firesteel/wolfssl/usr|" \
    "/firesteel/wolfssl/usr/lib/$triplet/pkgconfig/wolfssl.pc" >"$work/described/wolfssl.pc"
export PKG_CONFIG_LIBDIR="$work/described"

meson setup "$work/wolfssl" "$source/frontends/wolfssl" --cross-file "$source/@ARCHITECTURE@.ini" \
    --prefix /usr --libdir "lib/$triplet"
nice ninja -C "$work/wolfssl"

cp "$work/wolfssl/libfiresteel-wolfssl.so.0" "$work/wolfssl/libfiresteel-wolfssl-preload.so" \
    /firesteel/output
$triplet-strip --strip-debug /firesteel/output/*.so*
