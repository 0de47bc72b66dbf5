# SPDX-License-Identifier: Apache-2.0
# /job/run: measures OpenSSL's algorithms by `openssl speed`, by block size.
#
# From the lab (lab/src/firesteel/workloads/openssl_speed.py):
#   /job/settings   DRIVER: the module that hands a core to programs, or works with it for the kernel, and its
#                   parameters; empty for none
#                   PROVIDER: the environment with which OpenSSL uses the cores; empty for its own software
#                   SECONDS_EACH: of each block size
#                   START_OFFSET: seconds to pause before each run
#   /job/runs       a line for each run: its name, the block size, and options of speed
set -e
cd /job
. ./settings
. ./account.sh

# shellcheck disable=SC2086  # a module and its parameters
[ -z "$DRIVER" ] || modprobe $DRIVER
# The kernel finishes its deferred start-up work first; idle time costs no wall time.
sleep 20

account before
probe mark proof.before
while read -r name size options; do
	[ "$START_OFFSET" = 0 ] || sleep "$START_OFFSET"
	# Without -elapsed it counts CPU time, by which a core would be infinitely fast while its caller sleeps.
	# shellcheck disable=SC2086  # variables of the environment; options are words
	probe run "$name" env $PROVIDER openssl speed -elapsed -mr -seconds "$SECONDS_EACH" \
		-bytes "$size" $options >"/run/$name" 2>&1 || {
		cat "/run/$name"
		exit 1
	}
	probe data "$name" "/run/$name"
done <runs
probe mark proof.after
account after
