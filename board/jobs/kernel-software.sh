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
}

# Makes pcrypt's algorithms of those that ESP asks for: they are there as soon as somebody asks for them by
# this name, and of higher priority than what they are made of.  That is all this module is for here, which
# refuses to stay.  The first association brings better code for GHASH than there was before it, by which all is
# removed that was made of the former; so there is one beforehand.
load_threads() {
	ip xfrm state add src 127.0.0.1 dst 127.0.0.1 proto esp spi 1 mode tunnel \
		aead "rfc4106(gcm(aes))" "0x$(printf %072d 0)" 128
	ip xfrm state flush
	for name in "rfc4106(gcm(aes))" "authenc(hmac(sha256),cbc(aes))"; do
		! modprobe -q tcrypt alg="pcrypt($name)" type=3
		grep -q "^driver.*: pcrypt($(echo "$name" | cut -d "(" -f 1)" /proc/crypto || {
			echo "the kernel has no pcrypt($name)"
			return 1
		}
	done
}

# Fails when a tunnel uses generic code although faster code was loaded.
check_fastest() {
	case $KERNEL_SOFTWARE in
	fastest | threads) ;;
	*) return 0 ;;
	esac
	! grep -E "^driver .*(authenc|gcm).*(aes|sha[0-9]+|ghash)-generic" /proc/crypto || {
		echo "the kernel uses generic code although it has faster code"
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
