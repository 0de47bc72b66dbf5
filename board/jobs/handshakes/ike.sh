# SPDX-License-Identifier: Apache-2.0
# Tunnels by IKEv2 between two charons of strongSwan: a client makes an IKE SA with its first child, and deletes both.
# The server has an address of its own for each kind of keys: by its name, a client could not ask for one of them.
#
#   GROUP           of the key exchange

. ./tunnels.sh

FIRST_PORT=1

# address_of KIND: the server's, by the number that its port would have.
address_of() {
	echo "10.9.0.$(port_of "$1")"
}

# charon_configuration SIDE: charon's limits are for strangers, that few IKE SAs of one address are half-open, and that
# many of them get cookies; all clients have one address.
charon_configuration() {
	echo "charon {"
	echo "load = pem pkcs1 pkcs8 x509 pubkey openssl random nonce counters kernel-netlink socket-default vici"
	echo "install_routes = no"
	echo "routing_table = 0"
	echo "install_virtual_ip = no"
	echo "reuse_ikesa = no"
	echo "dos_protection = no"
	# Each client occupies one while it waits
	[ "$1" = server ] || echo "threads = $((16 + CLIENTS))"
	echo "plugins { openssl { load_legacy = no } }"
	echo "filelog { stderr { default = 1 } }"
	echo "}"
}

# connection NAME KIND NETWORK_HERE NETWORK_THERE: ADDRESSES says whose address is the server's, ours or theirs.
connection() {
	echo "$1 {"
	echo "version = 2"
	echo "$ADDRESSES = $(address_of "$2")"
	echo "proposals = aes256gcm16-prfsha256-$GROUP"
	echo "unique = never"
	echo "local { auth = pubkey"
	echo "certs = $2.pem }"
	echo "remote { auth = pubkey }"
	echo "children { $1 { local_ts = $3"
	echo "remote_ts = $4"
	echo "esp_proposals = aes256gcm16 } }"
	echo "}"
}

NETWORK=10.8.0.0/24

connections_of_server() {
	ADDRESSES=local_addrs
	for each in $KEYS; do
		connection "$each" "$each" $NETWORK 10.8.0.0/16
	done
}

connections_of_clients() {
	ADDRESSES=remote_addrs
	for each in $KEYS; do
		for number in $(seq "$CLIENTS"); do
			connection "$each-$number" "$each" "10.8.$number.0/24" $NETWORK
		done
	done
}

# start_charon SIDE
start_charon() {
	mkdir -p /etc/swanctl/x509 /etc/swanctl/x509ca /etc/swanctl/private
	cp ca.pem /etc/swanctl/x509ca/
	for each in $KEYS; do
		cp "$each/node.pem" "/etc/swanctl/x509/$each.pem"
		cp "$each/node.key" "/etc/swanctl/private/$each.key"
	done
	{
		echo "connections {"
		"connections_of_$1"
		echo "}"
	} >/etc/swanctl/swanctl.conf
	charon_configuration "$1" >/etc/strongswan.conf
	# It is not to hold the line by which orders are sent (orders.sh).
	# shellcheck disable=SC2086  # words
	env $PROVIDER /usr/lib/ipsec/charon >/run/charon.log 2>&1 3>&- &
	wait_for "charon's control socket" test -S /var/run/charon.vici
	swanctl --load-all --noprompt >/run/loaded 2>&1 || {
		cat /run/loaded /run/charon.log
		return 1
	}
}

serve() {
	for each in $KEYS; do
		ip address add "$(address_of "$each")/32" dev lo
	done
	start_charon server
}

start_clients() {
	for each in $KEYS; do
		ip route add "$(address_of "$each")/32" via "$TARGET"
	done
	echo "swanctl { load = nonce }" >/run/client.conf
	start_charon clients
}

make_tunnel() {
	ask --initiate --child "$1-$2" >"/run/tunnel-$2" 2>&1 && ask --terminate --ike "$1-$2" >>"/run/tunnel-$2" 2>&1 || {
		cat "/run/tunnel-$2" >&2
		return 1
	}
	echo made
}

# ask COMMAND…: a client asks its charon, which needs none of what charon itself is made of.
ask() {
	STRONGSWAN_CONF=/run/client.conf swanctl "$@" --timeout 20
}

tunnel_counters() {
	[ "$PART" = server ] || return 0
	echo "[charon]"
	swanctl --counters
}
