# SPDX-License-Identifier: Apache-2.0
# The client's part: waits until all other nodes are ready, measures, and dismisses them.

ORDERS_MARK=""
. ./orders.sh

# Echo requests of $1 bytes, each sent when the previous one is answered; some may be lost.
measure_ping() {
	answers "$TARGET"
	start_offset
	order "ping-$1.begin"
	probe run "ping-$1" ping -n -i 0 -c "$PING_COUNT" -s "$1" "$TARGET" >"/run/ping-$1" ||
		[ $? -eq 1 ]
	order "ping-$1.end"
	probe data "ping-$1" "/run/ping-$1"
}

# measure_ftp NAME SIZE: fetches a file in the same FTP session as a small one before it.  The marks
# are at the ends of both, so the session's set-up is not between them.  The client discards what it
# receives: the published board's storage is not known, and no storage limits the rate here.
measure_ftp() {
	start_offset
	order "$1.begin"
	curl -s -S -w '%{stderr}%{size_download} %{time_starttransfer} %{time_total}\n' \
		-o /dev/null "ftp://$TARGET/greeting" -o /dev/null "ftp://$TARGET/file-$2" 2>&1 |
		probe lines "$1.begin" "$1.end" >"/run/$1" || {
		cat "/run/$1"
		return 1
	}
	order "$1.end"
	probe data "$1" "/run/$1"
	took=$(awk 'NR == 2 { print $3 - $2 }' "/run/$1")
}

# Checks that FTP delivers what the server serves.
check_transfer() {
	curl -s -S -o /run/sample "ftp://$TARGET/sample"
	curl -s -S -o /run/sample.sha256 "ftp://$TARGET/sample.sha256"
	[ "$(sha256sum </run/sample)" = "$(cat /run/sample.sha256)" ]
}

# One connection for all files of scp, set up before the first.  This process encrypts: scp passes its
# data to it.
open_ssh() {
	set -- -F none -M -S /run/ssh -N -i node.key -o IdentitiesOnly=yes -o UserKnownHostsFile=/job/known_hosts
	# shellcheck disable=SC2086  # variables of the environment; words
	case $AS_IN_2015 in
	*af-alg*)
		# Without a child, which would not have the kernel's queue that the engine opened.
		env $PROVIDER ssh "$@" $SSH_OPTIONS "$SSH_USER@$TARGET" &
		wait_for "the connection" ssh -F none -S /run/ssh -O check "$SSH_USER@$TARGET"
		;;
	*) env $PROVIDER ssh "$@" -f $SSH_OPTIONS "$SSH_USER@$TARGET" ;;
	esac
}

# copy NAME FILE: from scp's start to its end.
copy() {
	start_offset
	order "$1.begin"
	started=$(now)
	probe run "$1" scp -q -F none -o ControlPath=/run/ssh "$SSH_USER@$TARGET:$2" /dev/null
	took=$(($(now) - started))
	order "$1.end"
}

# measure_scp NAME SIZE: subtracts the time of a file of a few bytes.
measure_scp() {
	copy "$1" "file-$2"
	took=$((took - greeting))
}

now() {
	probe time | sed -n 's/^time_ns //p'
}

# Checks that scp delivers what the server serves.
check_scp() {
	scp -q -F none -o ControlPath=/run/ssh "$SSH_USER@$TARGET:sample" \
		"$SSH_USER@$TARGET:sample.sha256" /run
	[ "$(sha256sum </run/sample)" = "$(cat /run/sample.sha256)" ]
}

# All files of scp go through one connection, for which TCP has a slow start.  A file that is not
# measured takes it, so that conditions are the same for all files that are.
warm_up() {
	copy greeting greeting
	greeting=$took
	copy warm-up "file-${TRANSFER_SIZES%% *}"
}

# Fetches files one after the other, until the rate is steady or all are fetched.
measure_transfers() {
	name=transfer
	for size in $TRANSFER_SIZES; do
		[ "$size" = "$TRANSFER_SIZES" ] || name="transfer-$size"
		"measure_$TRANSFER" "$name" "$size"
		echo "$size $took" >>/run/transfers
		! steady || break
	done
}

# Whether the rates at which the last two files grew from those before them agree, within the
# tolerance of lab/src/firesteel/workloads/transfer.py.
steady() {
	tail -n 3 /run/transfers | awk -v most="$STEADY" '
		{ bytes[NR] = $1; time[NR] = $2 }
		END {
			if (NR < 3)
				exit 1
			d = (bytes[3] - bytes[2]) / (bytes[2] - bytes[1]) *
				(time[2] - time[1]) / (time[3] - time[2]) - 1
			exit !(d <= most && -d <= most)
		}'
}

await_others
wait_for "an answer from $TARGET" answers "$TARGET"
# For two seconds after a handshake OpenVPN services its control channel with every packet
# (TLS_MULTI_HORIZON in its forward.c), which is not typical of a tunnel that lasts hours.
sleep 3
case $TRANSFER in
scp)
	open_ssh
	check_scp
	;;
ftp) [ -z "$TRANSFER_SIZES" ] || check_transfer ;;
esac
proof before
for size in $PING_SIZES; do
	measure_ping "$size"
done
[ "$TRANSFER" != scp ] || warm_up
measure_transfers
proof after
send_home
