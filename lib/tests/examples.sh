#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Takes the example out of the man page or of docs/library.md, compiles it as a program would, with
# what pkg-config says of the installed library, and runs it on the model: examples.sh man|page
set -eu
case $1 in
man) from=/firesteel/checkout/lib/man/libfiresteel.3 begin='^\.Bd -literal$' end='^\.Ed$' ;;
page) from=/firesteel/checkout/docs/library.md begin='^```c$' end='^```$' ;;
esac
work=/tmp/example
mkdir -p "$work"
DESTDIR=$work meson install -C /firesteel/work/plain --quiet
prefix=$(find "$work" -name firesteel.pc -printf '%h' | head -n 1)
sed -n "/$begin/,/$end/p" "$from" | sed "/$begin/d; /$end/d; s/\\\\e/\\\\/g; s/\\\\&//g" >"$work/example.c"
[ -s "$work/example.c" ]
export PKG_CONFIG_PATH="$prefix" PKG_CONFIG_SYSROOT_DIR="$work"
# shellcheck disable=SC2046 # words are meant
cc -std=c17 -Wall -Wextra -Werror "$work/example.c" -o "$work/example" \
    $(pkg-config --cflags --libs firesteel)
LD_LIBRARY_PATH=${prefix%/pkgconfig} FIRESTEEL_DEVICE=model "$work/example" | tee "$work/said"
grep -q . "$work/said"
