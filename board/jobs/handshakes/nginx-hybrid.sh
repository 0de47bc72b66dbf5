# SPDX-License-Identifier: Apache-2.0
# nginx with the post-quantum hybrid that OpenSSL's clients prefer by themselves.

GROUP=X25519MLKEM768
. ./nginx.sh
