# SPDX-License-Identifier: Apache-2.0
# The login shell of `firesteel console` on a board with cores: driver and provider are ready.

modprobe firesteel
export OPENSSL_CONF=/job/openssl.cnf

# cores [kernel|user]: shows who owns the CryptoMasters; with an argument, changes the owner of all.
cores() {
	for owner in /sys/bus/*/devices/*/owner; do
		[ -e "$owner" ] || continue
		[ -z "$1" ] || echo "$1" >"$owner"
		device=${owner%/owner}
		echo "${device##*/}: $(cat "$owner")"
	done
}

# openssl: as it is; says so when what it measures is software.
openssl() {
	if [ "$1" = speed ] && ! cores | grep -q ': user'; then
		echo 'This measures software: the kernel has all CryptoMasters; "cores user" gives them to programs.' >&2
	fi
	command openssl "$@"
}

cat <<end

The cores' driver is loaded, and programs that use OpenSSL have the provider.
  cores user && openssl speed -elapsed -bytes 16384 -evp aes-256-cbc
                                            AES on a CryptoMaster, which programs have from then on
  grep -A1 firesteel /proc/crypto           what the kernel has on the cores
  openssl list -providers                   what OpenSSL has
Small blocks stay in software, where they are faster. Who has each CryptoMaster ("cores user" gives all to programs,
"cores kernel" takes them back):
end
cores
