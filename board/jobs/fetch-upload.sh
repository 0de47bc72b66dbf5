# SPDX-License-Identifier: Apache-2.0
# Files that the client sends to a web server, by the method PUT.
#
#   FILES_SERVER    upload-NAME: fetch-NAME.sh says the addresses and the client

. "./fetch-${FILES_SERVER#upload-}.sh"

# What comes back of a sample is what was sent.
prepare_fetching() {
	for size in 65536 $TRANSFER_SIZES; do
		head -c "$size" /dev/zero | openssl enc -chacha20 -nosalt -K 03 -iv 00 >"/run/file-$size"
	done
	echo hello >/run/greeting
	sha256sum </run/file-65536 >/run/sample.sha256
	# shellcheck disable=SC2086  # words
	$client -s -S -T /run/file-65536 "$site/upload/sample"
	# shellcheck disable=SC2086  # words
	$client -s -S -o /run/sample "$site/upload/sample"
	is_sample /run/sample /run/sample.sha256
}

# One has come when the server answers, which has written it by then.  Its first byte goes when the session is set up.
said='%{size_upload} %{time_pretransfer}'
options_for() {
	echo "-T /run/$1 $site/upload/$1"
}
