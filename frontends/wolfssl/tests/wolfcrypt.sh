#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Builds wolfCrypt's own tests, from Debian's source package, against Debian's library with our device for
# all objects; wolfcrypt-main.c says how they are run.  What build.sh builds must be there.
set -eu

work=/firesteel/work/wolfcrypt
tests=/firesteel/checkout/frontends/wolfssl/tests
wolfssl=/firesteel/wolfssl/usr
libraries=$(echo $wolfssl/lib/*/)
plain=/firesteel/work/plain

mkdir -p $work
[ -e $work/tree/wolfcrypt/test/test.c ] || {
    rm -rf $work/tree
    dpkg-source -x /firesteel/wolfssl/source/*.dsc $work/tree
}

id=$(sed -n 's/^#define FIRESTEEL_WOLFSSL_DEVICE_ID //p' \
    /firesteel/checkout/frontends/wolfssl/include/firesteel/wolfssl.h)
nice cc -O1 -w -DNO_MAIN_DRIVER -DWC_USE_DEVID="$id" -isystem $wolfssl/include -I$work/tree -c \
    $work/tree/wolfcrypt/test/test.c -o $work/test.o
nice cc -O1 -isystem $wolfssl/include -I/firesteel/checkout/lib/include \
    -I/firesteel/checkout/frontends/wolfssl/include -o $work/wolfcrypt-tests \
    $tests/wolfcrypt-main.c $tests/unit.c $tests/check.c $work/test.o \
    -L$plain/frontends/wolfssl -L$plain/lib -L"$libraries" \
    -lfiresteel-wolfssl -lfiresteel -lwolfssl -lpthread -lm

# It reads certificates below the tree, and writes files there
cd $work/tree
LD_LIBRARY_PATH=$plain/frontends/wolfssl:$plain/lib:$libraries exec nice \
    $work/wolfcrypt-tests "$@"
