# SPDX-License-Identifier: Apache-2.0
# How many frames a second are forwarded without loss (RFC 2544, section 26.1), how many in a burst at the rate
# of the wire (26.4), and what the former take.
#
#   FORWARDING_SIZES    bytes of the frames with their FCS, a list
#   FORWARDING_FRAMES   frames of the longest trial
#   FORWARDING_WINDOW   frames of the stream that is measured at the highest rate
#   FORWARDING_PORT     the server's port for the count of frames that reached it
#
# The kernel's packet generator makes the frames, all at once; a queue in front of the wire lets them go at the
# rate.  The generator's own pauses are loops, in which so fast a node would execute 10^11 instructions a second.

prepare_forwarding() {
	modprobe pktgen
	modprobe sch_netem
	route=$(ip -o route get "$TARGET")
	device=$(echo "$route" | sed 's/.* dev \([^ ]*\) .*/\1/')
	case $route in
	*" via "*) hop=$(echo "$route" | sed 's/.* via \([^ ]*\) .*/\1/') ;;
	*) hop=$TARGET ;;
	esac
	neighbour=$(ip neighbour show "$hop" dev "$device" | sed 's/.*lladdr \([^ ]*\) .*/\1/')
	generate kpktgend_0 "add_device $device"
	for setting in "xmit_mode queue_xmit" "flag !SHARED" "delay 0" "dst $TARGET" "dst_mac $neighbour" \
		"udp_src_min 9" "udp_src_max 9" "udp_dst_min 9" "udp_dst_max 9"; do
		generate "$device" "$setting"
	done
	come=$(arrived)
	for size in $FORWARDING_SIZES; do
		choose_size
		find_rate
		find_burst
	done
}

measure_forwarding() {
	for size in $FORWARDING_SIZES; do
		choose_size
		rate=$(cat "/run/rate-$size")
		start_offset
		window "transit-$size.begin"
		# All nodes have made their marks.
		sleep 0.05
		! loses "$rate" "$FORWARDING_WINDOW" || {
			echo "$lost of $FORWARDING_WINDOW frames of $size bytes were lost at a rate without loss"
			return 1
		}
		window "transit-$size.end"
		echo "$rate $FORWARDING_WINDOW" >"/run/transit-$size"
		probe data "transit-$size" "/run/transit-$size"
		probe data "trials-$size" "/run/trials-$size"
		probe data "burst-$size" "/run/burst-$size"
	done
}

# What all nodes mark.
window() {
	order "$1"
	echo "$1" | probe follow
}

generate() {
	echo "$2" >"/proc/net/pktgen/$1"
}

# Frames have no FCS before they are on the wire, where 20 bytes are between two of them.
choose_size() {
	generate "$device" "pkt_size $((size - 4))"
	wire=$((WIRE_RATE / ((size + 20) * 8)))
}

# How many frames have reached the server since it booted: nobody takes them there.
arrived() {
	nc "$TARGET" "$FORWARDING_PORT" </dev/null | sed -n 's/^Udp: [0-9]* \([0-9]*\) .*/\1/p'
}

# loses RATE FRAMES: whether any of so many frames is lost at the rate, and how many.  What nodes have queued
# has come after a fifth of a second.
loses() {
	tc qdisc replace dev "$device" root netem limit $(($2 + 1000)) rate $(($1 * (size - 4) * 8))bit
	generate "$device" "count $2"
	generate pgctrl start
	sleep $(($2 / $1)).$(printf %03d $(($2 * 1000 / $1 % 1000)))
	sleep 0.2
	before=$come
	come=$(arrived)
	lost=$(($2 - (come - before)))
	echo "$1 $2 $lost" >>"/run/trials-$size"
	[ $lost -ne 0 ]
}

# The highest rate without loss.  What loses frames in a short trial loses them in a long one; so short ones find
# out about which rate long ones are worth while.
find_rate() {
	low=$wire
	top=$((wire + 1))
	came=$wire
	narrow $((FORWARDING_FRAMES / 16 > 800 ? FORWARDING_FRAMES / 16 : 800)) 60
	narrow "$FORWARDING_FRAMES" 3
	echo $low >"/run/rate-$size"
}

# narrow FRAMES SHARE: until less than that share, in per mille, is between a rate without loss and one with it.
# It starts with the one that is thought to be without.  The next one to try is a little less than what came
# through at the lowest rate with loss, or a little more than is known to.
narrow() {
	! try $low "$1" || low=0
	reach=$2
	while [ $(((top - low) * 1000)) -gt $((top * $2)) ]; do
		next=$((came - came * $2 / 2000))
		if [ $next -le $low ]; then
			next=$((low + low * reach / 1000))
			reach=$((reach * 2))
		fi
		[ $next -gt $low ] && [ $next -lt $top ] || next=$(((low + top) / 2))
		try $next "$1" || low=$next
	done
}

# try RATE FRAMES: as `loses`.
try() {
	loses "$@" || return 1
	top=$1
	came=$(($1 * ($2 - lost) / $2))
}

# The longest burst without loss, no longer than the longest trial.
find_burst() {
	low=128
	top=$FORWARDING_FRAMES
	if [ "$(cat "/run/rate-$size")" = $wire ]; then
		low=$top
	elif loses $wire $low; then
		top=$low
		low=0
	else
		while [ $((low * 2)) -lt $top ]; do
			if loses $wire $((low * 2)); then
				top=$((low * 2))
			else
				low=$((low * 2))
			fi
		done
	fi
	while [ $((top - low)) -gt $((1 + low / 500)) ]; do
		middle=$(((low + top) / 2))
		if loses $wire $middle; then
			top=$middle
		else
			low=$middle
		fi
	done
	echo $low >"/run/burst-$size"
}
