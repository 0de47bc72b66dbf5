# SPDX-License-Identifier: GPL-2.0-or-later
# The devices of a 64-bit board in real time, which only tests have.
CONFIG_ARM_VIRT=y
CONFIG_PCI_DEVICES=n
CONFIG_FIRESTEEL_SILEX=y
