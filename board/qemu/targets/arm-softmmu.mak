# SPDX-License-Identifier: GPL-2.0-or-later
# The devices of a Firesteel board; nothing else is built.
CONFIG_ARM_VIRT=y
CONFIG_PCI_DEVICES=n
CONFIG_E1000_PCI=y
CONFIG_FIRESTEEL_LOCKSTEP=y
CONFIG_FIRESTEEL_PROBE=y
CONFIG_FIRESTEEL_SILEX=y
# Another crypto device, to compare with ours.
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_CRYPTO=y
