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

# fetch WINDOW FILE: sends it in the same session as a small one before it, as curl.sh fetches one.  It has come when
# the server answers, which has written it by then.
fetch() {
	start_offset
	order "$1.begin"
	# shellcheck disable=SC2086  # words
	$client -s -S -w '%{stderr}%{size_upload} %{time_pretransfer} %{time_total}\n' \
		-T /run/greeting "$site/upload/greeting" -T "/run/$2" "$site/upload/$2" 2>&1 |
		probe lines "$1.begin" "$1.end" >"/run/$1" || {
		cat "/run/$1"
		return 1
	}
	order "$1.end"
	probe data "$1" "/run/$1"
	took=$(awk 'NR == 2 { print $3 - $2 }' "/run/$1")
}
