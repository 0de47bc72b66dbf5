# SPDX-License-Identifier: Apache-2.0
# The same disk as board/jobs/disk/dm-crypt.sh makes, for a cipher that the kernel makes of several: sends what code it
# took for them.
. ./dm-crypt.sh

# The disk for sectors of $1 bytes, for the first time.  Only an algorithm that is in use has a reference besides the
# kernel's own list of algorithms.
new_disk() {
	open_disk "$1"
	sed -n 's/^driver *: \(adiantum(.*\)/\1/p' /proc/crypto >/run/code
	probe data "code-$1" /run/code
}
