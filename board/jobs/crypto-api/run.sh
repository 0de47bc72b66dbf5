# SPDX-License-Identifier: Apache-2.0
# /job/run: measures requests to the kernel's crypto API with the module cryptobench.
#
# From the lab (lab/src/firesteel/workloads/crypto_api.py):
#   /job/settings   DRIVER: the module whose algorithms are measured besides the kernel's own, and its
#                   parameters; empty for none
#                   KERNEL_SOFTWARE: as in board/jobs/kernel-software.sh
#                   START_OFFSET: seconds to pause before each run
#   /job/runs       a line for each run: its name, and what is written to /proc/cryptobench
set -e
cd /job
. ./settings
. ./account.sh
. ./kernel-software.sh

modprobe cryptobench
# shellcheck disable=SC2086  # a module and its parameters
[ -z "$DRIVER" ] || modprobe $DRIVER
# The kernel finishes its deferred start-up work first; idle time costs no wall time.
sleep 20

account before
probe mark proof.before
while read -r name settings; do
	[ "$START_OFFSET" = 0 ] || sleep "$START_OFFSET"
	probe mark "$name.begin"
	echo "$settings" >/proc/cryptobench
	probe mark "$name.end"
	probe data "$name" /proc/cryptobench
done <runs
probe mark proof.after
account after
