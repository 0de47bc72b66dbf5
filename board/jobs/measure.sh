# SPDX-License-Identifier: Apache-2.0
# The client's part: waits until all others are ready, measures, and sends them home by hanging up.
# All others mark the same instants by order, a tenth of a millisecond later.

orders_files=""
calls=""
file=3
for port in $ORDERS_PORTS; do
	mkfifo "/run/orders-$port"
	nc -l -p "$port" <"/run/orders-$port" >"/run/ready-$port" &
	calls="$calls $!"
	eval "exec $file>/run/orders-$port"
	orders_files="$orders_files $file"
	file=$((file + 1))
done

order() {
	for file in $orders_files; do
		echo "$1" >&"$file"
	done
}

# Echo requests of $1 bytes, each sent when the last is answered; none or some may be lost.
measure_ping() {
	answers "$TARGET"
	order "ping-$1.begin"
	probe run "ping-$1" ping -n -i 0 -c "$PING_COUNT" -s "$1" "$TARGET" >"/run/ping-$1" ||
		[ $? -eq 1 ]
	order "ping-$1.end"
	probe data "ping-$1" "/run/ping-$1"
}

# Fetches a file in the same FTP session as a small one before it.  The marks are at the ends of
# both, so the session's set-up is not between them.  What arrives is thrown away: the published
# board's storage is not known, and none is in the way here.
measure_transfer() {
	order transfer.begin
	curl -s -S -w '%{stderr}%{size_download} %{time_starttransfer} %{time_total}\n' \
		-o /dev/null "ftp://$TARGET/greeting" -o /dev/null "ftp://$TARGET/file" 2>&1 |
		probe lines transfer.begin transfer.end >/run/transfer || {
		cat /run/transfer
		return 1
	}
	order transfer.end
	probe data transfer /run/transfer
}

# What FTP brings here is what was served.
check_transfer() {
	curl -s -S -o /run/sample "ftp://$TARGET/sample"
	curl -s -S -o /run/sample.sha256 "ftp://$TARGET/sample.sha256"
	[ "$(sha256sum </run/sample)" = "$(cat /run/sample.sha256)" ]
}

for port in $ORDERS_PORTS; do
	wait_for "the node that takes orders on port $port" test -s "/run/ready-$port"
done
wait_for "an answer from $TARGET" answers "$TARGET"
[ "$TRANSFER_SIZE" = 0 ] || check_transfer
proof before
for size in $PING_SIZES; do
	measure_ping "$size"
done
[ "$TRANSFER_SIZE" = 0 ] || measure_transfer
proof after
for file in $orders_files; do
	eval "exec $file>&-"
done
# shellcheck disable=SC2086  # a list
wait $calls
