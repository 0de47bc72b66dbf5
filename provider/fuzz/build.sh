#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzzer: build.sh OUTPUT.  Needs clang with libFuzzer, libcrypto, nettle and libgcrypt.
# Library and model go into the same program, so that all of it has instruments but libcrypto.
set -eu
cd "$(dirname "$0")/.."
others=$(ls ../frontends/common/*.c ../lib/*.c ../model/*.c | grep -v '/no-model\.c$')
flags='-std=c17 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -fno-omit-frame-pointer -pthread'
flags="$flags -DVERSION=\"$(cat ../VERSION)\""
instruments='-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all'
# shellcheck disable=SC2046,SC2086 # words are meant
clang $flags $instruments -I. -I.. -I../lib/include \
    ./*.c base/*.c symmetric/*.c keys/*.c public-key/*.c $others fuzz/*.c -o "$1" \
    $(pkg-config --cflags --libs libcrypto nettle libgcrypt)
