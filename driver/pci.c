// SPDX-License-Identifier: GPL-2.0-or-later
/* A PCI function: the window in BAR 0, a vector for each line or the pin for both. */
#include <linux/module.h>

#include "bus.h"
#include "compat.h"
#include "device.h"
#include "owner.h"
#include "silex/pci.h"

static int firesteel_pci_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct firesteel_resources resources = {};
	int vectors, err;

	/* once switched on it may interrupt: the pin stays off until it is asked for */
	pci_intx(pci, 0);
	err = pcim_enable_device(pci)
		      ?: pcim_iomap_regions(pci, BIT(SILEX_PCI_WINDOW_BAR), KBUILD_MODNAME);
	if (err)
		return err;
	firesteel_device_quiet(pcim_iomap_table(pci)[SILEX_PCI_WINDOW_BAR]);
	pci_set_master(pci);
	vectors = pci_alloc_irq_vectors(pci, 1, SILEX_LINES, PCI_IRQ_ALL_TYPES);
	if (vectors < 0)
		return vectors;
	resources.window = pcim_iomap_table(pci)[SILEX_PCI_WINDOW_BAR];
	resources.base = pci_resource_start(pci, SILEX_PCI_WINDOW_BAR);
	resources.shared_irq = !pci_dev_msi_enabled(pci);
	resources.irqs[SILEX_LINE_CM] = pci_irq_vector(pci, SILEX_LINE_CM);
	if (resources.shared_irq)
		resources.irqs[SILEX_LINE_PK] = resources.irqs[SILEX_LINE_CM];
	else if (vectors > SILEX_LINE_PK)
		resources.irqs[SILEX_LINE_PK] = pci_irq_vector(pci, SILEX_LINE_PK);
	err = firesteel_device_add(&pci->dev, &resources);
	if (err)
		pci_free_irq_vectors(pci);
	return err;
}

static void firesteel_pci_remove(struct pci_dev *pci)
{
	firesteel_device_remove(&pci->dev);
	pci_free_irq_vectors(pci);
}

static const struct pci_device_id ids[] = {
	{ PCI_DEVICE(SILEX_PCI_VENDOR, SILEX_PCI_DEVICE) },
	{},
};
MODULE_DEVICE_TABLE(pci, ids);

static void firesteel_pci_reset_prepare(struct pci_dev *pci)
{
	firesteel_device_suspend(&pci->dev);
}

static void firesteel_pci_reset_done(struct pci_dev *pci)
{
	firesteel_device_resume(&pci->dev);
}

static const struct pci_error_handlers handlers = {
	.reset_prepare = firesteel_pci_reset_prepare,
	.reset_done = firesteel_pci_reset_done,
};

struct pci_driver firesteel_pci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = ids,
	.probe = firesteel_pci_probe,
	.remove = firesteel_pci_remove,
	.FIRESTEEL_PCI_GROUPS = firesteel_owner_groups,
	.err_handler = &handlers,
	.driver.pm = pm_sleep_ptr(&firesteel_device_pm),
};
