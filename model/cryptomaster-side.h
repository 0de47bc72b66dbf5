/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What both sides of CryptoMaster, fetcher and pusher, do with descriptors. */
#ifndef SILEX_CRYPTOMASTER_SIDE_H
#define SILEX_CRYPTOMASTER_SIDE_H

#include "cryptomaster-state.h"

/* Whether the interrupt that ended a side's last block holds it back; source: BabbleSim's notes on the
 * specification.  That each side goes by its own bit is an assumption. */
bool silex_cm_waits(const struct silex_cm *cm, const struct silex_cm_side *side);

/* Loads a side's next descriptor; false: bus error */
bool silex_cm_load(struct silex_cm *cm, struct silex_cm_side *side);

/* The descriptor is done: interrupt, and the end of the list */
void silex_cm_unload(struct silex_cm *cm, struct silex_cm_side *side);

/* A side stops with a bus error, and the step with it */
void silex_cm_bus_error(struct silex_cm *cm, struct silex_cm_side *side);

#endif
