/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The pusher: takes bytes out of the FIFO and stores them where its descriptors say. */
#ifndef SILEX_CRYPTOMASTER_PUSH_H
#define SILEX_CRYPTOMASTER_PUSH_H

#include "cryptomaster-state.h"

/* Goes on by a little; false when it can do nothing now */
bool silex_cm_push_on(struct silex_cm *cm);

/*
 * Where an engine can write its output in memory: at least SILEX_ENGINE_PENDING bytes more than the
 * input it is to be given then, *size bytes in all.  NULL: into the FIFO.  After writing
 * silex_cm_pushed_direct() returns the output with the number of bytes written.
 */
uint8_t *silex_cm_push_direct(struct silex_cm *cm, size_t *size);
void silex_cm_pushed_direct(struct silex_cm *cm, uint8_t *output, size_t size, size_t written);

#endif
