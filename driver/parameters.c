// SPDX-License-Identifier: GPL-2.0-or-later
/* The module parameters; their variables are with those who read them. */
#include <linux/module.h>

#include "algorithms.h"
#include "cmd.h"
#include "cost.h"
#include "microcode.h"
#include "owner.h"
#include "queue.h"
#include "uio-cm.h"
#include "verify.h"

module_param_named(backup, firesteel_backup, bool, 0644);
MODULE_PARM_DESC(backup, "keep a copy of input that output replaces until the core is done");

module_param_named(timeout, firesteel_timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout, "milliseconds without an answer after which a core is faulty");

module_param_named(verify, firesteel_verify, uint, 0644);
MODULE_PARM_DESC(verify, "one in this many cipher requests is compared with software; 0: none");

module_param_named(user, firesteel_user, charp, 0444);
MODULE_PARM_DESC(user, "devices whose CryptoMaster programs may own: names, last, all, none");

module_param_named(buffer, firesteel_buffer_kib, uint, 0644);
MODULE_PARM_DESC(buffer, "KiB of DMA memory for the program that owns a CryptoMaster");

module_param_named(microcode, firesteel_microcode_file, charp, 0444);
MODULE_PARM_DESC(microcode, "firmware file for public-key engines whose device tree names none");

/* ---- those that move break-evens ---- */

static const char *const completions[] = {
	[FIRESTEEL_WAIT_IRQ] = "irq",
	[FIRESTEEL_WAIT_POLL] = "poll",
	[FIRESTEEL_WAIT_ADAPTIVE] = "adaptive",
};

static void parameters_completion_choose(void *choice)
{
	/* requests read it meanwhile */
	WRITE_ONCE(firesteel_wait_mode, *(int *)choice);
}

static int parameters_completion_set(const char *text, const struct kernel_param *parameter)
{
	int choice = sysfs_match_string(completions, text);

	if (choice < 0)
		return choice;
	firesteel_algorithms_update(parameters_completion_choose, &choice);
	return 0;
}

static int parameters_completion_get(char *text, const struct kernel_param *parameter)
{
	return sysfs_emit(text, "%s\n", completions[firesteel_wait_mode]);
}

static void parameters_minimum_choose(void *minimum)
{
	firesteel_minimum = *(int *)minimum;
}

static int parameters_minimum_set(const char *text, const struct kernel_param *parameter)
{
	int minimum, err = kstrtoint(text, 0, &minimum);

	if (!err)
		firesteel_algorithms_update(parameters_minimum_choose, &minimum);
	return err;
}

static const struct kernel_param_ops minimum_ops = {
	.set = parameters_minimum_set,
	.get = param_get_int,
};
module_param_cb(minimum, &minimum_ops, &firesteel_minimum, 0644);
MODULE_PARM_DESC(minimum,
		 "minimum request size for the core, bytes; -1: where the core costs less");

static const struct kernel_param_ops completion_ops = {
	.set = parameters_completion_set,
	.get = parameters_completion_get,
};
module_param_cb(completion, &completion_ops, NULL, 0644);
MODULE_PARM_DESC(completion, "how to wait for the end of a command: irq, poll or adaptive");
