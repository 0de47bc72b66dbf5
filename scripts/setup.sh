#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs, with apt-get, the Debian packages that are missing on this machine, and nothing when
# none is. Uses sudo when not run as root.
set -eu

die() {
    printf 'firesteel: %s\n' "$*" >&2
    exit 1
}

missing=
need() { # PACKAGE TEST...
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

# An ordinary user's PATH lacks /usr/sbin, where some of them are.
PATH=$PATH:/usr/sbin

need mmdebstrap command -v mmdebstrap
need util-linux sh -c 'command -v unshare && command -v setpriv && command -v flock'
need gpgv command -v gpgv
need debian-archive-keyring test -e /usr/share/keyrings/debian-archive-keyring.gpg
need ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
if ! command -v python3 >/dev/null 2>&1; then
    missing="$missing python3 python3-venv"
else
    need python3-venv python3 -c 'import ensurepip, venv'
fi
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null 2>&1 ||
    die "this machine lacks:$missing; install them by hand, or use Debian 12 or 13, where this is done for you."
if [ "$(id -u)" = 0 ]; then
    sudo=
else
    command -v sudo >/dev/null 2>&1 ||
        die "this machine lacks:$missing; mend it as root with: apt-get install$missing"
    sudo=sudo
fi
printf 'firesteel: installing the Debian packages that are missing:%s\n' "$missing" >&2
# The index is renewed only when it is too old or too empty to have them.
# shellcheck disable=SC2086 # words are meant
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
    { $sudo apt-get update -qq &&
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null; } ||
    die "apt-get could not install$missing; see that apt-get update works on this machine."
