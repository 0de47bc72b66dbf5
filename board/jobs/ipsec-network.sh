# SPDX-License-Identifier: Apache-2.0
# What both kinds of ESP tunnel share: what they count, the inside address of an end that has no network
# behind it, which is the same for all tunnels of a node, and routes to what the tunnel leads to.
#
#   INSIDE_HERE     the inside address; empty on a gateway with networks behind it
#   NETWORK_THERE   networks beyond the other end, a list
#   NEXT_HOP        the next node on the way to the other end

ipsec_network() {
	[ -z "$INSIDE_HERE" ] || ip address replace "$INSIDE_HERE/32" dev lo
	for network in $NETWORK_THERE; do
		ip route replace "$network" via "$NEXT_HOP" ${INSIDE_HERE:+src "$INSIDE_HERE"}
	done
}

tunnel_counters() {
	echo "[xfrm]"
	ip -s xfrm state
	# Those that tunnels have made have their generator of IVs, unlike those that they are made of.
	echo "[crypto]"
	grep -E "^driver.*: (seqiv|echainiv)" /proc/crypto || true
}
