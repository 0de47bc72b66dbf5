# SPDX-License-Identifier: Apache-2.0
# OpenVPN with TLS 1.3 and one group of the key exchange; its clients, who renegotiate every second, offer OpenSSL's
# groups.
#
#   GROUP           of the key exchange

. ./openvpn.sh

server_tls() {
	echo "--dh none --tls-version-min 1.3 --tls-groups $GROUP"
}
