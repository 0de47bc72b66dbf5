# SPDX-License-Identifier: Apache-2.0
# Tunnels that are a network device.

# Tunnels through user space need /dev/net/tun.
load_tun() {
	modprobe tun
	mkdir -p /dev/net
	[ -e /dev/net/tun ] || mknod /dev/net/tun c 10 200
}

# device_counters [DEVICE]: the section of a tunnel that is a device; what counts is tunnel 0.
device_counters() {
	echo "[tun]"
	(cd "/sys/class/net/${1:-tun0}/statistics" && grep . rx_bytes rx_packets tx_bytes tx_packets)
}
