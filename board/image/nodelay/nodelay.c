// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While this module is loaded, the kernel's short busy waits (udelay, mdelay) end at once.
 *
 * The Ethernet driver clocks 25 bits out of an EEPROM for each of 64 words and waits 50 us at each
 * edge: on an emulated controller, which is always ready, that is 0.28 s of spinning for each
 * port, and on a fast board most of the instructions of its whole start.  The image loads this
 * module before the driver and removes it after, so nothing that is measured runs with it.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

/* Returns to the caller in the place of the waiting function. */
static int nodelay_skip(struct kprobe *probe, struct pt_regs *regs)
{
	instruction_pointer_set(regs, regs->@LINK_REGISTER@);
	return 1;
}

/* Its presence keeps the kernel from turning the probe into a jump, which could not skip. */
static void nodelay_after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe nodelay_probe = {
	.symbol_name = "@DELAY@",
	.pre_handler = nodelay_skip,
	.post_handler = nodelay_after,
};

static int __init nodelay_init(void)
{
	return register_kprobe(&nodelay_probe);
}
module_init(nodelay_init);

static void __exit nodelay_exit(void)
{
	unregister_kprobe(&nodelay_probe);
}
module_exit(nodelay_exit);

MODULE_DESCRIPTION("Ends busy waits at once while drivers of emulated devices start");
MODULE_LICENSE("GPL");
