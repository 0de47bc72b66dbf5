# SPDX-License-Identifier: Apache-2.0
# Files by curl, from what fetch-NAME.sh says:
#
#   site            the beginning of their addresses
#   client          the command, with what its environment has besides and its options

. ./sample.sh

prepare_fetching() {
	# shellcheck disable=SC2086  # words
	$client -s -S -o /run/sample "$site/sample" -o /run/sample.sha256 "$site/sample.sha256"
	is_sample /run/sample /run/sample.sha256
}

# Each file is fetched after a small one.
warm_up() {
	:
}

# fetch_slowly FILE RATE: at so many bits a second.
fetch_slowly() {
	# shellcheck disable=SC2086  # words
	$client -s -S --limit-rate $(($2 / 8)) -o /dev/null "$site/$1"
}

# What the client says of a file: its size, and the time at which its first byte came.
said='%{size_download} %{time_starttransfer}'

# options_for FILE.  The client discards what it receives: the published board's storage is not known, and no
# storage limits the rate here.
options_for() {
	echo "-o /dev/null $site/$1"
}

# fetch WINDOW FILE: in the same session as a small one before it.  The marks are at the ends of both, so
# the session's set-up is not between them.
fetch() {
	start_offset
	order "$1.begin"
	await_marks
	# shellcheck disable=SC2046,SC2086  # words
	$client -s -S -w "%{stderr}$said %{time_total}\n" $(options_for greeting) $(options_for "$2") 2>&1 |
		probe lines "$1.begin" "$1.end" >"/run/$1" || {
		cat "/run/$1"
		return 1
	}
	order "$1.end"
	probe data "$1" "/run/$1"
	took=$(awk 'NR == 2 { print $3 - $2 }' "/run/$1")
}
