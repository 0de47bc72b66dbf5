/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a bus knows about a window of cores. */
#ifndef FIRESTEEL_RESOURCES_H
#define FIRESTEEL_RESOURCES_H

#include <linux/types.h>

#include "silex/soc.h"

struct reset_control;

struct firesteel_resources {
	void __iomem *window;
	phys_addr_t base; /* physical, for mapping it to programs */
	unsigned int irqs[SILEX_LINES]; /* 0: there is none */
	struct reset_control *reset; /* of the whole window; NULL: there is none */
	bool shared_irq; /* both cores share one, perhaps with other devices */
};

#endif
