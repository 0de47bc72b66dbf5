# SPDX-License-Identifier: Apache-2.0
# /job/run: measures a disk in memory, as /job/disk.sh makes it, with fio.
#
# From the lab (lab/src/firesteel/workloads/disk.py):
#   /job/settings   DRIVER: the module whose algorithms the kernel is to use, and its parameters; empty
#                   for none
#                   KERNEL_SOFTWARE: as in board/jobs/kernel-software.sh
#                   SIZE: bytes of the disk; and what /job/disk.sh asks for
#                   START_OFFSET: seconds to pause before each run
#   /job/runs       a line for each run: its name, the sector size, and fio's options
#   /job/disk.sh    board/jobs/disk/dm-crypt.sh or fscrypt.sh
#   /job/sample     what is written to the start of the disk, to compare with what is stored there
set -e
cd /job
. ./settings
. ./account.sh
. ./kernel-software.sh
. ./disk.sh

# shellcheck disable=SC2086  # a module and its parameters
[ -z "$DRIVER" ] || modprobe $DRIVER
make_memory

# Memory that was never written costs nothing to read.
dd if=/dev/zero of=/dev/ram0 bs=65536 count=$((SIZE / 65536)) oflag=direct
# The kernel finishes its deferred start-up work first; idle time costs no wall time.
sleep 20

sector=""
account before
probe mark proof.before
while read -r name wanted options; do
	if [ "$wanted" != "$sector" ]; then
		[ -z "$sector" ] || close_disk
		sector=$wanted
		new_disk "$sector"
		show_sample "$sector"
	fi
	[ "$START_OFFSET" = 0 ] || sleep "$START_OFFSET"
	cd /run
	# shellcheck disable=SC2086  # options are words
	fio --name=disk --filename="$DISK" --size="$SIZE" $FIO --thread $options \
		--output-format=json --output="/run/$name" \
		--exec_prerun="echo $name.begin | probe follow" \
		--exec_postrun="echo $name.end | probe follow"
	cd /job
	probe data "$name" "/run/$name"
done <runs
probe mark proof.after
account after
