/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Where jobs begin and end, and which faults strike them. */
#ifndef SILEX_CRYPTOMASTER_JOB_H
#define SILEX_CRYPTOMASTER_JOB_H

#include "cryptomaster-state.h"

/* A job starts: which faults strike it is decided now */
void silex_cm_begin_job(struct silex_cm *cm);

/* It ends.  False: with a bus error, as the one that was to strike its output found none. */
bool silex_cm_end_job(struct silex_cm *cm);

/* Whether the fault "dma-error" strikes the fetch descriptor that was just loaded */
bool silex_cm_fetch_error_is_due(struct silex_cm *cm);

#endif
