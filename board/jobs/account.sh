# SPDX-License-Identifier: Apache-2.0
# What the driver counts: requests that it left to software and why, and how often programs opened a
# core.  A cell in which the cores had no work is told by it whether that was the stack's choice
# (lab/src/firesteel/protocols/account.py).

# account before|after: sends it; nothing where the driver is not loaded.
account() {
	[ -d /sys/module/firesteel ] || return 0
	[ -d /sys/kernel/debug/firesteel ] || mount -t debugfs none /sys/kernel/debug
	cat /sys/kernel/debug/firesteel/requests /sys/kernel/debug/firesteel/user >"/run/account.$1"
	probe data "account.$1" "/run/account.$1"
}
