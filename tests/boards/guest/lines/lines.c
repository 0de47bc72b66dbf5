// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A clock and a reset line for the window of the device tree, which has none: the window's own node
 * provides both.  The line resets CryptoMaster.
 */
#include <linux/clk-provider.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/reset-controller.h>

#include "silex/cryptomaster.h"
#include "silex/soc.h"

#define PHANDLE 0x51180000u

/* How often the line was pulled */
static unsigned int asserted;
module_param(asserted, uint, 0444);

/* Whether the clock runs */
static bool running;
module_param(running, bool, 0444);

static void __iomem *window;
static struct device_node *node;

/* ---- the line ---- */

static int lines_assert(struct reset_controller_dev *controller, unsigned long id)
{
	asserted++;
	writel(SILEX_CM_CONFIG_SOFT_RESET, window + SILEX_CM_BASE + SILEX_CM_CONFIG);
	return 0;
}

static int lines_deassert(struct reset_controller_dev *controller, unsigned long id)
{
	writel(0, window + SILEX_CM_BASE + SILEX_CM_CONFIG);
	return 0;
}

static int lines_of(struct reset_controller_dev *controller, const struct of_phandle_args *args)
{
	return 0;
}

static const struct reset_control_ops reset_ops = {
	.assert = lines_assert,
	.deassert = lines_deassert,
};

static struct reset_controller_dev controller = {
	.ops = &reset_ops,
	.owner = THIS_MODULE,
	.nr_resets = 1,
	.of_xlate = lines_of,
};

/* ---- the clock ---- */

static int lines_enable(struct clk_hw *hw)
{
	running = true;
	return 0;
}

static void lines_disable(struct clk_hw *hw)
{
	running = false;
}

static const struct clk_ops clock_ops = { .enable = lines_enable, .disable = lines_disable };
static const struct clk_init_data clock_init = { .name = "window", .ops = &clock_ops };
static struct clk_hw clock = { .init = &clock_init };

/* ---- the node ---- */

static __be32 none[] = { 0 };
static __be32 self[1];

static struct property properties[] = {
	{ .name = "#reset-cells", .length = sizeof(none), .value = none },
	{ .name = "#clock-cells", .length = sizeof(none), .value = none },
	{ .name = "resets", .length = sizeof(self), .value = self },
	{ .name = "clocks", .length = sizeof(self), .value = self },
};

static int lines_describe(void)
{
	unsigned int i;
	int err = 0;

	if (!node->phandle)
		node->phandle = PHANDLE;
	self[0] = cpu_to_be32(node->phandle);
	for (i = 0; !err && i < ARRAY_SIZE(properties); i++)
		err = of_add_property(node, &properties[i]);
	return err;
}

/* It stays, as the node refers to it for good */
static int __init lines_init(void)
{
	node = of_find_compatible_node(NULL, NULL, "firesteel,silex");
	window = node ? of_iomap(node, 0) : NULL;
	if (!window)
		return -ENODEV;
	controller.of_node = node;
	return lines_describe() ?: reset_controller_register(&controller) ?:
	       clk_hw_register(NULL, &clock) ?:
	       of_clk_add_hw_provider(node, of_clk_hw_simple_get, &clock);
}
module_init(lines_init);

MODULE_DESCRIPTION("A clock and a reset line");
MODULE_LICENSE("GPL");
