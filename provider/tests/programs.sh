#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The openssl program, unmodified: s_server and s_client, one with the provider by openssl.cnf and
# the other without, over suites, versions and groups; and files through enc, dgst and mac.
#
#   programs.sh MODULE        (firesteel.so)
set -eu
module=$1
work=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT
cd "$work"

cat >with.cnf <<EOF
openssl_conf = init
[init]
providers = providers
alg_section = algorithms
random = random
[algorithms]
default_properties = ?provider=firesteel
[random]
properties = provider=default
[providers]
default = software
firesteel = firesteel
[software]
activate = 1
[firesteel]
module = $module
activate = 1
device = model:hash=on
thresholds = all=16
statistics = $work/statistics-%p
on_error = refuse
EOF
: >without.cnf

as() { # with|without ARGUMENT...
    configuration=$1
    shift
    OPENSSL_CONF=$work/$configuration.cnf openssl "$@"
}

# Ends with an error unless a core has done something for the program that ran with the provider
served() { # KIND
    python3 - "$1" statistics-* <<'EOF'
import sys

kind = b"\0" + sys.argv[1].encode() + b"\0"
for name in sys.argv[2:]:
    data = open(name, "rb").read()
    at = data.index(kind) + 1
    # struct fsp_counters: 16 bytes of name, then what the cores did
    if int.from_bytes(data[at + 16 : at + 24], sys.byteorder):
        sys.exit(0)
sys.exit(f"programs.sh: nothing of {sys.argv[1]} was done by a core")
EOF
    rm -f statistics-*
}

fail() {
    echo "programs.sh: $*" >&2
    exit 1
}

as without req -x509 -newkey rsa:2048 -nodes -keyout rsa.key -out rsa.crt -subj /CN=test 2>/dev/null
as without req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ec.key \
    -out ec.crt -subj /CN=test 2>/dev/null
head -c 300000 /dev/urandom | base64 -w 60 >sent

for file in enc dgst mac; do
    case $file in
    enc)
        as with enc -aes-256-ctr -K 00 -iv 00 -in sent -out ours 2>/dev/null
        served ctr
        as without enc -aes-256-ctr -K 00 -iv 00 -in sent -out theirs 2>/dev/null
        ;;
    dgst)
        as with dgst -sha256 sent >ours
        served digest
        as without dgst -sha256 sent >theirs
        ;;
    mac)
        as with mac -digest SHA512 -macopt hexkey:00 -in sent HMAC >ours
        served hmac
        as without mac -digest SHA512 -macopt hexkey:00 -in sent HMAC >theirs
        ;;
    esac
    cmp ours theirs || fail "openssl $file gives something else"
done

# One connection, through which the server sends a file
talk() { # with|without (the server), with|without (the client), KIND, ARGUMENT of s_client...
    ours=$1
    theirs=$2
    kind=$3
    shift 3
    rm -f socket got
    OPENSSL_CONF=$work/$ours.cnf nice openssl s_server -unix "$work/socket" -naccept 1 -WWW \
        -cert rsa.crt -key rsa.key -dcert ec.crt -dkey ec.key -cipher ALL:@SECLEVEL=0 \
        -ciphersuites "$newest" -groups "$groups" >/dev/null 2>log &
    server=$!
    tries=0
    until [ -S socket ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "s_server does not begin: $(cat log)"
        sleep 0.05
    done
    printf 'GET /sent HTTP/1.0\r\n\r\n' |
        as "$theirs" s_client -unix "$work/socket" -quiet -ign_eof "$@" >got 2>>log ||
        fail "s_client $* ends with an error: $(cat log)"
    wait "$server" || true
    server=
    tail -c "$(wc -c <sent)" got | cmp -s - sent || fail "s_client $* got something else: $(cat log)"
    served "$kind"
    spoken=$((spoken + 1))
}

newest=TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_AES_128_CCM_SHA256
groups=X25519:P-256:P-384:P-521:X448:ffdhe2048
spoken=0
for suite in ECDHE-RSA-AES128-GCM-SHA256:gcm ECDHE-ECDSA-AES256-GCM-SHA384:gcm \
    DHE-RSA-AES256-CCM:ccm ECDHE-ECDSA-AES128-CCM8:ccm ECDHE-RSA-AES256-SHA384:cbc \
    ECDHE-ECDSA-AES128-SHA256:cbc DHE-RSA-AES256-SHA256:cbc AES128-SHA:cbc AES256-GCM-SHA384:gcm; do
    kind=${suite#*:}
    set -- -tls1_2 -cipher "${suite%:*}:@SECLEVEL=0"
    talk with without "$kind" "$@"
    talk without with "$kind" "$@"
done
for suite in TLS_AES_128_GCM_SHA256:gcm TLS_AES_256_GCM_SHA384:gcm TLS_AES_128_CCM_SHA256:ccm; do
    talk with without "${suite#*:}" -tls1_3 -ciphersuites "${suite%:*}"
    talk without with "${suite#*:}" -tls1_3 -ciphersuites "${suite%:*}"
done
for group in X25519 P-256 P-384 P-521 X448 ffdhe2048; do
    talk with without gcm -tls1_3 -groups "$group"
    talk without with gcm -tls1_3 -groups "$group"
done
echo "$spoken connections"
