// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers in the place of a function, which then does nothing.  While this module is loaded a
 * CryptoMaster cannot be stopped, for example, or the kernel is locked down.  On 32-bit ARM.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static char *function = "firesteel_cryptomaster_stop";
module_param(function, charp, 0444);

/* What it returns */
static int answer;
module_param(answer, int, 0444);

/* How many calls do what they should before that */
static unsigned int after;
module_param(after, uint, 0444);

/* How many are answered then; 0: all */
static unsigned int most;
module_param(most, uint, 0444);

/* Whether the function is of the driver, which is not loaded yet */
static bool early;
module_param(early, bool, 0444);

/* How often it was called */
static unsigned int asked;
module_param(asked, uint, 0444);

static int answers_before(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned int call = asked++;

	if (call < after || (most && call >= after + most))
		return 0;
	regs->ARM_r0 = answer;
	regs->ARM_pc = regs->ARM_lr;
	return 1;
}

/* With it, the kernel does not replace the probe by a jump, which would not let it return */
static void answers_behind(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe probe = { .pre_handler = answers_before, .post_handler = answers_behind };

static int answers_note(struct notifier_block *block, unsigned long event, void *data)
{
	const struct module *module = data;

	if (event != MODULE_STATE_COMING || strcmp(module->name, "firesteel"))
		return NOTIFY_DONE;
	return notifier_from_errno(register_kprobe(&probe));
}

/* The kernel's own take note of a module first */
static struct notifier_block notifier = { .notifier_call = answers_note, .priority = -1 };

static int __init answers_init(void)
{
	probe.symbol_name = function;
	return early ? register_module_notifier(&notifier) : register_kprobe(&probe);
}
module_init(answers_init);

static void __exit answers_exit(void)
{
	if (early)
		unregister_module_notifier(&notifier);
	unregister_kprobe(&probe);
}
module_exit(answers_exit);

MODULE_DESCRIPTION("Answers in the place of a function");
MODULE_LICENSE("GPL");
