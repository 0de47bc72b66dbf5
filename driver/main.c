// SPDX-License-Identifier: GPL-2.0-or-later
/* The module: buses and algorithms come and go. */
#include <linux/module.h>

#include "algorithms.h"
#include "bus.h"
#include "calibrate.h"
#include "debugfs.h"
#include "order.h"
#include "owner.h"

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
	if (err) {
		pci_unregister_driver(&firesteel_pci_driver);
		return err;
	}
	firesteel_owner_assign();
	firesteel_debugfs_open();
	firesteel_algorithms_register();
	return 0;
}
module_init(firesteel_init);

static void __exit firesteel_exit(void)
{
	firesteel_debugfs_close();
	platform_driver_unregister(&firesteel_platform_driver);
	pci_unregister_driver(&firesteel_pci_driver);
	firesteel_algorithms_unregister();
	firesteel_calibrate_settle();
	firesteel_order_settle();
}
module_exit(firesteel_exit);

MODULE_DESCRIPTION("Silex cores for the kernel's crypto and for programs");
MODULE_LICENSE("GPL");
