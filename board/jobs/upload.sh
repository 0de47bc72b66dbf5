# SPDX-License-Identifier: Apache-2.0
# What a web server that takes files has besides: $uploads, a directive of nginx's server.

mkdir -p /srv/ftp/upload
# shellcheck disable=SC2034  # of those who read this file
uploads="location /upload/ { dav_methods PUT; client_max_body_size 0; }"
