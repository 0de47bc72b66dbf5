# SPDX-License-Identifier: Apache-2.0
# Tells how many frames have reached this node: as many seconds after the first one as it is told, and half a
# second later, when all have come that will.

# No other program is started for it, as it is asked every millisecond.
count() {
	while read -r protocol _ unclaimed _; do
		[ "$protocol" != Udp: ] || frames=$unclaimed
	done </proc/net/snmp
}

read -r pause
count
before=$frames
patience=500
while [ "$frames" = "$before" ] && [ $patience -gt 0 ]; do
	sleep 0.001
	patience=$((patience - 1))
	count
done
sleep "$pause"
count
echo "$frames"
sleep 0.5
count
echo "$frames"
