# SPDX-License-Identifier: Apache-2.0
# A web server with TLS that the kernel does: TLS_SERVER says so (serve-https.sh).

# OpenSSL asks for the module by a name that only a kernel with module loading on demand resolves; without it
# nginx would encrypt by itself, without a word.
modprobe tls

# How many connections the kernel has encrypted for, as a section of the proof.
tunnel_counters() {
	echo "[tls]"
	cat /proc/net/tls_stat
}

. ./serve-https.sh
