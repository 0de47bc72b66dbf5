/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Profiles: parts with these cores, as a model can stand for them.  Each says what the part has, what
 * it demands of a driver and what it refuses; it says nothing of time.
 */
#ifndef SILEX_PROFILE_H
#define SILEX_PROFILE_H

#include "silex-model.h"

struct silex_profile {
	const char *name;
	struct silex_config config; /* but for timing and faults */
};

/* In order, NULL after the last; the first is the default */
const struct silex_profile *silex_profile(unsigned index);

#endif
