/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The fetcher: reads items from memory and hands them to the engine that their tag names. */
#ifndef SILEX_CRYPTOMASTER_FETCH_H
#define SILEX_CRYPTOMASTER_FETCH_H

#include "cryptomaster-state.h"

/* Goes on by a little; false when it can do nothing now */
bool silex_cm_fetch_on(struct silex_cm *cm);

#endif
