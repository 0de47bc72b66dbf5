# SPDX-License-Identifier: Apache-2.0
# What the stack counts of its own choices: the driver the requests that it left to software and why, and
# the provider the same of each program.  A cell in which the cores had no work is told by them whether
# software was chosen (lab/src/firesteel/protocols/offload.py).

# account before|after: sends both; nothing where the driver is not loaded.
account() {
	[ -d /sys/module/firesteel ] || return 0
	[ -d /sys/kernel/debug/firesteel ] || mount -t debugfs none /sys/kernel/debug
	probe data "driver.$1" /sys/kernel/debug/firesteel/requests
	# One file for each program that the provider served (board/jobs/provider/openssl.cnf)
	cat /run/firesteel-* >"/run/programs.$1" 2>/dev/null || true
	probe data "programs.$1" "/run/programs.$1"
}
