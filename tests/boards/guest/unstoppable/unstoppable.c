// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A CryptoMaster that its reset does not stop: while this module is loaded, the driver's function
 * that stops it does nothing, and says that the core goes on.  On 32-bit ARM.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

/* What that function returns then */
static int answer;
module_param(answer, int, 0444);

/* How often it was asked */
static unsigned int asked;
module_param(asked, uint, 0444);

static int unstoppable_stop(struct kprobe *probe, struct pt_regs *regs)
{
	asked++;
	regs->ARM_r0 = answer;
	regs->ARM_pc = regs->ARM_lr;
	return 1;
}

/* With it, the kernel does not replace the probe by a jump, which would not let it return */
static void unstoppable_stopped(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe stop_probe = {
	.symbol_name = "firesteel_cryptomaster_stop",
	.pre_handler = unstoppable_stop,
	.post_handler = unstoppable_stopped,
};

static int __init unstoppable_init(void)
{
	return register_kprobe(&stop_probe);
}
module_init(unstoppable_init);

static void __exit unstoppable_exit(void)
{
	unregister_kprobe(&stop_probe);
}
module_exit(unstoppable_exit);

MODULE_DESCRIPTION("Keeps the driver from stopping a core");
MODULE_LICENSE("GPL");
