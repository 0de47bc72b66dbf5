/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much the processor does itself in one go, before others run. */
#ifndef FIRESTEEL_SECTION_H
#define FIRESTEEL_SECTION_H

#include <linux/ktime.h>

/* So many bytes, or what has been begun by then */
#define FIRESTEEL_SECTION_BYTES 65536u
#define FIRESTEEL_SECTION_NS    200000u

struct firesteel_section {
	u64 end_ns; /* 0: nothing has begun that takes long */
	unsigned int bytes; /* so far */
};

/* Before what may take long.  Most sections have nothing of the kind, and never read the clock. */
static inline void firesteel_section_begin(struct firesteel_section *section)
{
	if (!section->end_ns)
		section->end_ns = ktime_get_ns() + FIRESTEEL_SECTION_NS;
}

/* Counts bytes that take the processor's time */
static inline void firesteel_section_add(struct firesteel_section *section, unsigned int bytes)
{
	firesteel_section_begin(section);
	section->bytes += bytes;
}

static inline bool firesteel_section_goes_on(const struct firesteel_section *section)
{
	return !section->bytes ||
	       (section->bytes < FIRESTEEL_SECTION_BYTES && ktime_get_ns() < section->end_ns);
}

#endif
