// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows are found and given back here; see exercise.h. */
#include <linux/module.h>
#include <linux/sched.h>

#include "exercise.h"
#include "silex/cryptomaster.h"

static bool exercise_pin;
module_param_named(pin, exercise_pin, bool, 0444);
MODULE_PARM_DESC(pin, "both lines by the function's interrupt pin, not by vectors of their own");

static const irq_handler_t exercise_handlers[SILEX_LINES] = {
	[SILEX_LINE_CM] = symmetric_interrupt,
	[SILEX_LINE_PK] = public_key_interrupt,
};

static int exercise_loop(void *data)
{
	struct exercise_core *core = data;

	/* What the board has to do besides comes first */
	set_user_nice(current, MAX_NICE);
	while (!kthread_should_stop()) {
		reinit_completion(&core->ended);
		if (!core->run(core->exercise, core->done))
			core->wrong++;
		core->done++;
		cond_resched();
	}
	return 0;
}

static unsigned int exercise_vector(unsigned int line)
{
	return exercise_pin ? 0 : line;
}

static int exercise_core_start(struct exercise *exercise, unsigned int line)
{
	struct exercise_core *core = &exercise->cores[line];
	int err;

	init_completion(&core->ended);
	core->exercise = exercise;
	err = pci_request_irq(exercise->pci, exercise_vector(line), exercise_handlers[line], NULL,
			      core, "exercise-%s", core->name);
	if (err)
		return err;
	core->thread = kthread_run(exercise_loop, core, "exercise-%s", core->name);
	if (IS_ERR(core->thread)) {
		pci_free_irq(exercise->pci, exercise_vector(line), core);
		err = PTR_ERR(core->thread);
		core->thread = NULL;
	}
	return err;
}

static void exercise_core_stop(struct exercise *exercise, unsigned int line)
{
	struct exercise_core *core = &exercise->cores[line];

	if (!core->thread)
		return;
	kthread_stop(core->thread);
	pci_free_irq(exercise->pci, exercise_vector(line), core);
	pr_info("exercise %s: %s done %u wrong %u interrupts %u\n", pci_name(exercise->pci),
		core->name, core->done, core->wrong, core->interrupts);
}

static void exercise_remove(struct pci_dev *pci)
{
	struct exercise *exercise = pci_get_drvdata(pci);
	unsigned int line;

	for (line = 0; line < SILEX_LINES; line++)
		exercise_core_stop(exercise, line);
	pci_free_irq_vectors(pci);
}

static int exercise_start(struct exercise *exercise)
{
	u32 presence = exercise_read(exercise, SILEX_PRESENCE);
	int err;

	exercise->cores[SILEX_LINE_CM].name = "symmetric";
	exercise->cores[SILEX_LINE_CM].run = symmetric_run;
	exercise->cores[SILEX_LINE_PK].name = "public-key";
	exercise->cores[SILEX_LINE_PK].run = public_key_run;
	if (presence & (SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH)) {
		err = symmetric_prepare(exercise) ?: exercise_core_start(exercise, SILEX_LINE_CM);
		if (err)
			return err;
	}
	return presence & SILEX_PRESENCE_PK ? exercise_core_start(exercise, SILEX_LINE_PK) : 0;
}

/* Accesses that are no words read 0 and change nothing */
static bool exercise_refuses_bytes(struct exercise *exercise)
{
	void __iomem *enabled = exercise->window + SILEX_CM_INT_EN;

	writel(SILEX_CM_INT_ALL, enabled);
	writeb(0, enabled);
	writew(0, enabled);
	return readb(enabled) == 0 && readw(enabled) == 0 && readl(enabled) == SILEX_CM_INT_ALL;
}

static int exercise_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct exercise *exercise = devm_kzalloc(&pci->dev, sizeof(*exercise), GFP_KERNEL);
	int err;

	if (!exercise)
		return -ENOMEM;
	exercise->pci = pci;
	pci_set_drvdata(pci, exercise);
	err = pcim_enable_device(pci)
		      ?: pcim_iomap_regions(pci, BIT(SILEX_PCI_WINDOW_BAR), "exercise");
	if (err)
		return err;
	pci_set_master(pci);
	exercise->window = pcim_iomap_table(pci)[SILEX_PCI_WINDOW_BAR];
	if (exercise_pin)
		err = pci_alloc_irq_vectors(pci, 1, 1, PCI_IRQ_INTX);
	else
		err = pci_alloc_irq_vectors(pci, SILEX_LINES, SILEX_LINES, PCI_IRQ_MSIX);
	if (err < 0)
		return err;
	if (!exercise_refuses_bytes(exercise))
		pr_err("exercise %s: an access of a byte is not without effect\n", pci_name(pci));
	err = exercise_start(exercise);
	if (err)
		exercise_remove(pci);
	return err;
}

static const struct pci_device_id exercise_ids[] = {
	{ PCI_DEVICE(SILEX_PCI_VENDOR, SILEX_PCI_DEVICE) },
	{},
};
MODULE_DEVICE_TABLE(pci, exercise_ids);

static struct pci_driver exercise_driver = {
	.name = "exercise",
	.id_table = exercise_ids,
	.probe = exercise_probe,
	.remove = exercise_remove,
};
module_pci_driver(exercise_driver);

MODULE_DESCRIPTION("Keeps Silex cores busy, for tests of the board");
MODULE_LICENSE("GPL");
