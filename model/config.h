/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Whether a configuration is one that a model can have. */
#ifndef SILEX_CONFIG_H
#define SILEX_CONFIG_H

#include <stddef.h>

#include "silex-model.h"

/* 0, or -1 with a sentence in `error` that says what is wrong and what is allowed */
int silex_config_check(const struct silex_config *config, char *error, size_t size);

#endif
