# SPDX-License-Identifier: Apache-2.0
# Builds the probe of real machines inside the build root, for two architectures:
#
#   /firesteel/recipe   probe.c
#   /firesteel/output   probe-amd64 and probe-@ARCHITECTURE@ afterwards
set -eu

for each in amd64:x86_64-linux-gnu @ARCHITECTURE@:@TRIPLET@; do
    "${each#*:}-gcc" -std=gnu17 -O2 -Wall -Wextra -Werror -static -s \
        -o "/firesteel/output/probe-${each%%:*}" /firesteel/recipe/probe.c
done
