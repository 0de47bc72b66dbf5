// SPDX-License-Identifier: GPL-2.0-or-later
/* A device of the device tree: docs/devicetree/silex-insight,cryptosoc.yaml. */
#include <linux/clk.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/reset.h>

#include "bus.h"
#include "compat.h"
#include "device.h"
#include "owner.h"

/* An interrupt that the device tree does not name is absent; the window tells which are needed */
static int firesteel_platform_get_irq(struct platform_device *platform, const char *name,
				      unsigned int *number)
{
	int irq = platform_get_irq_byname_optional(platform, name);

	if (irq == -EPROBE_DEFER)
		return irq;
	*number = max(irq, 0);
	return 0;
}

/* The window's clock runs and its reset has ended, where the device tree names them */
static int firesteel_platform_wake(struct device *dev, struct reset_control **reset)
{
	struct clk *clock = devm_clk_get_optional_enabled(dev, NULL);

	if (IS_ERR(clock))
		return dev_err_probe(dev, PTR_ERR(clock), "clock\n");
	*reset = devm_reset_control_get_optional_exclusive(dev, NULL);
	if (IS_ERR(*reset))
		return dev_err_probe(dev, PTR_ERR(*reset), "reset\n");
	return reset_control_deassert(*reset);
}

static int firesteel_platform_probe(struct platform_device *platform)
{
	struct firesteel_resources resources = {};
	struct resource *window;
	int err;

	resources.window = devm_platform_get_and_ioremap_resource(platform, 0, &window);
	if (IS_ERR(resources.window))
		return PTR_ERR(resources.window);
	resources.base = window->start;
	err = firesteel_platform_wake(&platform->dev, &resources.reset)
		      ?: firesteel_platform_get_irq(platform, "cryptomaster",
						    &resources.irqs[SILEX_LINE_CM])
		      ?: firesteel_platform_get_irq(platform, "pk", &resources.irqs[SILEX_LINE_PK]);
	if (err)
		return err;
	firesteel_device_quiet(resources.window);
	return firesteel_device_add(&platform->dev, &resources);
}

static firesteel_remove_result firesteel_platform_remove(struct platform_device *platform)
{
	firesteel_device_remove(&platform->dev);
	return FIRESTEEL_REMOVE_RESULT;
}

static const struct of_device_id ids[] = {
	{ .compatible = "silex-insight,cryptosoc" },
	{ .compatible = "firesteel,silex" }, /* the virtual boards' */
	{},
};

/* The expansion of MODULE_DEVICE_TABLE(of, ids).  The macro itself fails when the module is built
 * with Debian's headers on a machine of another word size: their modpost uses its own machine's
 * size of struct of_device_id.
 */
MODULE_ALIAS("of:N*T*Csilex-insight,cryptosoc");
MODULE_ALIAS("of:N*T*Csilex-insight,cryptosocC*");
MODULE_ALIAS("of:N*T*Cfiresteel,silex");
MODULE_ALIAS("of:N*T*Cfiresteel,silexC*");

struct platform_driver firesteel_platform_driver = {
	.driver = { .name = KBUILD_MODNAME,
		    .of_match_table = ids,
		    .dev_groups = firesteel_owner_groups,
		    .pm = pm_sleep_ptr(&firesteel_device_pm) },
	.probe = firesteel_platform_probe,
	.remove = firesteel_platform_remove,
};
