# SPDX-License-Identifier: Apache-2.0
# An OpenVPN tunnel between two nodes: UDP, a tun device, TLS with certificates, the program's own
# defaults for MTU (1500 inside) and TCP segment size (mssfix 1492 outside).  Packets pass through
# user space: this kernel has no module for data channel offload unless tunnel-openvpn-dco.sh loads it.
#
#   PORT_HERE PORT_THERE    UDP ports of the two ends
#   TUNNEL_ROUTES           networks beyond the other end
#   OPENVPN_CIPHER OPENVPN_AUTH    for --data-ciphers and --auth
# and what tunnels.sh lists.

. ./tun.sh
load_tun
case $AS_IN_2015 in
*openvpn-buffers*) OPENVPN_OPTIONS="--sndbuf 65536 --rcvbuf 65536 --txqueuelen 100" ;;
*) OPENVPN_OPTIONS="" ;;
esac

make_tunnel() {
	device=tun$TUNNEL_NUMBER
	# shellcheck disable=SC2086  # the role is an option's ending; variables of the environment
	env $PROVIDER openvpn --daemon --cd "$PWD" --log "/run/openvpn-$TUNNEL_NUMBER.log" --verb 3 \
		--dev "$device" --dev-type tun --proto udp4 \
		--local "$TUNNEL_HERE" --remote "$TUNNEL_THERE" --lport "$PORT_HERE" --rport "$PORT_THERE" \
		--topology p2p --ifconfig "$INSIDE_HERE" "$INSIDE_THERE" \
		--tls-$TUNNEL_ROLE --dh none --ca ca.pem --cert node.pem --key node.key \
		--verify-x509-name "$NODE_THERE" name \
		--data-ciphers "$OPENVPN_CIPHER" --cipher "$OPENVPN_CIPHER" --auth "$OPENVPN_AUTH" $OPENVPN_OPTIONS
	wait_for "OpenVPN's device" device_up || {
		cat "/run/openvpn-$TUNNEL_NUMBER.log"
		return 1
	}
	case $AS_IN_2015 in
	*slow-tun*)
		# Delays each packet for OpenVPN by 0.25 ms, one after the other: 312,500 bytes more at 10 Gbit/s.
		modprobe sch_netem
		ip link set dev "$device" gso_max_segs 1
		tc qdisc add dev "$device" root netem rate 10gbit 312500
		;;
	esac
	for network in $TUNNEL_ROUTES; do
		ip route replace "$network" via "$INSIDE_THERE"
	done
}

device_up() {
	[ "$(cat "/sys/class/net/$device/carrier" 2>/dev/null)" = 1 ] &&
		ip address show dev "$device" | grep -q "$INSIDE_HERE"
}

tunnel_is_up() {
	answers "$INSIDE_THERE" || {
		tail -n 20 "/run/openvpn-$TUNNEL_NUMBER.log"
		return 1
	}
}

tunnel_counters() {
	device_counters
}
