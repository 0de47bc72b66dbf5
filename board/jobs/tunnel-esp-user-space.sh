# SPDX-License-Identifier: Apache-2.0
# As tunnel-esp-ike.sh, but charon does the work of ESP too: the kernel has no association.  All tunnels of a
# node are one tun device, whose name charon chooses.

load_tun
. ./tunnel-esp-ike.sh

tunnel_counters() {
	device_counters ipsec0
	echo "[xfrm]"
	ip xfrm state
}
