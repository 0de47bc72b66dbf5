# SPDX-License-Identifier: Apache-2.0
# A WireGuard tunnel between two nodes: a device of the kernel, with its own default MTU of 1420.  It is made
# together with the node's network; the first packet through it makes the handshake.
#
#   INSIDE_HERE INSIDE_THERE    addresses of the two ends in the tunnel
#   TUNNEL_ROUTES               networks beyond the other end

. ./settings
modprobe wireguard
# Counters of the tunnel are those of this device (proof in functions.sh).
ip link add tun0 type wireguard
wg setconf tun0 wireguard.conf
ip address add "$INSIDE_HERE" peer "$INSIDE_THERE" dev tun0
ip link set tun0 up
for network in $TUNNEL_ROUTES; do
	ip route replace "$network" dev tun0
done
