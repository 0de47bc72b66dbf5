# SPDX-License-Identifier: Apache-2.0
# An OpenVPN tunnel between two nodes: UDP, a tun device, TLS with certificates, the program's own
# defaults for MTU (1500 inside) and TCP segment size (mssfix 1492 outside).  Packets pass through
# user space: this kernel has no ovpn module for data-channel offload.
#
#   TUNNEL_ROLE             client or server of the TLS handshake
#   TUNNEL_HERE TUNNEL_THERE    addresses of the two ends on the wire
#   INSIDE_HERE INSIDE_THERE    addresses of the two ends in the tunnel
#   TUNNEL_ROUTES           networks beyond the other end
#   OPENVPN_CIPHER OPENVPN_AUTH    for --data-ciphers and --auth
#   PEER_NAME               the other end's name in its certificate

load_tun
case $AS_IN_2015 in
*openvpn-buffers*) OLD="--sndbuf 65536 --rcvbuf 65536 --txqueuelen 100" ;;
*) OLD="" ;;
esac
# shellcheck disable=SC2086  # the role is an option's ending; variables of the environment
env $PROVIDER openvpn --daemon --log /run/openvpn.log --verb 3 --dev tun0 --dev-type tun --proto udp4 \
	--local "$TUNNEL_HERE" --remote "$TUNNEL_THERE" --port 1194 \
	--topology p2p --ifconfig "$INSIDE_HERE" "$INSIDE_THERE" \
	--tls-$TUNNEL_ROLE --dh none --ca ca.pem --cert node.pem --key node.key \
	--verify-x509-name "$PEER_NAME" name \
	--data-ciphers "$OPENVPN_CIPHER" --cipher "$OPENVPN_CIPHER" --auth "$OPENVPN_AUTH" $OLD

tunnel_device_up() {
	[ "$(cat /sys/class/net/tun0/carrier 2>/dev/null)" = 1 ] &&
		ip address show dev tun0 | grep -q "$INSIDE_HERE"
}
wait_for "OpenVPN's device" tunnel_device_up || {
	cat /run/openvpn.log
	exit 1
}
case $AS_IN_2015 in
*slow-tun*)
	# Delays each packet for OpenVPN by 0.25 ms, one after the other: 312,500 bytes more at 10 Gbit/s.
	modprobe sch_netem
	ip link set dev tun0 gso_max_segs 1
	tc qdisc add dev tun0 root netem rate 10gbit 312500
	;;
esac
for network in $TUNNEL_ROUTES; do
	ip route replace "$network" via "$INSIDE_THERE"
done
