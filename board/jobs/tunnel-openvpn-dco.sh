# SPDX-License-Identifier: Apache-2.0
# As tunnel-openvpn.sh, with packets left to the kernel (data channel offload, DCO).  The module counts on an MTU of
# 1428 inside.  OpenVPN's default of 1500 would cut each full packet in two, as nobody makes TCP's segments
# smaller: mssfix counts for packets that pass through OpenVPN.

modprobe -a udp_tunnel ip6_udp_tunnel
insmod ./ovpn-dco-v2.ko
. ./tunnel-openvpn.sh
OPENVPN_OPTIONS="--tun-mtu 1428"

tunnel_counters() {
	device_counters
	echo "[device]"
	ip -details link show dev tun0
}
