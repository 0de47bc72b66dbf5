/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module that keeps the cores of every window busy for as long as it is loaded, checks each
 * result, and tells on the kernel's log what it did when it is removed:
 *
 *	exercise 0000:00:03.0: symmetric done 12 wrong 0 interrupts 6
 *	exercise 0000:00:03.0: public-key done 34 wrong 0 interrupts 34
 *
 * Every other operation is waited for by its interrupt, the others by polling.
 */
#ifndef EXERCISE_H
#define EXERCISE_H

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/pci.h>

#include "silex/pci.h"
#include "silex/soc.h"

#define EXERCISE_TIMEOUT msecs_to_jiffies(1000)

/* One core of a window, and the thread that keeps it busy */
struct exercise_core {
	const char *name;
	struct exercise *exercise;
	/* Runs operation number `round`; whether its result was right */
	bool (*run)(struct exercise *exercise, unsigned int round);
	struct task_struct *thread;
	struct completion ended;
	unsigned int done;
	unsigned int wrong;
	unsigned int interrupts;
};

struct exercise_memory;

struct exercise {
	struct pci_dev *pci;
	void __iomem *window;
	struct exercise_core cores[SILEX_LINES];
	struct exercise_memory *memory; /* that DMA reaches */
	dma_addr_t address; /* of memory */
};

static inline u32 exercise_read(struct exercise *exercise, u32 offset)
{
	return readl(exercise->window + offset);
}

static inline void exercise_write(struct exercise *exercise, u32 offset, u32 value)
{
	writel(value, exercise->window + offset);
}

static inline bool exercise_polls(unsigned int round)
{
	return round & 1;
}

/* CryptoMaster with its engines; returns a negative error number */
int symmetric_prepare(struct exercise *exercise);
bool symmetric_run(struct exercise *exercise, unsigned int round);
irqreturn_t symmetric_interrupt(int irq, void *core);

/* The public-key engine */
bool public_key_run(struct exercise *exercise, unsigned int round);
irqreturn_t public_key_interrupt(int irq, void *core);

#endif
