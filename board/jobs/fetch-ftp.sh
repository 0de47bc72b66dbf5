# SPDX-License-Identifier: Apache-2.0
# Files over FTP.

site=ftp://$TARGET
client=curl
. ./curl.sh
