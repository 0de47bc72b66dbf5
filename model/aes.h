/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* BA411E as an engine of CryptoMaster. */
#ifndef SILEX_AES_H
#define SILEX_AES_H

#include "engine.h"

extern const struct silex_engine_ops silex_aes_engine;

#endif
