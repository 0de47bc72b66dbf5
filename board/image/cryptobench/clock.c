// SPDX-License-Identifier: GPL-2.0-or-later
/* The board's exact clocks, read from the probe device; see cryptobench.h. */
#include <linux/irqflags.h>
#include <linux/pci.h>

#include "cryptobench.h"
#include "probe.h"

static struct pci_dev *clock_device;
static void __iomem *clock_registers;

int bench_clock_open(void)
{
	int err;

	clock_device = pci_get_device(PROBE_VENDOR, PROBE_DEVICE, NULL);
	if (!clock_device) {
		pr_err("cryptobench: this board has no probe device, whose clocks are needed\n");
		return -ENODEV;
	}
	/* Others may use it too: enabling is counted, and the registers are not claimed. */
	err = pci_enable_device_mem(clock_device);
	if (err)
		goto err_put;
	clock_registers = pci_iomap(clock_device, 0, PROBE_BAR_SIZE);
	if (clock_registers && readl(clock_registers + PROBE_REG_MAGIC) == PROBE_MAGIC)
		return 0;
	pr_err("cryptobench: the probe device does not answer\n");
	err = -EIO;
	if (clock_registers)
		pci_iounmap(clock_device, clock_registers);
	pci_disable_device(clock_device);
err_put:
	pci_dev_put(clock_device);
	return err;
}

void bench_clock_close(void)
{
	pci_iounmap(clock_device, clock_registers);
	pci_disable_device(clock_device);
	pci_dev_put(clock_device);
}

static u64 clock_word64(unsigned int offset)
{
	u32 low = readl_relaxed(clock_registers + offset);

	return low | (u64)readl_relaxed(clock_registers + offset + 4) << 32;
}

/*
 * Reading the time latches the other clocks, so nobody may read it in between.  It is never
 * inlined, so that it takes the same instructions wherever it is called.
 */
noinline void bench_clock_read(struct bench_clock *clock)
{
	unsigned long flags;

	local_irq_save(flags);
	clock->time_ns = clock_word64(PROBE_REG_TIME);
	clock->instructions = clock_word64(PROBE_REG_INSTRUCTIONS);
	clock->idle_ns = clock_word64(PROBE_REG_IDLE);
	clock->stalled_ns = clock_word64(PROBE_REG_STALLED);
	local_irq_restore(flags);
}

void bench_clock_calibrate(struct bench_clock *reading)
{
	struct bench_clock first, second;
	unsigned long flags;

	local_irq_save(flags);
	bench_clock_read(&first);
	bench_clock_read(&second);
	local_irq_restore(flags);
	reading->time_ns = second.time_ns - first.time_ns;
	reading->instructions = second.instructions - first.instructions;
	reading->idle_ns = second.idle_ns - first.idle_ns;
	reading->stalled_ns = second.stalled_ns - first.stalled_ns;
}
