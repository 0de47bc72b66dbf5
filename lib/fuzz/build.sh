#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzzer: build.sh OUTPUT.  Needs clang with libFuzzer, nettle and libgcrypt.
set -eu
cd "$(dirname "$0")/.."
sources=$(ls ./*.c ../model/*.c | grep -v '^\./no-model\.c$')
# shellcheck disable=SC2046,SC2086 # words are meant
clang -std=c17 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -fno-omit-frame-pointer -pthread \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    -Iinclude $sources fuzz/request.c -o "$1" \
    $(pkg-config --cflags --libs nettle libgcrypt)
