# SPDX-License-Identifier: GPL-2.0-or-later
# A 64-bit board has the devices of a 32-bit one.
include ../arm-softmmu/firesteel.mak
