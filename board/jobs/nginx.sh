# SPDX-License-Identifier: Apache-2.0
# serve_web DIRECTIVES COMMAND…: nginx serves what is in /srv/ftp, with further directives of the server,
# started by a command.  It has one worker, as a board has one processor.

serve_web() {
	cat >/run/nginx.conf <<-end
		user root;
		worker_processes 1;
		error_log /run/nginx.log;
		pid /run/nginx.pid;
		events { }
		http {
			access_log off;
			sendfile on;
			tcp_nopush on;
			server {
				root /srv/ftp;
				$1
			}
		}
	end
	shift
	mkdir -p /var/lib/nginx /var/log/nginx
	"$@" nginx -c /run/nginx.conf || {
		cat /run/nginx.log
		return 1
	}
}
