# SPDX-License-Identifier: Apache-2.0
# An FTP server.

mkdir -p /run/vsftpd/empty
cp vsftpd.conf /run/vsftpd.conf
vsftpd /run/vsftpd.conf
