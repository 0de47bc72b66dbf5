# SPDX-License-Identifier: Apache-2.0
# lighttpd under TLS 1.3, with wolfSSL; its clients are those of s_time.sh.
#
#   GROUP           of the key exchange

. ./s_time.sh

serve() {
	mkdir -p /run/www
	{
		echo 'server.modules = ("mod_wolfssl")'
		echo 'server.document-root = "/run/www"'
		echo 'server.errorlog = "/run/lighttpd.log"'
		echo 'server.pid-file = "/run/lighttpd.pid"'
		for kind in $KEYS; do
			echo "\$SERVER[\"socket\"] == \"0.0.0.0:$(port_of "$kind")\" {"
			echo 'ssl.engine = "enable"'
			echo "ssl.pemfile = \"/job/$kind/node.pem\""
			echo "ssl.privkey = \"/job/$kind/node.key\""
			echo "ssl.openssl.ssl-conf-cmd = (\"MinProtocol\" => \"TLSv1.3\", \"Groups\" => \"$GROUP\","
			echo '"Options" => "-SessionTicket")'
			echo '}'
		done
	} >/run/lighttpd.conf
	# shellcheck disable=SC2086  # words
	env $PROVIDER lighttpd -f /run/lighttpd.conf
}
