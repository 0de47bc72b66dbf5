/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One window of cores, on whichever bus: how it comes into service and leaves it. */
#ifndef FIRESTEEL_DEVICE_H
#define FIRESTEEL_DEVICE_H

#include <linux/pm.h>

#include "resources.h"

struct device;

/* Ends the interrupt of power-on: on a line that both cores share, nobody would take it while the
 * public-key engine is not open.  To be called before a line is switched on, and after a reset; may
 * sleep.
 */
void firesteel_device_quiet(void __iomem *window);

/* Takes a window into service, and sets drvdata; 0 or a negative error number */
int firesteel_device_add(struct device *dev, const struct firesteel_resources *resources);
void firesteel_device_remove(struct device *dev);

/* Before and after anything that resets the cores: meanwhile the kernel's requests go to software.
 * Programs that own a CryptoMaster see it reset.  False: CryptoMaster may still write to memory,
 * which a PCI function cannot.
 */
bool firesteel_device_suspend(struct device *dev);
void firesteel_device_resume(struct device *dev);
extern const struct dev_pm_ops firesteel_device_pm;

#endif
