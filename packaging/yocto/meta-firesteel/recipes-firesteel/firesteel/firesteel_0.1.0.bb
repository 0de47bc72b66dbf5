# SPDX-License-Identifier: Apache-2.0
SUMMARY = "Silex crypto cores for programs"
DESCRIPTION = "libfiresteel, which drives the cores BA411E, BA413 and BA414E from user space, a provider for OpenSSL, and a self-test"
SECTION = "libs"
LICENSE = "Apache-2.0 & (GPL-2.0-or-later | Apache-2.0)"
LIC_FILES_CHKSUM = "file://LICENSES/Apache-2.0.txt;md5=3b83ef96387f14655fc854ddc3c6bd57"
CVE_PRODUCT = "firesteel"

DEPENDS = "openssl"

SRC_URI = "file://firesteel-${PV}.tar.xz"

S = "${UNPACKDIR}/firesteel-${PV}"

inherit meson pkgconfig

EXTRA_OEMESON = "-Dprovider=enabled -Dwerror=false -Dmodulesdir=${libdir}/ossl-modules"

do_install:append() {
    install -D -m 0644 ${S}/provider/configurations/firesteel.cnf ${D}${sysconfdir}/ssl/firesteel.cnf
}

PACKAGES =+ "${PN}-provider ${PN}-selftest"

FILES:${PN}-provider += "\
    ${bindir}/firesteel-provider \
    ${datadir}/firesteel \
    ${libdir}/ossl-modules \
    ${sysconfdir}/ssl/firesteel.cnf \
"
FILES:${PN}-selftest += "${bindir}/firesteel-selftest"

CONFFILES:${PN}-provider = "${sysconfdir}/ssl/firesteel.cnf"

RRECOMMENDS:${PN} = "kernel-module-firesteel"
