# SPDX-License-Identifier: Apache-2.0
# A disk in memory, bare or behind dm-crypt, and where dm-crypt authenticates its sectors, dm-integrity below it.
#
#   SIZE         bytes of the disk
#   CIPHER, KEY  as dm-crypt's table has them; empty for a bare disk
#   METADATA     bytes that dm-integrity keeps of each sector for dm-crypt, a tag and an IV; 0 for a cipher
#                without authentication
#
# What dm-integrity has on its disk (drivers/md/dm-integrity.c): a superblock of 4 KiB, the journal, and then areas,
# each with the metadata of 32768 sectors of 512 bytes and these sectors.  Mode D writes directly: with a
# journal all is written twice, which would measure the journal and not the cipher.

# What fio is asked for besides: I/Os without the page cache, several at a time.
FIO="--ioengine=libaio --direct=1 --invalidate=0"

# Bytes of data whose metadata lie together: dm-integrity's default.
AREA=$((32768 * 512))

# Makes /dev/ram0, with room for what dm-integrity has besides the data: the journal, 1/128 of the disk but at
# least one section, the metadata of sectors of 512 bytes, and what rounding takes.
make_memory() {
	more=0
	[ "$METADATA" = 0 ] ||
		more=$((512 + SIZE / 1024 / 64 + (SIZE / AREA + 1) * (32768 * METADATA / 1024 + 4)))
	modprobe brd rd_nr=1 rd_size=$((SIZE / 1024 + more)) max_part=0
}

# There is no udev to make nodes below /dev/mapper; the kernel makes /dev/dm-N by itself.
mapping() {
	dmsetup "$@" --noudevrules --noudevsync
}

# Sets DISK to the kernel's node of the mapping $1.
use_mapping() {
	for node in /sys/block/dm-*; do
		[ "$(cat "$node/dm/name")" != "$1" ] || DISK=/dev/${node##*/}
	done
	[ -b "$DISK" ]
}

# Sets DISK to a disk that stores metadata with sectors of $1 bytes; without a superblock it makes a new one.
open_integrity() {
	set -- fix_padding "block_size:$1"
	echo "0 $((SIZE / 512)) integrity /dev/ram0 0 $METADATA D $# $*" | mapping create integrity
	use_mapping integrity
}

# Sets DISK to a disk that encrypts sectors of $1 bytes; without a cipher it is the bare one.
open_disk() {
	DISK=/dev/ram0
	[ -n "$CIPHER" ] || return 0
	[ "$1" = 512 ] || set -- "$@" "sector_size:$1"
	if [ "$METADATA" != 0 ]; then
		open_integrity "$1"
		set -- "$@" "integrity:$METADATA:aead"
	fi
	shift
	echo "0 $((SIZE / 512)) crypt $CIPHER $KEY 0 $DISK 0 $# $*" | mapping create disk
	use_mapping disk
}

close_disk() {
	[ -z "$CIPHER" ] || mapping remove disk
	[ "$METADATA" = 0 ] || mapping remove integrity
}

# The disk for sectors of $1 bytes, for the first time.  A sector that was never written has no valid tag.
new_disk() {
	[ "$METADATA" = 0 ] || dd if=/dev/zero of=/dev/ram0 bs=4096 count=1 oflag=direct
	open_disk "$1"
	[ "$METADATA" = 0 ] || dd if=/dev/zero of="$DISK" bs=65536 count=$((SIZE / 65536)) oflag=direct
}

# Sets DATA, and METADATA_AT, to where /dev/ram0 has sectors of $1 bytes of the open disk and their metadata, in
# units of 512 bytes.
find_sectors() {
	DATA=0
	[ "$METADATA" != 0 ] || return 0
	journal=$(dmsetup table integrity | grep -o 'journal_sectors:[0-9]*')
	METADATA_AT=$((8 + ${journal#*:}))
	DATA=$((METADATA_AT + (AREA / $1 * METADATA + 4095) / 4096 * 8))
}

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
