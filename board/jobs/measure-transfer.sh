# SPDX-License-Identifier: Apache-2.0
# Files that the client fetches.
#
#   TRANSFER_SIZES  bytes of the file to fetch, or of files to fetch until the rate is
#                   steady: when the rates of two differ by no more than the fraction STEADY
#   FILES_BY        how: NAME of fetch-NAME.sh, which has the functions
#                     prepare_fetching   checks that what comes is what the server serves
#                     warm_up            fetches what is not measured
#                     fetch WINDOW FILE  fetches a file and sets `took` to how long it took

. "./fetch-$FILES_BY.sh"

# A fast file would keep the CPU of a gateway or server so busy that it makes no mark before the end.
await_marks() {
	sleep 0.05
}

prepare_transfer() {
	prepare_fetching
}

# Fetches files one after the other, until the rate is steady or all are fetched.
measure_transfer() {
	warm_up
	window=transfer
	for size in $TRANSFER_SIZES; do
		[ "$size" = "$TRANSFER_SIZES" ] || window="transfer-$size"
		# TCP holds an order back until the last one is acknowledged, for up to 40 ms.
		sleep 0.1
		fetch "$window" "file-$size"
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
