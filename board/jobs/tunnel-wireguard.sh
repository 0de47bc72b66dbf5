# SPDX-License-Identifier: Apache-2.0
# A WireGuard tunnel between two nodes: a device of the kernel or, by wireguard-go, a tun device of a program;
# both with the default MTU of 1420.
#
#   WIREGUARD_BY            kernel or program
#   TUNNEL_ROUTES           networks beyond the other end
# and what tunnels.sh lists.

. ./tun.sh

one_of WIREGUARD_BY "$WIREGUARD_BY" kernel program
case $WIREGUARD_BY in
kernel) modprobe wireguard ;;
program) load_tun ;;
esac

make_tunnel() {
	device=tun$TUNNEL_NUMBER
	case $WIREGUARD_BY in
	kernel) ip link add "$device" type wireguard ;;
	program) wireguard-go "$device" ;;
	esac
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
	# A device of the kernel's has a type of its own there.
	echo "[device]"
	cat /sys/class/net/tun0/uevent
}
