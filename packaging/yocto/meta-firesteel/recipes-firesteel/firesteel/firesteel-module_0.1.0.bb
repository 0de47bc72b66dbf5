# SPDX-License-Identifier: Apache-2.0
SUMMARY = "Linux driver for the Silex crypto cores"
DESCRIPTION = "firesteel.ko, which offers the cores BA411E, BA413 and BA414E to the kernel's crypto API and to programs"
SECTION = "kernel/modules"
LICENSE = "GPL-2.0-or-later"
LIC_FILES_CHKSUM = "file://LICENSES/GPL-2.0-or-later.txt;md5=b234ee4d69f5fce4486a80fdaf4a4263"
CVE_PRODUCT = "firesteel"

SRC_URI = "file://firesteel-${PV}.tar.xz"

S = "${UNPACKDIR}/firesteel-${PV}"

inherit module

# The driver has a Kbuild and no Makefile: the kernel's is called for it
EXTRA_OEMAKE += "-C ${STAGING_KERNEL_DIR} M=${S}/driver"
MODULES_MODULE_SYMVERS_LOCATION = "driver"
