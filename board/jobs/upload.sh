# SPDX-License-Identifier: Apache-2.0
# What a web server that takes files has besides: $uploads, a directive of nginx's server.

# What serve-transfer.sh has made is for clients that fetch it, and takes memory.
rm -f /srv/ftp/file-*
mkdir -p /srv/ftp/upload
# shellcheck disable=SC2034  # of those who read this file
uploads="location /upload/ { dav_methods PUT; client_max_body_size 0; }"
