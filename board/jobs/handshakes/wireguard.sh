# SPDX-License-Identifier: Apache-2.0
# WireGuard's tunnels, devices of the kernel.  A client's key makes the tunnel its own, so the server has one device,
# with a peer for each client, and each client a device.

. ./tunnels.sh
. ./tun.sh

PORT=51820

# A server takes no more than 50 handshakes of one key each second, and times of handshakes are as coarse as that: what
# comes sooner is dropped, and repeated after 5 s.
PAUSE=0.03

# make_device NUMBER: its configuration is in wireguard-NUMBER.conf.
make_device() {
	ip link add "tun$1" type wireguard
	wg setconf "tun$1" "wireguard-$1.conf"
	ip link set "tun$1" up
}

serve() {
	modprobe wireguard
	make_device 0
	for number in $(seq "$CLIENTS"); do
		ip address add "10.9.$number.1" peer "10.9.$number.2" dev tun0
	done
}

start_clients() {
	modprobe wireguard
	for number in $(seq "$CLIENTS"); do
		echo "Endpoint = $TARGET:$PORT" >>"wireguard-$number.conf"
		make_device "$number"
		wg show "tun$number" private-key >"/run/key-$number"
		ip address add "10.9.$number.2" peer "10.9.$number.1" dev "tun$number"
	done
}

# Without its key the device gives up its session, so that the packet which asks for an answer waits for a handshake:
# ping's time is that of both.  A peer that is removed would cost the client more time than the server has work.
make_tunnel() {
	wg set "tun$2" private-key /dev/null
	wg set "tun$2" private-key "/run/key-$2"
	ping -n -c 1 -W 2 "10.9.$2.1" | grep "time="
	sleep $PAUSE
}

tunnel_counters() {
	[ "$PART" != server ] || device_counters
}
