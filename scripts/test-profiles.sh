#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of driver, library, provider and wolfSSL, or what the arguments say, on every profile
# of the cores.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- tests/boards/test_driver.py provider/tests frontends/wolfssl/tests lib/tests
for profile in firesteel nrf54l15 nrf54lm20a efr32mg22 lan969x; do
    echo "profile $profile"
    FIRESTEEL_TEST_PROFILE=$profile scripts/test.sh "$@"
done
