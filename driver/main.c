// SPDX-License-Identifier: GPL-2.0-or-later
/* The module: its parameters, buses and algorithms. */
#include <linux/module.h>

#include "algorithm.h"
#include "bus.h"
#include "wait-mode.h"
#include "device.h"
#include "owner.h"
#include "verify.h"

bool firesteel_backup = true;
module_param_named(backup, firesteel_backup, bool, 0644);
MODULE_PARM_DESC(backup, "keep a copy of input that output replaces until the core is done");

unsigned int firesteel_timeout_ms = 100;
module_param_named(timeout, firesteel_timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout, "milliseconds without an answer after which a core is faulty");

module_param_named(verify, firesteel_verify, uint, 0644);
MODULE_PARM_DESC(verify, "one in this many cipher requests is compared with software; 0: none");

unsigned int firesteel_buffer_kib = 1024;
module_param_named(buffer, firesteel_buffer_kib, uint, 0644);
MODULE_PARM_DESC(buffer, "KiB of DMA memory for the program that owns a CryptoMaster");

/* ---- completion ---- */

enum firesteel_wait_mode firesteel_wait_mode = FIRESTEEL_WAIT_ADAPTIVE;

static const char *const completions[] = {
	[FIRESTEEL_WAIT_IRQ] = "irq",
	[FIRESTEEL_WAIT_POLL] = "poll",
	[FIRESTEEL_WAIT_ADAPTIVE] = "adaptive",
};

static void completion_choose(void *choice)
{
	firesteel_wait_mode = *(int *)choice;
}

static int completion_set(const char *text, const struct kernel_param *parameter)
{
	int choice = sysfs_match_string(completions, text);

	if (choice < 0)
		return choice;
	firesteel_algorithms_update(completion_choose, &choice);
	return 0;
}

static int completion_get(char *text, const struct kernel_param *parameter)
{
	return sysfs_emit(text, "%s\n", completions[firesteel_wait_mode]);
}

static int minimum_set(const char *text, const struct kernel_param *parameter)
{
	int err = param_set_int(text, parameter);

	if (!err)
		firesteel_algorithms_update(NULL, NULL);
	return err;
}

static const struct kernel_param_ops minimum_ops = {
	.set = minimum_set,
	.get = param_get_int,
};
module_param_cb(minimum, &minimum_ops, &firesteel_minimum, 0644);
MODULE_PARM_DESC(minimum,
		 "minimum request size for the core, bytes; -1: where the core costs less");

static const struct kernel_param_ops completion_ops = {
	.set = completion_set,
	.get = completion_get,
};
module_param_cb(completion, &completion_ops, NULL, 0644);
MODULE_PARM_DESC(completion, "how to wait for the end of a command: irq, poll or adaptive");

/* ---- life ---- */

/* Unless asked to, the kernel loads no faster code where its generic code suffices.  What remains
 * for the processor should cost as little as possible.
 */
static void __init firesteel_load_best_software(void)
{
	static const char *const names[] = { "aes", "sha1", "sha256", "sha512" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		request_module("crypto-%s", names[i]);
}

static int __init firesteel_init(void)
{
	int err;

	firesteel_load_best_software();
	err = pci_register_driver(&firesteel_pci_driver);
	if (err)
		return err;
	err = platform_driver_register(&firesteel_platform_driver);
	if (err)
		goto no_platform;
	firesteel_owner_assign();
	firesteel_statistics_open();
	err = firesteel_algorithms_register();
	if (!err)
		return 0;
	firesteel_statistics_close();
	platform_driver_unregister(&firesteel_platform_driver);
no_platform:
	pci_unregister_driver(&firesteel_pci_driver);
	firesteel_algorithms_unregister();
	return err;
}
module_init(firesteel_init);

static void __exit firesteel_exit(void)
{
	firesteel_statistics_close();
	platform_driver_unregister(&firesteel_platform_driver);
	pci_unregister_driver(&firesteel_pci_driver);
	firesteel_algorithms_unregister();
}
module_exit(firesteel_exit);

MODULE_DESCRIPTION("Silex cores for the kernel's crypto and for programs");
MODULE_LICENSE("GPL");
