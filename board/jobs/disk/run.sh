# SPDX-License-Identifier: Apache-2.0
# /job/run: measures a disk in memory, bare or behind dm-crypt, with fio.
#
# From the lab (lab/src/firesteel/workloads/dm_crypt/job.py):
#   /job/settings   DRIVER: the module whose algorithms dm-crypt is to use, and its parameters; empty
#                   for none
#                   KERNEL_SOFTWARE: as in board/jobs/kernel-software.sh
#                   SIZE, CIPHER, KEY, METADATA: as in board/jobs/disk/disk.sh
#                   START_OFFSET: seconds to pause before each run
#   /job/runs       a line for each run: its name, the sector size, and fio's options
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

# Writes the sample to the disk and sends what the disk's memory then contains.  dm-integrity writes metadata at the
# latest when the disk is closed.
show_sample() {
	dd if=sample of="$DISK" bs=4096 oflag=direct
	find_sectors "$1"
	close_disk
	dd if=/dev/ram0 bs=512 skip="$DATA" count=16 iflag=direct >/run/raw
	probe data "raw-$1" /run/raw
	if [ "$METADATA" != 0 ]; then
		dd if=/dev/ram0 bs=512 skip="$METADATA_AT" count=8 iflag=direct >/run/metadata
		probe data "metadata-$1" /run/metadata
	fi
	open_disk "$1"
}

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
	fio --name=disk --filename="$DISK" --size="$SIZE" --ioengine=libaio --direct=1 --invalidate=0 \
		--thread $options --output-format=json --output="/run/$name" \
		--exec_prerun="echo $name.begin | probe follow" \
		--exec_postrun="echo $name.end | probe follow"
	cd /job
	probe data "$name" "/run/$name"
done <runs
probe mark proof.after
account after
