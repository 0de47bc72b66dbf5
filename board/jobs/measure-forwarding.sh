# SPDX-License-Identifier: Apache-2.0
# How many frames a second are forwarded without loss (RFC 2544, section 26.1), how many in a burst at the rate
# of the wire (26.4), what the former take, and how long a frame takes under light load.
#
#   FORWARDING_SIZES    bytes of the frames with their FCS, a list
#   FORWARDING_FRAMES   frames of the longest trial
#   FORWARDING_PORT     the server's port for the count of frames that reached it
#   FRAMES_PORT         the server's port for frames
#   LIGHT_RATE          light load, in frames a second
#   LIGHT_FRAMES        frames of the stream under light load
#
# The kernel's packet generator makes the frames, all at once; a queue in front of the wire lets them go at the
# rate.  The generator's own pauses are loops, in which so fast a node would execute 10^11 instructions a second.
#
# The search asks `if overloads`, in which the shell goes on after a command that failed; so each says `fail`.

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
		"udp_dst_min $FRAMES_PORT" "udp_dst_max $FRAMES_PORT"; do
		generate "$device" "$setting"
	done
	call_counter
	for size in $FORWARDING_SIZES; do
		choose_size
		# The first frames of a size take longer: memory for so many at once is not there yet.
		trial $wire 1000
		find_rate
		find_burst
	done
}

measure_forwarding() {
	# What a window takes besides its frames: it has one.
	trial "$LIGHT_RATE" 1 single
	for size in $FORWARDING_SIZES; do
		choose_size
		start_offset
		measure_rate
		measure_light_load
		for item in trials burst; do
			probe data "$item-$size" "/run/$item-$size"
		done
	done
	exec 8>&- 9<&-
	wait $counter
}

# One more stream at the highest rate.  It may find the boards in another state than the search did, and be no
# longer clean: then the search goes on below it.
measure_rate() {
	rate=$(cat "/run/rate-$size")
	found=$rate
	attempt=1
	name=transit-$size
	while overloads "$rate" "$FORWARDING_FRAMES" 3 "$name"; do
		[ $attempt -lt 5 ] || fail "of frames of $size bytes no stream is clean, from $found a second to $rate"
		attempt=$((attempt + 1))
		name=transit-$size-$attempt
		known=0
		low=$((rate - rate / 200))
		narrow "$FORWARDING_FRAMES" 3
		rate=$low
	done
	echo "$rate $FORWARDING_FRAMES $attempt" >"/run/transit-$size"
	probe data "transit-$size" "/run/transit-$size"
}

measure_light_load() {
	[ "$rate" -lt "$LIGHT_RATE" ] || trial "$LIGHT_RATE" "$LIGHT_FRAMES" "transit-light-$size"
}

fail() {
	echo "$*"
	exit 1
}

# What all nodes mark.
window() {
	order "$1"
	echo "$1" | probe follow || fail "no mark $1"
}

# begin_window NAME: ends when all nodes have made their marks.
begin_window() {
	window "$1.begin"
	sleep 0.05
}

# end_window NAME: begins when the kernel has done what it put off while frames came.
end_window() {
	sleep 0.05
	window "$1.end"
}

generate() {
	echo "$2" >"/proc/net/pktgen/$1" || fail "the packet generator does not take \`$2' for $1"
}

# Frames have no FCS before they are on the wire, where 20 bytes are between two of them.
choose_size() {
	generate "$device" "pkt_size $((size - 4))"
	wire=$((WIRE_RATE / ((size + 20) * 8)))
}

# The server's count, by one connection for all trials.
call_counter() {
	mkfifo /run/asked /run/counted
	nc "$TARGET" "$FORWARDING_PORT" </run/asked >/run/counted &
	counter=$!
	exec 8>/run/asked 9</run/counted
	serial=0
}

# trial RATE FRAMES [WINDOW]: sends so many frames at the rate; then `lost` did not come, and `reached` is the rate
# of those that did, in mHz.  Frames have another port in each trial, so that late ones do not count in the next.
trial() {
	[ "$1" -gt 0 ] || fail "no frame of $size bytes comes through"
	serial=$((serial + 1))
	source=$((1024 + serial % 60000))
	tc qdisc replace dev "$device" root netem limit $(($2 + 1000)) rate $(($1 * (size - 4) * 8))bit ||
		fail "no queue for $1 frames a second"
	for setting in "count $2" "udp_src_min $source" "udp_src_max $source"; do
		generate "$device" "$setting"
	done
	echo "$source $2" >&8
	read -r -t 10 answer <&9 && [ "$answer" = ready ] || fail "the server does not count frames"
	[ -z "$3" ] || begin_window "$3"
	generate pgctrl start
	grep -q "pkts-sofar: $2 *errors: 0\$" "/proc/net/pktgen/$device" ||
		fail "not all $2 frames were made: $(cat "/proc/net/pktgen/$device")"
	read -r -t $(($2 / $1 + 10)) frames reached <&9 || fail "no count of $2 frames, $1 a second"
	[ -z "$3" ] || end_window "$3"
	lost=$(($2 - frames))
	echo "$1 $2 $lost $reached" >>"/run/trials-$size"
}

# The highest rate without loss.  What loses frames in a short trial loses them in a long one; so short ones find
# out about which rate long ones are worth while.
find_rate() {
	low=$wire
	top=$((wire + 1))
	came=$wire
	known=0
	narrow $((FORWARDING_FRAMES / 16 > 800 ? FORWARDING_FRAMES / 16 : 800)) 60
	known=$low
	narrow "$FORWARDING_FRAMES" 3
	echo $low >"/run/rate-$size"
}

# narrow FRAMES SHARE: until less than that share, in per mille, is between a rate without loss and one with it.
# It starts with the one that is thought to be without.  The next one to try is a little less than what came
# through at the lowest rate with loss; or more than is known to, in growing steps, but no more than the middle.  Steps
# are small again once what came through is what is known to.
narrow() {
	reach=$2
	! overloads $low "$1" "$2" || low=0
	while [ $(((top - low) * 1000)) -gt $((top * $2)) ]; do
		next=$((came - came * $2 / 2000))
		middle=$(((low + top) / 2))
		if [ $next -le $low ]; then
			next=$((low + low * reach / 1000))
			reach=$((reach * 4))
			[ $next -gt $low ] && [ $next -lt $middle ] || next=$middle
		fi
		if ! overloads $next "$1" "$2"; then
			low=$next
		elif [ $came -gt 0 ] && [ $came -ge $((low - low * $2 / 1000)) ]; then
			reach=$2
		fi
	done
}

# overloads RATE FRAMES SHARE [WINDOW]: whether frames are lost, or would be in a trial without end: as they come more
# slowly than they are sent, by over two thirds of that share, and wait in a queue that grows; or as all are held back
# until no more come, and come faster then.  What came through says nothing where it is less than half of what short
# trials found: some gateways forward far less as soon as they lose frames.
overloads() {
	trial "$1" "$2" "$4"
	if [ "$reached" -gt $(($1 * 1100)) ]; then
		came=$(($1 * ($2 - lost) / $2 / 2))
	elif [ $lost -gt 0 ] || [ "$reached" -lt $(($1 * (1000 - $3 * 2 / 3))) ]; then
		came=$((reached / 1000))
		[ $came -lt "$1" ] || came=$(($1 * ($2 - lost) / $2))
	else
		return 1
	fi
	top=$1
	[ $((came * 2)) -ge $known ] || {
		came=0
		reach=1000
	}
}

# bursts FRAMES: whether some of a burst at the rate of the wire are lost.
bursts() {
	trial $wire "$1"
	[ $lost -gt 0 ]
}

# The longest burst without loss, no longer than the longest trial.  A burst is taken to lose frames if a shorter one
# does.
find_burst() {
	low=0
	[ "$(cat "/run/rate-$size")" != $wire ] || low=$FORWARDING_FRAMES
	top=$((FORWARDING_FRAMES + 1))
	next=128
	while [ $((top - low)) -gt $((1 + low / 500)) ]; do
		if bursts $next; then
			top=$next
		else
			low=$next
		fi
		next=$(((low + top) / 2))
		[ $top -le "$FORWARDING_FRAMES" ] || next=$((low * 2 < top ? low * 2 : FORWARDING_FRAMES))
	done
	echo $low >"/run/burst-$size"
}
