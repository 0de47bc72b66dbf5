/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * A window of cores as a driver sees it: registers, memory that DMA reaches, time, interrupt
 * lines.  The tests of registers are written once over it and run on the model in their own
 * process (bus-model.c) and inside QEMU (bus-qtest.c).
 */
#ifndef SILEX_TESTS_BUS_H
#define SILEX_TESTS_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a model has told of one kind of event (docs/cores.md, "Trace") */
struct bus_event {
	const char *what;
	unsigned times;
	uint64_t value; /* the last one's figure */
};

struct bus {
	uint32_t (*read)(struct bus *bus, uint32_t offset);
	void (*write)(struct bus *bus, uint32_t offset, uint32_t value);
	/* 1, 2 or 4 bytes */
	uint32_t (*read_part)(struct bus *bus, uint32_t offset, unsigned size);
	void (*write_part)(struct bus *bus, uint32_t offset, uint32_t value, unsigned size);
	void (*memory_read)(struct bus *bus, uint64_t address, void *data, size_t size);
	void (*memory_write)(struct bus *bus, uint64_t address, const void *data, size_t size);
	void (*pass)(struct bus *bus, uint64_t ns); /* lets time go by */
	uint64_t (*now)(struct bus *bus); /* ns */
	bool (*line)(struct bus *bus, unsigned line); /* an interrupt line's level */
	uint64_t window_base; /* where DMA sees the window */
	uint64_t memory_base;
	size_t memory_size; /* at least 1 MiB */

	/* In this process only; NULL inside QEMU */
	bool mapped; /* the model may map memory instead of copying */
	uint64_t (*counter)(struct bus *bus, const char *name); /* of the model's statistics */
	struct bus_event (*event)(struct bus *bus, const char *what);
	void (*reset)(struct bus *bus); /* power-on of the cores: memory and time stay */
	void (*oversleep)(struct bus *bus, uint64_t ns); /* as pass, but the model's wish to be
							  * called is not heard meanwhile */
};

/* `configuration`: "key=value,key=value" with the keys of silex_config_set(); NULL: defaults.
 * What is wrong with it ends the program. */
struct bus *bus_open(const char *configuration);
void bus_close(struct bus *bus);

#endif
