# SPDX-License-Identifier: Apache-2.0
# As tunnel-esp-ike.sh, but charon does the work of ESP too: the kernel has no association.  All tunnels of a
# node are one tun device, whose name charon chooses.

. ./tun.sh
load_tun
# Starts charon, which needs the device at once.
. ./tunnel-esp-ike.sh

# What a gateway itself sends to a host beyond, as an acknowledgement of orders, is not for the tunnel, which is for
# networks: charon would drop it.  Its routes are in table 220, behind rule 220.
make_tunnel() {
	ipsec_network
	ip rule add from "$(ip -o route get "$NEXT_HOP" | sed 's/.* src \([0-9.]*\).*/\1/')" lookup main pref 219
}

tunnel_counters() {
	device_counters ipsec0
	echo "[xfrm]"
	ip xfrm state
}
