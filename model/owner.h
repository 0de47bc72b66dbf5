/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What a core asks of the window that it lies in (soc.c). */
#ifndef SILEX_OWNER_H
#define SILEX_OWNER_H

#include "silex-model.h"

struct silex_owner {
	void *opaque;
	const struct silex_host *host; /* memory and time */
	void (*wake_at)(void *opaque, uint64_t when); /* ns, or SILEX_MODEL_NEVER */
	void (*interrupt)(void *opaque, bool level); /* the core's own line */
	/* Whether a fault strikes what happens now */
	bool (*fault)(void *opaque, enum silex_fault_kind kind);
	uint64_t (*random)(void *opaque); /* for faults' places only */
	void (*event)(void *opaque, const char *what, uint64_t value);
};

#endif
