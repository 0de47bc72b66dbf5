#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The openssl program, unmodified: s_server and s_client, one with the provider by openssl.cnf and
# the other without, over suites, versions and groups; and files through enc, dgst and mac.
#
#   programs.sh MODULE        (firesteel.so)
set -eu
module=$1
lab=$(cd "$(dirname "$0")/../../lab/src" && pwd)
example=$(cd "$(dirname "$0")/../configurations" && pwd)/firesteel.cnf
work=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT
cd "$work"

# The example configuration; without it nothing of this matters
ln -s "$example" with.cnf
OPENSSL_MODULES=$(dirname "$module")
export OPENSSL_MODULES
export FIRESTEEL_DEVICE=model:hash=on FIRESTEEL_PROVIDER_THRESHOLDS=all=16
export FIRESTEEL_PROVIDER_STATISTICS="$work/statistics-%p" FIRESTEEL_PROVIDER_ON_ERROR=refuse
: >without.cnf

as() { # with|without ARGUMENT...
    configuration=$1
    shift
    OPENSSL_CONF=$work/$configuration.cnf openssl "$@"
}

# Ends with an error unless a core has done something for the program that ran with the provider
served() { # KIND
    PYTHONPATH=$lab python3 - "$1" statistics-* <<'EOF'
import sys
from pathlib import Path

from firesteel.protocols.provider_statistics import Statistics

kind, *files = sys.argv[1:]
works = [work for file in files for work in Statistics.read(Path(file)).works]
if not any(work.hardware for work in works if work.name == kind):
    sys.exit(f"programs.sh: nothing of {kind} was done by a core")
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

# Keys that were made by one side are as good for the other, and so is what is done with them
same() { # WHAT
    cmp ours theirs || fail "$1: something else comes out"
}

as with genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out with.key 2>/dev/null
as without pkey -in with.key -check -noout >/dev/null || fail "genpkey: no key"
as with pkey -in with.key -pubout -out ours
as without pkey -in with.key -pubout -out theirs
same "pkey -pubout"
cp ours with.pub
for padding in pkcs1 pss; do
    set -- -sha256 -sigopt "rsa_padding_mode:$padding"
    as with dgst "$@" -sign with.key -out ours sent
    served rsa
    as without dgst "$@" -sign with.key -out theirs sent
    [ $padding = pss ] || same "dgst -sign"
    as without dgst "$@" -verify with.pub -signature ours sent >/dev/null
    as with dgst "$@" -verify with.pub -signature theirs sent >/dev/null
    served rsa
    ! as with dgst "$@" -verify with.pub -signature theirs with.pub >/dev/null 2>&1 ||
        fail "dgst -verify takes what is none"
done
head -c 100 sent >short
for padding in pkcs1 oaep; do
    as without pkeyutl -encrypt -pubin -inkey with.pub -in short -out sealed \
        -pkeyopt "rsa_padding_mode:$padding"
    as with pkeyutl -decrypt -inkey with.key -in sealed -out ours \
        -pkeyopt "rsa_padding_mode:$padding"
    served rsa
    cmp short ours || fail "pkeyutl -decrypt"
    as with pkeyutl -encrypt -pubin -inkey with.pub -in short -out sealed \
        -pkeyopt "rsa_padding_mode:$padding"
    as without pkeyutl -decrypt -inkey with.key -in sealed -out theirs \
        -pkeyopt "rsa_padding_mode:$padding"
    same "pkeyutl -encrypt"
done
for padding in pkcs1 pss; do
    as with req -new -x509 -key with.key -subj /CN=test -sigopt "rsa_padding_mode:$padding" \
        -out self.crt
    served rsa
    as without verify -CAfile self.crt self.crt >/dev/null || fail "req -x509, $padding"
    as with verify -check_ss_sig -CAfile self.crt self.crt >/dev/null ||
        fail "verify, $padding"
    served rsa
done
as with genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 \
    -pkeyopt rsa_pss_keygen_md:sha256 -out pss.key 2>/dev/null
as with req -new -x509 -sha256 -key pss.key -subj /CN=test -out self.crt
as without verify -check_ss_sig -CAfile self.crt self.crt >/dev/null || fail "req with RSA-PSS"
rm -f statistics-*
as with genpkey -algorithm DH -pkeyopt group:ffdhe2048 -out dh1.key
served dh
as without genpkey -algorithm DH -pkeyopt group:ffdhe2048 -out dh2.key
as without pkey -in dh1.key -check -noout >/dev/null || fail "genpkey: no key"
as without genpkey -genparam -algorithm DH -pkeyopt dh_paramgen_prime_len:512 -out dh.params \
    2>/dev/null
as with genpkey -paramfile dh.params -out dh3.key
rm -f statistics-* # whose they are depends on how this version of the program reads them
as without pkey -in dh3.key -check -noout >/dev/null || fail "genpkey -paramfile: no key"
as with dhparam -in dh.params -outform DER -out ours
as without dhparam -in dh.params -outform DER -out theirs
same "dhparam"
for number in 1 2; do
    as with pkey -in dh$number.key -pubout -out dh$number.pub
done
rm -f statistics-*
as with pkeyutl -derive -inkey dh1.key -peerkey dh2.pub -out ours
served dh
as without pkeyutl -derive -inkey dh2.key -peerkey dh1.pub -out theirs
same "pkeyutl -derive"

# Elliptic curves: keys, signatures and secrets of one side are as good for the other
for curve in P-256 P-384 P-521; do
    for number in 1 2; do
        [ $number = 1 ] && maker=with || maker=without
        as $maker genpkey -algorithm EC -pkeyopt group:$curve -out ec$number.key
        as with pkey -in ec$number.key -pubout -out ec$number.pub
        as without pkey -in ec$number.key -pubout -out theirs
        cp ec$number.pub ours
        same "pkey -pubout, $curve"
    done
    served ecdh
    as without pkey -in ec1.key -check -noout >/dev/null || fail "genpkey: no key on $curve"
    as with pkeyutl -derive -inkey ec1.key -peerkey ec2.pub -out ours
    served ecdh
    as without pkeyutl -derive -inkey ec2.key -peerkey ec1.pub -out theirs
    same "pkeyutl -derive, $curve"
    as with dgst -sha256 -sign ec1.key -out ours sent
    served ecdsa
    as without dgst -sha256 -verify ec1.pub -signature ours sent >/dev/null
    as without dgst -sha256 -sign ec2.key -out theirs sent
    as with dgst -sha256 -verify ec2.pub -signature theirs sent >/dev/null
    served ecdsa
    ! as with dgst -sha256 -verify ec1.pub -signature theirs sent >/dev/null 2>&1 ||
        fail "dgst -verify takes what is none, $curve"
    as with req -new -x509 -key ec1.key -subj /CN=test -out self.crt
    served ecdsa
    as without verify -check_ss_sig -CAfile self.crt self.crt >/dev/null || fail "req, $curve"
done
for number in 1 2; do
    [ $number = 1 ] && maker=with || maker=without
    as $maker genpkey -algorithm X25519 -out x$number.key
    as without pkey -in x$number.key -pubout -out x$number.pub
done
served x25519
as with pkeyutl -derive -inkey x1.key -peerkey x2.pub -out ours
served x25519
as without pkeyutl -derive -inkey x2.key -peerkey x1.pub -out theirs
same "pkeyutl -derive, X25519"
as with genpkey -algorithm ED25519 -out ed.key
as without pkey -in ed.key -pubout -out ed.pub
rm -f statistics-*
as with pkeyutl -sign -rawin -inkey ed.key -in short -out ours
served ed25519
as without pkeyutl -sign -rawin -inkey ed.key -in short -out theirs
same "pkeyutl -sign, Ed25519"
as with pkeyutl -verify -rawin -pubin -inkey ed.pub -in short -sigfile theirs >/dev/null
served ed25519
! as with pkeyutl -verify -rawin -pubin -inkey ed.pub -in sent -sigfile theirs >/dev/null 2>&1 ||
    fail "pkeyutl -verify takes what is none, Ed25519"
as with req -new -x509 -key ed.key -subj /CN=test -out ed.crt
served ed25519
as without verify -check_ss_sig -CAfile ed.crt ed.crt >/dev/null || fail "req, Ed25519"

# One connection, through which the server sends a file
talk() { # with|without (the server), with|without (the client), KIND, ARGUMENT of s_client...
    ours=$1
    theirs=$2
    kind=$3
    shift 3
    rm -f socket got
    OPENSSL_CONF=$work/$ours.cnf nice openssl s_server -unix "$work/socket" -naccept 1 -WWW \
        -cert $first.crt -key $first.key -dcert ec.crt -dkey ec.key -cipher ALL:@SECLEVEL=0 \
        -ciphersuites "$newest" -groups "$groups" >/dev/null 2>log &
    server=$!
    tries=0
    # it is there before it listens, which is flag 00010000
    until grep -qs " 00010000 .* $work/socket\$" /proc/net/unix; do
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
first=rsa
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
for suite in ECDHE-RSA-AES128-GCM-SHA256:rsa DHE-RSA-AES128-GCM-SHA256:rsa \
    DHE-RSA-AES256-GCM-SHA384:dh AES128-GCM-SHA256:rsa; do
    set -- -tls1_2 -cipher "${suite%:*}:@SECLEVEL=0"
    talk with without "${suite#*:}" "$@"
    [ "$suite" = AES128-GCM-SHA256:rsa ] || talk without with "${suite#*:}" "$@"
done
for algorithm in rsa_pss_rsae_sha256 rsa_pss_rsae_sha512; do
    talk with without rsa -tls1_3 -sigalgs $algorithm
    talk without with rsa -tls1_3 -sigalgs $algorithm
done
talk with without dh -tls1_3 -groups ffdhe2048
talk without with dh -tls1_3 -groups ffdhe2048
for group in P-256:ecdh P-384:ecdh P-521:ecdh X25519:x25519; do
    set -- -tls1_3 -groups "${group%:*}"
    talk with without "${group#*:}" "$@"
    talk without with "${group#*:}" "$@"
done
first=ed
for version in tls1_2 tls1_3; do
    for algorithm in ecdsa_secp256r1_sha256:ecdsa ed25519:ed25519; do
        set -- -$version -sigalgs "${algorithm%:*}" -cipher ECDHE-ECDSA-AES128-GCM-SHA256
        talk with without "${algorithm#*:}" "$@"
        talk without with "${algorithm#*:}" "$@"
    done
done
echo "$spoken connections"
