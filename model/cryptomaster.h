/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * CryptoMaster: registers, the two lists, and what passes between memory and the engines.
 *
 * Work is done in steps.  A step is one job (a message up to LAST), or as much of it as a step
 * may do (below): its data are read and written when it begins; when its time is over its status
 * bits and interrupts appear and the next step begins.
 */
#ifndef SILEX_CRYPTOMASTER_MODEL_H
#define SILEX_CRYPTOMASTER_MODEL_H

#include <stdint.h>

#include "engine.h"
#include "owner.h"

/* What one step may do at most, so that no call takes long whatever a guest has written */
#define SILEX_CM_STEP_DESCRIPTORS 256u
#define SILEX_CM_STEP_BYTES       (1u << 20)

struct silex_cm;

/* NULL when memory is short.  `config` and `statistics` stay the caller's and must live as long;
 * `owner` is copied.  `engines`: all kinds that it may have, NULL after the last. */
struct silex_cm *silex_cm_new(const struct silex_config *config, const struct silex_owner *owner,
			      struct silex_statistics *statistics,
			      const struct silex_engine_ops *const *engines);
void silex_cm_free(struct silex_cm *cm); /* wipes; NULL is allowed */
void silex_cm_reset(struct silex_cm *cm); /* power-on */

/* Registers by offset from SILEX_CM_BASE; aligned words */
uint32_t silex_cm_read(struct silex_cm *cm, uint32_t offset);
void silex_cm_write(struct silex_cm *cm, uint32_t offset, uint32_t value);

/* Ends the running step if its time is over, and begins the next */
void silex_cm_advance(struct silex_cm *cm);

#endif
