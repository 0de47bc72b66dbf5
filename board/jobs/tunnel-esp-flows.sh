# SPDX-License-Identifier: Apache-2.0
# tunnel-esp-ike.sh with a tunnel for each of several flows, besides that of all other traffic.
#
#   FLOWS           their numbers, a list

. ./tunnel-esp-ike.sh

tunnel_is_up() {
	answers "$TUNNEL_THERE" || return
	for suffix in "" $FLOWS; do
		child=tunnel$TUNNEL_NUMBER${suffix:+-$suffix}
		swanctl --list-sas --child "$child" | grep -q INSTALLED ||
			swanctl --initiate --child "$child" --timeout 5 || return
	done
}
