// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Announces the reset of a PCI function to its driver, and that it is over, as the kernel does.  The
 * function is not reset; what happens in between takes as long as one likes.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/string.h>

/* Its slot, on bus 0 */
static unsigned int slot;
module_param(slot, uint, 0444);

static int announced_set(const char *text, const struct kernel_param *parameter)
{
	struct pci_dev *pci = pci_get_domain_bus_and_slot(0, 0, PCI_DEVFN(slot, 0));
	const struct pci_error_handlers *handlers;
	int err = 0;

	if (!pci)
		return -ENODEV;
	device_lock(&pci->dev);
	handlers = pci->driver ? pci->driver->err_handler : NULL;
	if (!handlers)
		err = -ENODEV;
	else if (sysfs_streq(text, "begin"))
		handlers->reset_prepare(pci);
	else if (sysfs_streq(text, "end"))
		handlers->reset_done(pci);
	else
		err = -EINVAL;
	device_unlock(&pci->dev);
	pci_dev_put(pci);
	return err;
}

static const struct kernel_param_ops reset_ops = { .set = announced_set };
module_param_cb(reset, &reset_ops, NULL, 0200);

static int __init announced_init(void)
{
	return 0;
}
module_init(announced_init);

static void __exit announced_exit(void)
{
}
module_exit(announced_exit);

MODULE_DESCRIPTION("Announces resets");
MODULE_LICENSE("GPL");
