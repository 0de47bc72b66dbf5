/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef SILEX_SMALLER_H
#define SILEX_SMALLER_H

#include <stddef.h>

static inline size_t silex_smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

#endif
