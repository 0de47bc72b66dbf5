# SPDX-License-Identifier: Apache-2.0
# The client's part: waits until all others are ready, measures, and sends them home.

. ./orders.sh

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

# One connection for all files of scp, whose set-up is over before the first.  It is this process that
# encrypts: scp hands its ends to it.
open_ssh() {
	# shellcheck disable=SC2086  # variables of the environment; words
	env $PROVIDER ssh -F none -M -S /run/ssh -N -f -i node.key -o IdentitiesOnly=yes \
		-o UserKnownHostsFile=/job/known_hosts $SSH_OPTIONS "$SSH_USER@$TARGET"
}

# measure_scp NAME FILE: from scp's start to its end.
measure_scp() {
	order "$1.begin"
	probe run "$1" scp -q -F none -o ControlPath=/run/ssh "$SSH_USER@$TARGET:$2" /dev/null
	order "$1.end"
}

# What scp brings here is what was served.
check_scp() {
	scp -q -F none -o ControlPath=/run/ssh "$SSH_USER@$TARGET:sample" \
		"$SSH_USER@$TARGET:sample.sha256" /run
	[ "$(sha256sum </run/sample)" = "$(cat /run/sample.sha256)" ]
}

await_others
wait_for "an answer from $TARGET" answers "$TARGET"
# For two seconds after a handshake OpenVPN looks after its control channel with every packet
# (TLS_MULTI_HORIZON in its forward.c); a tunnel that lasts hours must not be measured in them.
sleep 3
if [ "$TRANSFER" = scp ]; then
	open_ssh
	check_scp
elif [ "$TRANSFER_SIZE" != 0 ]; then
	check_transfer
fi
proof before
for size in $PING_SIZES; do
	measure_ping "$size"
done
if [ "$TRANSFER" = scp ]; then
	measure_scp greeting greeting
	measure_scp transfer file
elif [ "$TRANSFER_SIZE" != 0 ]; then
	measure_transfer
fi
proof after
send_home
