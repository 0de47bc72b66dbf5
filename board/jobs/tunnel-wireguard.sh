# SPDX-License-Identifier: Apache-2.0
# A WireGuard tunnel between two nodes: a device of the kernel, with its own default MTU of 1420.
#
#   TUNNEL_ROUTES           networks beyond the other end
# and what tunnels.sh lists.

modprobe wireguard

make_tunnel() {
	device=tun$TUNNEL_NUMBER
	ip link add "$device" type wireguard
	wg setconf "$device" "wireguard-$TUNNEL_NUMBER.conf"
	ip address add "$INSIDE_HERE" peer "$INSIDE_THERE" dev "$device"
	ip link set "$device" up
	for network in $TUNNEL_ROUTES; do
		ip route replace "$network" dev "$device"
	done
}

# The first packet makes the handshake.
tunnel_is_up() {
	answers "$INSIDE_THERE"
}

tunnel_counters() {
	device_counters
}
