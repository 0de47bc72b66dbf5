/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What a driver of the cores does, step by step as docs/programming-model.md has it. */
#ifndef SILEX_TESTS_DRIVER_H
#define SILEX_TESTS_DRIVER_H

#include "../../silex/message.h"
#include "bus.h"

/* Where the tests keep things, as offsets from the begin of memory */
enum {
	FETCH_LIST = 0x0000,
	PUSH_LIST = 0x4000,
	ITEMS = 0x8000,
	INPUT = 0x10000,
	OUTPUT = 0x40000,
	NOWHERE = 0x3fff0000, /* behind all memory */
};

/* A descriptor: the `number`-th of a list whose descriptors follow one another */
struct item {
	uint32_t offset; /* in memory */
	uint32_t length; /* with flags */
	uint32_t tag;
};

/* Writes a list; its last descriptor stops */
void driver_list(struct bus *bus, uint32_t list, const struct item *items, unsigned count);

/* One descriptor alone, whose `next` is given as it is */
void driver_descriptor(struct bus *bus, uint32_t where, const struct item *item, uint32_t next);

/* Clears and enables interrupts, sets both lists and CONFIG */
void driver_prepare(struct bus *bus);
void driver_start(struct bus *bus, uint32_t sides);

/* Polls until the lists are done or there is an error, at most so long; returns INT_STAT_RAW */
uint32_t driver_wait(struct bus *bus);

/* Lets steps of `step_ns` go by until CryptoMaster's interrupt is raised; returns what has gone by, in
 * ns.  Ends the test if it never is. */
uint64_t driver_interrupt(struct bus *bus, uint64_t step_ns);

/* prepare, start both, wait */
uint32_t driver_run(struct bus *bus);

/* After a bus error */
void driver_recover(struct bus *bus);

uint32_t driver_status(struct bus *bus);
uint32_t driver_raw(struct bus *bus);

/* Fills the memory from INPUT on with bytes that depend on their offset */
void driver_fill(struct bus *bus, size_t size);

/* Ends the test unless `size` bytes at `offset` are those */
void driver_expect(struct bus *bus, uint32_t offset, const void *bytes, size_t size);

#endif
