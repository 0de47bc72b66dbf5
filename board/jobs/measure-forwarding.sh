# SPDX-License-Identifier: Apache-2.0
# How many frames a second are forwarded without loss (RFC 2544, section 26.1), how many in a burst at the rate
# of the wire (26.4), and what the former take.
#
#   FORWARDING_SIZES    bytes of the frames with their FCS, a list
#   FORWARDING_FRAMES   frames of the longest trial
#   FORWARDING_PORT     the server's port for the count of frames that reached it
#   FRAMES_PORT         the server's port for frames
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
		"udp_src_min 9" "udp_src_max 9" "udp_dst_min $FRAMES_PORT" "udp_dst_max $FRAMES_PORT"; do
		generate "$device" "$setting"
	done
	for size in $FORWARDING_SIZES; do
		choose_size
		# The first frames of a size take longer: memory for so many at once is not there yet.
		trial $wire 1000
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
		trial "$rate" "$FORWARDING_FRAMES"
		[ $lost -eq 0 ] || {
			echo "$lost of $FORWARDING_FRAMES frames of $size bytes were lost at a rate without loss"
			return 1
		}
		window "transit-$size.end"
		echo "$rate $FORWARDING_FRAMES" >"/run/transit-$size"
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

# trial RATE FRAMES: sends so many frames at the rate; then `lost` did not come, and `reached` is how many of those
# that did came in 1000 seconds.
trial() {
	tc qdisc replace dev "$device" root netem limit $(($2 + 1000)) rate $(($1 * (size - 4) * 8))bit
	generate "$device" "count $2"
	: >/run/count
	echo "$2" | nc "$TARGET" "$FORWARDING_PORT" >/run/count &
	counting=$!
	until [ -s /run/count ]; do sleep 0.001; done
	generate pgctrl start
	wait $counting
	read -r frames reached <<-END
		$(tail -n 1 /run/count)
	END
	lost=$(($2 - frames))
	echo "$1 $2 $lost $reached" >>"/run/trials-$size"
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
# through at the lowest rate with loss; or more than is known to, in growing steps, but no more than the middle.
narrow() {
	! overloads $low "$1" "$2" || low=0
	reach=$2
	while [ $(((top - low) * 1000)) -gt $((top * $2)) ]; do
		next=$((came - came * $2 / 2000))
		middle=$(((low + top) / 2))
		if [ $next -le $low ]; then
			next=$((low + low * reach / 1000))
			reach=$((reach * 4))
			[ $next -gt $low ] && [ $next -lt $middle ] || next=$middle
		fi
		overloads $next "$1" "$2" || low=$next
	done
}

# overloads RATE FRAMES SHARE: whether frames are lost, or would be in a trial without end: as they come more slowly
# than they are sent, by over two thirds of that share, and wait in a queue that grows; or as all are held back until
# no more come, and come faster then.
overloads() {
	trial "$1" "$2"
	if [ "$reached" -gt $(($1 * 1100)) ]; then
		came=$(($1 * ($2 - lost) / $2 / 2))
	elif [ $lost -gt 0 ] || [ "$reached" -lt $(($1 * (1000 - $3 * 2 / 3))) ]; then
		came=$((reached / 1000))
		[ $came -lt "$1" ] || came=$(($1 * ($2 - lost) / $2))
	else
		return 1
	fi
	top=$1
}

# bursts FRAMES: whether some of a burst at the rate of the wire are lost.
bursts() {
	trial $wire "$1"
	[ $lost -gt 0 ]
}

# The longest burst without loss, no longer than the longest trial.
find_burst() {
	low=128
	top=$FORWARDING_FRAMES
	if [ "$(cat "/run/rate-$size")" = $wire ]; then
		low=$top
	elif bursts $low; then
		top=$low
		low=0
	else
		while [ $((low * 2)) -lt $top ]; do
			if bursts $((low * 2)); then
				top=$((low * 2))
			else
				low=$((low * 2))
			fi
		done
	fi
	while [ $((top - low)) -gt $((1 + low / 500)) ]; do
		middle=$(((low + top) / 2))
		if bursts $middle; then
			top=$middle
		else
			low=$middle
		fi
	done
	echo $low >"/run/burst-$size"
}
