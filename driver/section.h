/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much the processor does itself in one go, before others run. */
#ifndef FIRESTEEL_SECTION_H
#define FIRESTEEL_SECTION_H

#include <linux/ktime.h>

/* So many bytes, or what has been begun by then */
#define FIRESTEEL_SECTION_BYTES 65536u
#define FIRESTEEL_SECTION_NS    200000u

struct firesteel_section {
	u64 end_ns;
	unsigned int bytes; /* so far */
};

static inline struct firesteel_section firesteel_section_begin(void)
{
	return (struct firesteel_section){ .end_ns = ktime_get_ns() + FIRESTEEL_SECTION_NS };
}

/* Counts bytes that took the processor's time; false: that was enough */
static inline bool firesteel_section_goes_on(struct firesteel_section *section, unsigned int bytes)
{
	section->bytes += bytes;
	return !bytes ||
	       (section->bytes < FIRESTEEL_SECTION_BYTES && ktime_get_ns() < section->end_ns);
}

#endif
