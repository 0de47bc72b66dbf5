# SPDX-License-Identifier: Apache-2.0
# OpenVPN as it is by itself today, with TLS 1.3 and one group of the key exchange; its clients, who renegotiate every
# second, offer OpenSSL's groups.
#
#   GROUP           of the key exchange

. ./openvpn.sh

TLS="--data-ciphers AES-256-GCM --verb 3"

server_tls() {
	echo "--dh none --tls-version-min 1.3 --tls-groups $GROUP"
}

# OpenSSL's own levels of security; the provider, if there is one.
configuration() {
	[ -z "$PROVIDER" ] || cat openssl.cnf
}
