/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* BA413 as an engine of CryptoMaster. */
#ifndef SILEX_HASH_H
#define SILEX_HASH_H

#include "engine.h"

extern const struct silex_engine_ops silex_hash_engine;

#endif
