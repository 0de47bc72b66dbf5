/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two buses. */
#ifndef FIRESTEEL_BUS_H
#define FIRESTEEL_BUS_H

#include <linux/pci.h>
#include <linux/platform_device.h>

extern struct pci_driver firesteel_pci_driver;
extern struct platform_driver firesteel_platform_driver;

#endif
