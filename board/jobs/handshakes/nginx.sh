# SPDX-License-Identifier: Apache-2.0
# nginx under TLS 1.3; its clients are those of s_time.sh.
#
#   GROUP           of the key exchange

. ./s_time.sh

serve() {
	{
		echo "user root; worker_processes 1; error_log /run/nginx.log; pid /run/nginx.pid;"
		echo "events { } http { access_log off;"
		echo "ssl_protocols TLSv1.3; ssl_ecdh_curve $GROUP;"
		echo "ssl_session_cache off; ssl_session_tickets off;"
		for kind in $KEYS; do
			echo "server { listen $(port_of "$kind") ssl;"
			echo "ssl_certificate /job/$kind/node.pem;"
			echo "ssl_certificate_key /job/$kind/node.key; return 204; }"
		done
		echo "}"
	} >/run/nginx.conf
	mkdir -p /var/lib/nginx /var/log/nginx
	# shellcheck disable=SC2086  # words
	env $PROVIDER nginx -c /run/nginx.conf
}
