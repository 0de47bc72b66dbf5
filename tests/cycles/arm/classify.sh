#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the cost model says of the instructions of a set, inside the build root: classify.sh SET [TRIPLET]
#
# The classifier is built with the sanitizers.  With a TRIPLET, /firesteel/work/SET.s is assembled to SET.bin,
# and SET.length is its section .length.  SET.text gets a line for each instruction of SET.bin (see classify.c),
# and one more if the assembler pads the section.
set -eu
set=$1 triplet=${2:-}
here=/firesteel/checkout/tests/cycles/arm
devices=/firesteel/checkout/board/qemu/devices
cd /firesteel/work
mkdir -p include/hw
ln -sfn "$devices" include/hw/firesteel
gcc -std=gnu17 -Wall -Wextra -Werror -g -O1 -fsanitize=address,undefined \
    -fno-sanitize-recover=all -I"$here/host" -Iinclude -o classify "$here/classify.c" \
    "$devices/cycles-arm-class.c" "$devices/cycles-arm-operands.c" "$devices/cycles-a64-class.c" \
    "$devices/cycles-a64-vector.c" "$devices/cycles-a64-operands.c" "$devices/cycles-a64-wait.c"
if [ -n "$triplet" ]; then
    "$triplet-as" -o "$set.o" "$set.s"
    "$triplet-objcopy" -O binary -j .text "$set.o" "$set.bin"
    "$triplet-objcopy" -O binary -j .length "$set.o" "$set.length"
fi
./classify "$set" <"$set.bin" >"$set.text"
