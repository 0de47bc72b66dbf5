/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The interrupt line of CryptoMaster. */
#ifndef SILEX_CRYPTOMASTER_LINE_H
#define SILEX_CRYPTOMASTER_LINE_H

#include "cryptomaster-state.h"

/* Sets raw interrupt bits, and the line */
void silex_cm_raise(struct silex_cm *cm, uint32_t bits);

/* Sets the line as raw and enabled bits say */
void silex_cm_update_line(struct silex_cm *cm);

#endif
