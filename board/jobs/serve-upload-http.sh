# SPDX-License-Identifier: Apache-2.0
# A web server without TLS, which takes files.

. ./upload.sh
. ./nginx.sh
serve_web "listen 80; $uploads"
