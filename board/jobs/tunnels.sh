# SPDX-License-Identifier: Apache-2.0
# A node's tunnels.  All are made before any is waited for: an end may be busy with another one.
#
#   TUNNEL          NAME of tunnel-NAME.sh, which has three functions: make_tunnel makes this node's end of one
#                   tunnel; tunnel_is_up tells whether it works, and prints what may explain why not;
#                   tunnel_counters prints what tunnels carried, as sections of the proof
#   TUNNELS         their numbers, a list; number 0 carries the client's traffic if one of them does
#
# Each has its settings in tunnel-NUMBER (lab/src/firesteel/workloads/traffic.py):
#   TUNNEL_NUMBER   the number
#   TUNNEL_ROLE     client (starts the negotiation) or server
#   TUNNEL_HERE TUNNEL_THERE    addresses of the two ends on the wire
#   NODE_HERE NODE_THERE        names of the nodes at the two ends
#   INSIDE_HERE INSIDE_THERE    addresses of the two ends in the tunnel
# and the variables that its script lists.

# Waits for 15 s, so that this is the failure that is told, and not that others wait for this node.
await_tunnel() {
	one_of TUNNEL_ROLE "$TUNNEL_ROLE" client server
	[ "$TUNNEL_ROLE" = client ] || return 0
	last=$(($(seconds) + 15))
	until tunnel_is_up >/run/tunnel-up 2>&1; do
		if [ "$(seconds)" -ge $last ]; then
			cat /run/tunnel-up
			echo "The tunnel between $NODE_HERE and $NODE_THERE did not come up."
			return 1
		fi
		sleep 0.05
	done
}

seconds() {
	cut -d . -f 1 /proc/uptime
}

. "./tunnel-$TUNNEL.sh"
for step in make_tunnel await_tunnel; do
	for number in $TUNNELS; do
		. "./tunnel-$number"
		$step
	done
done
