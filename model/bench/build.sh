#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Builds the benchmark as the model is built for use: build.sh OUTPUT.
set -eu
cd "$(dirname "$0")/../.."
# shellcheck disable=SC2046 # words are meant
cc -std=c17 -O2 -Wall -Wextra -Werror -I. -Imodel model/*.c model/bench/*.c -o "$1" \
    $(pkg-config --cflags --libs nettle libgcrypt)
