# SPDX-License-Identifier: Apache-2.0
# An ESP tunnel with keys set by hand, for what IKEv2 refuses to negotiate: no integrity, and no
# cipher either.  The associations have a cipher and no authentication algorithm; the kernel then
# completes it to authenc(digest_null, cipher).  With cipher_null that is encapsulation alone.
#
#   NETWORK_HERE NETWORK_THERE  lists of networks between which packets take the tunnel
#   SPI_HERE SPI_THERE          the associations' numbers, of packets to here and to there
#   KEY_HERE KEY_THERE          their keys, in hexadecimal; empty for the null cipher
#   ESP_CIPHER                  the kernel's name of the cipher
#   REQID                       what joins policies and associations, a number for each tunnel
# and what ipsec-network.sh and tunnels.sh list.

. ./ipsec-network.sh

make_tunnel() {
	ipsec_network
	association "$TUNNEL_HERE" "$TUNNEL_THERE" "$SPI_THERE" "$KEY_THERE"
	association "$TUNNEL_THERE" "$TUNNEL_HERE" "$SPI_HERE" "$KEY_HERE"
	for here in $NETWORK_HERE; do
		for there in $NETWORK_THERE; do
			policy "$here" "$there" out "$TUNNEL_HERE" "$TUNNEL_THERE"
			policy "$there" "$here" in "$TUNNEL_THERE" "$TUNNEL_HERE"
			policy "$there" "$here" fwd "$TUNNEL_THERE" "$TUNNEL_HERE"
		done
	done
}

association() {
	ip xfrm state add src "$1" dst "$2" proto esp spi "$3" reqid "$REQID" mode tunnel \
		replay-window 32 enc "$ESP_CIPHER" "$4"
}

policy() {
	ip xfrm policy add src "$1" dst "$2" dir "$3" \
		tmpl src "$4" dst "$5" proto esp reqid "$REQID" mode tunnel
}

# Nothing is negotiated.
tunnel_is_up() {
	true
}
