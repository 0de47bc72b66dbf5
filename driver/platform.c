// SPDX-License-Identifier: GPL-2.0-or-later
/* A device of the device tree: docs/devicetree/firesteel,silex.yaml. */
#include <linux/mod_devicetable.h>
#include <linux/module.h>

#include "bus.h"
#include "device.h"

static int probe(struct platform_device *platform)
{
	void __iomem *window = devm_platform_ioremap_resource(platform, 0);
	struct firesteel_device *device;
	int irq = platform_get_irq_byname(platform, "cryptomaster");

	if (IS_ERR(window))
		return PTR_ERR(window);
	if (irq < 0)
		return irq;
	device = firesteel_device_add(&platform->dev, window, irq, 0);
	if (IS_ERR(device))
		return PTR_ERR(device);
	platform_set_drvdata(platform, device);
	return 0;
}

static void remove(struct platform_device *platform)
{
	firesteel_device_remove(platform_get_drvdata(platform));
}

static const struct of_device_id ids[] = {
	{ .compatible = "firesteel,silex" },
	{},
};
/* What MODULE_DEVICE_TABLE(of, ids) comes to.  That itself fails when the module is built with
 * Debian's headers on a machine of another word size: their modpost has the size of struct
 * of_device_id on its own. */
MODULE_ALIAS("of:N*T*Cfiresteel,silex");
MODULE_ALIAS("of:N*T*Cfiresteel,silexC*");

struct platform_driver firesteel_platform_driver = {
	.driver = { .name = KBUILD_MODNAME, .of_match_table = ids },
	.probe = probe,
	.remove_new = remove,
};
