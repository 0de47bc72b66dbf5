#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Builds the fuzzer: build.sh OUTPUT.  Needs clang with libFuzzer, nettle and libgcrypt.
set -eu
cd "$(dirname "$0")/../.."
# shellcheck disable=SC2046 # words are meant
clang -std=c17 -g -O1 -Wall -Wextra -Werror -fno-omit-frame-pointer \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    -I. -Imodel model/*.c model/fuzz/window.c -o "$1" \
    $(pkg-config --cflags --libs nettle libgcrypt)
