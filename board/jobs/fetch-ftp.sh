# SPDX-License-Identifier: Apache-2.0
# Files over FTP.

prepare_fetching() {
	curl -s -S -o /run/sample "ftp://$TARGET/sample"
	curl -s -S -o /run/sample.sha256 "ftp://$TARGET/sample.sha256"
	is_sample /run/sample /run/sample.sha256
}

# Each file is fetched after a small one.
warm_up() {
	:
}

# fetch WINDOW FILE: in the same FTP session as a small one before it.  The marks are at the ends of
# both, so the session's set-up is not between them.  The client discards what it receives: the
# published board's storage is not known, and no storage limits the rate here.
fetch() {
	start_offset
	order "$1.begin"
	curl -s -S -w '%{stderr}%{size_download} %{time_starttransfer} %{time_total}\n' \
		-o /dev/null "ftp://$TARGET/greeting" -o /dev/null "ftp://$TARGET/$2" 2>&1 |
		probe lines "$1.begin" "$1.end" >"/run/$1" || {
		cat "/run/$1"
		return 1
	}
	order "$1.end"
	probe data "$1" "/run/$1"
	took=$(awk 'NR == 2 { print $3 - $2 }' "/run/$1")
}
