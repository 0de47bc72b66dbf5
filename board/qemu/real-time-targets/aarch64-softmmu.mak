# SPDX-License-Identifier: GPL-2.0-or-later
# The devices of a 64-bit board in real time, which only tests have.
CONFIG_ARM_VIRT=y
CONFIG_PCI_DEVICES=n
CONFIG_FIRESTEEL_SILEX=y
# No such board has a probe, but the translator and snapshots are linked to what it consists of.
CONFIG_FIRESTEEL_LOCKSTEP=y
CONFIG_FIRESTEEL_PROBE=y
