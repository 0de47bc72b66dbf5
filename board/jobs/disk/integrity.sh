# SPDX-License-Identifier: Apache-2.0
# dm-integrity below dm-crypt: it keeps the tag and the IV of each sector, METADATA bytes.
#
# Its disk (drivers/md/dm-integrity.c): a superblock of 4 KiB, the journal, and then areas, each with the metadata
# of 32768 sectors of 512 bytes and these sectors.  Mode D writes directly: data and metadata are not written to the
# journal first, which would measure the journal and not the cipher.

# Bytes of data whose metadata lie together, dm-integrity's default.
AREA=$((32768 * 512))

# Prints the KiB that the disk needs besides its data: the journal, 1/128 of the disk but at least one section,
# the metadata of sectors of 512 bytes, and what rounding takes.
integrity_kib() {
	[ "$METADATA" != 0 ] || {
		echo 0
		return
	}
	echo $((512 + SIZE / 1024 / 64 + (SIZE / AREA + 1) * (32768 * METADATA / 1024 + 4)))
}

# The kernel's node of the mapping $1.
node_of() {
	for node in /sys/block/dm-*; do
		if [ "$(cat "$node/dm/name")" = "$1" ]; then
			echo "/dev/${node##*/}"
			return
		fi
	done
	echo "there is no mapping $1" >&2
	return 1
}

# Without a superblock, the next open_integrity makes a new one.
clear_integrity() {
	dd if=/dev/zero of=/dev/ram0 bs=4096 count=1 oflag=direct
}

# Sets DISK to a disk that stores metadata with sectors of $1 bytes.
open_integrity() {
	set -- fix_padding "block_size:$1"
	echo "0 $((SIZE / 512)) integrity /dev/ram0 0 $METADATA D $# $*" | mapping create integrity
	DISK=$(node_of integrity)
}

# Sets METADATA_SECTOR and DATA_SECTOR to where the first area has its parts, with sectors of $1 bytes.
find_integrity() {
	journal=$(dmsetup table integrity | grep -o 'journal_sectors:[0-9]*' | cut -d: -f2)
	METADATA_SECTOR=$((8 + journal))
	DATA_SECTOR=$((METADATA_SECTOR + (AREA / $1 * METADATA + 4095) / 4096 * 8))
}
