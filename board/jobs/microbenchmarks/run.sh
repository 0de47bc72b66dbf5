# SPDX-License-Identifier: Apache-2.0
# /job/run: measures operations of the processor, the memory and the kernel one after the other.
#
# From the lab (lab/src/firesteel/workloads/microbenchmarks.py):
#   /job/settings   START_OFFSET: seconds to pause before each run
#   /job/runs       a line for each run: its name, and the command that measures and reports
set -e
cd /job
. ./settings

# The kernel finishes its deferred start-up work first; idle time costs no wall time.
sleep 20

probe mark proof.before
while read -r name command; do
	[ "$START_OFFSET" = 0 ] || sleep "$START_OFFSET"
	# shellcheck disable=SC2086  # a command and its words
	probe run "$name" $command >"/run/$name" 2>&1 </dev/null || {
		cat "/run/$name"
		exit 1
	}
	probe data "$name" "/run/$name"
done <runs
probe mark proof.after
