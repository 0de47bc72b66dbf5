# SPDX-License-Identifier: Apache-2.0
# OpenVPN as the 2015 thesis measured it: DHE-RSA under TLS 1.2, keys and Diffie-Hellman group of one
# size, clients that renegotiate every second.  No packet is in the tunnels.

FIRST_PORT=1194
HANDSHAKE="Control Channel: TLS"

# Keys and groups of 1024 bits are for measuring alone, and OpenSSL has to be told that they will do:
# of keys here, of the group in its configuration, as OpenVPN loads that before it heeds its option.
TLS="--tls-cert-profile insecure --data-ciphers AES-256-CBC --auth none --verb 3"

# logged LOG TEXT NUMBER: whether it has the text so many times.  If not, it pauses: to look every 50 ms would
# take the emulator longer than the handshakes do.  Figures come from the log's times, not from the look.
logged() {
	[ "$(grep -c "$2" "$1")" -ge "$3" ] || {
		sleep 0.2
		return 1
	}
}

wait_until_logged() {
	wait_for "$2 ($3) in $1" logged "$@" || {
		cat "$1"
		return 1
	}
}

# server_tls KIND: the server's options for TLS.
server_tls() {
	echo "--dh $1/dh.pem --tls-version-max 1.2 --tls-cipher TLS-DHE-RSA-WITH-AES-256-CBC-SHA256"
}

configuration() {
	openssl_configuration "CipherString = DEFAULT:@SECLEVEL=0"
}

serve() {
	configuration >/run/openssl.cnf
	. ./tun.sh
	load_tun
	for kind in $KEYS; do
		number=$(port_of "$kind")
		# shellcheck disable=SC2046,SC2086  # words
		env $PROVIDER OPENSSL_CONF=/run/openssl.cnf openvpn --daemon --cd "$PWD" --log "/run/openvpn-$kind.log" --dev-type tun \
			--dev "tun$number" --proto udp4 --port "$number" --topology subnet \
			--server "10.9.$((number - FIRST_PORT)).0" 255.255.255.0 --duplicate-cn \
			--ca ca.pem --cert "$kind/node.pem" --key "$kind/node.key" $(server_tls "$kind") $TLS
		wait_until_logged "/run/openvpn-$kind.log" "Initialization Sequence Completed" 1
	done
}

# client KIND NUMBER: one that has not come through within a minute starts again, and reads its files again, so
# that a daemon must stay in this directory.
client() {
	# shellcheck disable=SC2086  # words
	env $PROVIDER openvpn --daemon --cd "$PWD" --log "/run/$1-$2.log" --machine-readable-output --client --dev null \
		--ifconfig-noexec --route-noexec --nobind --proto udp4 \
		--remote "$TARGET" "$(port_of "$1")" --ca ca.pem --cert "$1/node.pem" \
		--key "$1/node.key" --reneg-sec 1 $TLS
}

# The handshakes of all clients so far: a line each, with the client's number and when it was done.
handshakes() {
	for log in "/run/$1"-*.log; do
		name=${log##*-}
		grep "$HANDSHAKE" "$log" | sed "s/ .*//; s/^/${name%.log} /"
	done
}

# Handshakes of the lone client before it is measured: as it begins, a server with cores tries them.
BEFORE=9

# wait_for_handshakes LOG FROM TO: there is one a second at the most; until then nobody looks, which would
# count as the client's work.
wait_for_handshakes() {
	sleep $(($3 - $2))
	number=$2
	while [ $number -lt "$3" ]; do
		number=$((number + 1))
		wait_until_logged "$1" "$HANDSHAKE" $number
	done
}

# What is told of the log begins with the last handshake that is not measured.
measure_one() {
	log=/run/$1-1.log
	client "$1" 1
	wait_until_logged "$log" "$HANDSHAKE" 1
	wait_for_handshakes "$log" 1 $BEFORE
	order "$1-one.begin"
	wait_for_handshakes "$log" $BEFORE $((BEFORE + HANDSHAKES))
	order "$1-one.end"
	tail -n "+$(grep -n "$HANDSHAKE" "$log" | sed -n "$BEFORE s/:.*//p")" "$log" | probe data "$1-one"
}

# Seconds that the last handshake of the lone client took.
alone() {
	awk '/TLS: soft reset/ { begun = $1 }
		/Control Channel: TLS/ && begun { took = $1 - begun; begun = 0 }
		END { printf "%.3f", took }' "/run/$1-1.log"
}

# everyone KIND NUMBER: until each client has done so many.
everyone() {
	for log in "/run/$1"-*.log; do
		wait_until_logged "$log" "$HANDSHAKE" "$2"
	done
}

# Clients that begin together stay in step, and the server waits when they wait.  So one begins as the
# one before is done, and none is measured in its first handshakes.
start_all() {
	pause=$(alone "$1")
	number=1
	while [ $number -lt "$CLIENTS" ]; do
		number=$((number + 1))
		sleep "$pause"
		client "$1" $number
	done
	everyone "$1" 1
	end=$(($(now) + WARM_UP_SECONDS * 100))
	number=0
	while [ $number -lt "$WARM_UP" ] && [ "$(now)" -lt $end ]; do
		number=$((number + 1))
		everyone "$1" $((number + 1))
	done
}

# next_round KIND: until client 1 has done one more.
next_round() {
	log=/run/$1-1.log
	wait_until_logged "$log" "$HANDSHAKE" $(($(grep -c "$HANDSHAKE" "$log") + 1))
}

# From a handshake of client 1 to another one of it: two rounds at the least, and SECONDS_ALL.
measure_all() {
	start_all "$1"
	next_round "$1"
	handshakes "$1" >/run/before
	order "$1-all.begin"
	end=$(($(now) + SECONDS_ALL * 100))
	next_round "$1"
	next_round "$1"
	while [ "$(now)" -lt $end ]; do
		next_round "$1"
	done
	handshakes "$1" >/run/after
	order "$1-all.end"
	# Of each client its last one before, and all since
	awk 'NR == FNR { seen[$1]++; next } ++number[$1] >= seen[$1]' /run/before /run/after |
		probe data "$1-all"
	killall openvpn
}
