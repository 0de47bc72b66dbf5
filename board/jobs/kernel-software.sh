# SPDX-License-Identifier: Apache-2.0
# Which code of its own the kernel has for crypto.
#
#   KERNEL_SOFTWARE     fastest, as-installed, or empty where the kernel's crypto has no part

# For a name the kernel takes the algorithm of highest priority that is loaded, and loads none if its
# generic code can serve.  So Debian's hashes are generic C, unless something else asks for more.
# All that is written for the processor has a higher priority and is faster
# (tests/boards/test_kernel_software.py); what needs instructions that this one lacks does not load.
load_fastest() {
	for directory in "/lib/modules/$(uname -r)"/kernel/arch/*/crypto; do
		for module in "$directory"/*.ko; do
			name=${module##*/}
			modprobe -q "${name%.ko}" 2>/dev/null || true
		done
	done
}

# Fails when a tunnel has generic code although faster was loaded.
check_fastest() {
	[ "$KERNEL_SOFTWARE" = fastest ] || return 0
	! grep -E "^driver .*(authenc|gcm).*(aes|sha[0-9]+|ghash)-generic" /proc/crypto || {
		echo "the kernel took generic code where it has faster"
		return 1
	}
}

case $KERNEL_SOFTWARE in
fastest) load_fastest ;;
as-installed | "") ;;
*)
	echo "KERNEL_SOFTWARE is \`$KERNEL_SOFTWARE'; allowed are: fastest, as-installed and nothing"
	exit 1
	;;
esac
