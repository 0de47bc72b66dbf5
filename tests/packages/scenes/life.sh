# SPDX-License-Identifier: Apache-2.0
# All packages are installed, used, upgraded, used and purged; what is on the machine afterwards was there before.
#
#   life.sh OLD NEW                   two upstream versions
#   /firesteel/old, /firesteel/new    packages of theirs
#   /firesteel/checkout               VERSION, and test-bare.c of the library
OLD=$1
NEW=$2

# All files with their sums, links and directories; without what apt, dpkg and DKMS write for themselves
everything() {
    find / -xdev \( -path /firesteel -o -path /run -o -path /tmp -o -path /var/cache -o -path /var/log \
        -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/lib/dkms -o -path /proc -o -path /dev \) -prune \
        -o -type f -exec sha256sum {} + -o -type l -printf '%p -> %l\n' -o -type d -printf '%p/\n' | sort
}

install_all() { # DIRECTORY
    find "$1" -name '*.deb' ! -name '*-dbgsym_*' -exec apt-get install --yes --quiet {} + </dev/null
}

refuse() { # MESSAGE
    echo "$1" >&2
    exit 1
}

use() { # VERSION
    # The library, by a program that is compiled with it
    # shellcheck disable=SC2046 # words are meant
    cc -o /tmp/bare /firesteel/checkout/test-bare.c $(pkg-config --cflags --libs firesteel)
    /tmp/bare
    [ "$(pkg-config --modversion firesteel)" = "$(cat /firesteel/checkout/VERSION)" ]

    # The driver, compiled for the kernel whose headers are there, and no other version of it
    kernel=$(basename "$(dirname /lib/modules/*/build)")
    dkms status firesteel
    [ "$(dkms status firesteel | grep -c "$kernel.*installed")" = 1 ]
    dkms status firesteel | grep -q "firesteel/$1"
    modinfo -k "$kernel" firesteel | grep '^vermagic: '

    # The self-test says that there is no core here
    ! firesteel-selftest || refuse "the self-test finds cores"

    # The provider is off, and on for what was enabled
    openssl list -providers | tee /tmp/said
    if [ "$enabled" = no ]; then
        ! grep -q firesteel /tmp/said || refuse "the provider is on"
        firesteel-provider enable openssl
        firesteel-provider enable nginx
        hash -r # The shell remembers where the command was
        enabled=yes
    fi
    [ "$(firesteel-provider enable | paste -s -d ' ')" = "nginx openssl" ]
    openssl list -providers | grep -A2 firesteel | grep -q "version: $(cat /firesteel/checkout/VERSION)"
    grep -q OPENSSL_CONF=/etc/ssl/firesteel.cnf /etc/systemd/system/nginx.service.d/firesteel.conf
    firesteel-provider check openssl dgst -sha256 /etc/passwd 2>/tmp/said
    grep '1 process loaded the provider' /tmp/said

    # The lab is there as a checkout is
    [ "$(readlink -f /usr/bin/firesteel)" = /usr/share/firesteel/lab/firesteel ]
    [ "$(cat /usr/share/firesteel/lab/VERSION)" = "$(cat /firesteel/checkout/VERSION)" ]
    man_pages=$(dpkg -L firesteel firesteel-provider firesteel-selftest libfiresteel-dev | grep -c '/man/man[0-9]/')
    [ "$man_pages" = 6 ]
}

# Of the kernel only the headers are here; its package would have left these, which DKMS renews
kernel=$(basename "$(dirname /lib/modules/*/build)")
mkdir -p "/lib/modules/$kernel/kernel"
depmod "$kernel"

enabled=no
everything >/tmp/before
install_all /firesteel/old
use "$OLD"
# What an administrator has changed stays
echo '# mine' >>/etc/ssl/firesteel.cnf
install_all /firesteel/new
grep -q '^# mine$' /etc/ssl/firesteel.cnf
use "$NEW"
apt-get purge --yes --quiet firesteel firesteel-dkms firesteel-provider firesteel-selftest libfiresteel0 libfiresteel-dev
[ -z "$(dpkg-query --show --showformat '${db:Status-Abbrev} ${Package}\n' | grep firesteel)" ]
everything >/tmp/after
diff /tmp/before /tmp/after
! ls -d /var/lib/dkms/firesteel* 2>/dev/null || refuse "DKMS still has the driver"
