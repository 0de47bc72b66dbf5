/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a device reaches memory.  Only PCI can keep it from that: by bus mastering. */
#ifndef FIRESTEEL_REACH_H
#define FIRESTEEL_REACH_H

#include <linux/pci.h>

/* Of a device that has stopped */
static inline void firesteel_reach_memory(struct device *dev)
{
	if (dev_is_pci(dev))
		pci_set_master(to_pci_dev(dev));
}

/* Whatever the device does.  False: nothing keeps it from writing. */
static inline bool firesteel_reach_nothing(struct device *dev)
{
	if (dev_is_pci(dev))
		pci_clear_master(to_pci_dev(dev));
	return dev_is_pci(dev);
}

#endif
