# SPDX-License-Identifier: Apache-2.0
# Which software implementations the kernel uses for crypto.
#
#   KERNEL_SOFTWARE     fastest, threads (the fastest, by pcrypt in threads of the kernel's), as-installed, or empty where the kernel's crypto is not used

# For a name the kernel takes the loaded algorithm of highest priority, and loads none if its generic
# code suffices.  So Debian's hashes are generic C, unless something else loads more.  All code that is
# written for the processor has a higher priority and is faster (tests/boards/test_kernel_software.py);
# modules that need instructions that this processor lacks do not load.
load_fastest() {
	for directory in "/lib/modules/$(uname -r)"/kernel/arch/*/crypto; do
		for module in "$directory"/*.ko; do
			name=${module##*/}
			modprobe -q "${name%.ko}" 2>/dev/null || true
		done
	done
	load_direct_gcm
}

# Makes the algorithm $1, an AEAD, which the kernel keeps for all that ask for what it is.  That is all this module is
# for here, which refuses to stay.
make_aead() {
	! modprobe -q tcrypt alg="$1" type=3
	grep -q "^driver.*: $(echo "$1" | cut -d "(" -f 1)(" /proc/crypto || {
		echo "the kernel has no $1"
		return 1
	}
}

# GCM by direct calls.  On 32-bit ARM the kernel makes it of code for GHASH whose opening brings cryptd's version of
# that code, which has a higher priority: so only the first user of GCM calls GHASH directly, and packets and
# records of all others wait for threads of the kernel's.
load_direct_gcm() {
	for part in ctr-aes-neonbs ghash-ce-sync; do
		grep -q "^driver *: $part\$" /proc/crypto || return 0
	done
	make_aead "gcm_base(ctr-aes-neonbs,ghash-ce-sync)"
}

# Makes pcrypt's algorithms of those that ESP asks for: they are there as soon as somebody asks for them by
# this name, and of higher priority than what they are made of.
load_threads() {
	for name in "rfc4106(gcm(aes))" "authenc(hmac(sha256),cbc(aes))"; do
		make_aead "pcrypt($name)"
	done
}

# Fails when a tunnel uses generic code, or waits for cryptd, although faster code was loaded.
check_fastest() {
	case $KERNEL_SOFTWARE in
	fastest | threads) ;;
	*) return 0 ;;
	esac
	! grep -E "^driver .*(authenc|gcm).*((aes|sha[0-9]+|ghash)-generic|cryptd)" /proc/crypto || {
		echo "the kernel uses generic code, or cryptd, although it has faster code"
		return 1
	}
}

case $KERNEL_SOFTWARE in
fastest) load_fastest ;;
threads)
	load_fastest
	load_threads
	;;
as-installed | "") ;;
*)
	echo "KERNEL_SOFTWARE is \`$KERNEL_SOFTWARE'; allowed are: fastest, threads, as-installed and nothing"
	exit 1
	;;
esac
