# SPDX-License-Identifier: Apache-2.0
# Files through SSH, by the function `download` of fetch-NAME.sh.
#
#   SSH_OPTIONS     cipher and MAC
#   SSH_USER        who logs in

. ./sample.sh

prepare_fetching() {
	open_ssh
	download sample /run/sample
	download sample.sha256 /run/sample.sha256
	is_sample /run/sample /run/sample.sha256
}

# One connection for all files, set up before the first.  This process encrypts: what fetches files passes
# its data to it.
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

# TCP has a slow start for the one connection.  A file that is not measured takes it, so that conditions
# are the same for all files that are.
warm_up() {
	copy greeting greeting
	greeting=$took
	copy warm-up "file-${TRANSFER_SIZES%% *}"
}

# fetch WINDOW FILE: subtracts the time of a file of a few bytes.
fetch() {
	copy "$1" "$2"
	took=$((took - greeting))
}

# forward_port PORT: who connects to this port here is connected to the server's.
forward_port() {
	ssh -F none -S /run/ssh -O forward -L "127.0.0.1:$1:127.0.0.1:$1" "$SSH_USER@$TARGET"
}

# copy WINDOW FILE: from the start of what fetches it to the end.
copy() {
	start_offset
	order "$1.begin"
	await_marks
	started=$(now)
	download "$2" /dev/null probe run "$1"
	took=$(($(now) - started))
	order "$1.end"
}

now() {
	probe time | sed -n 's/^time_ns //p'
}
