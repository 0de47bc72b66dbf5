/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Overwriting keys in a way that the compiler does not leave out. */
#ifndef SILEX_WIPE_H
#define SILEX_WIPE_H

#include <stddef.h>
#include <string.h>

static inline void silex_wipe(void *memory, size_t size)
{
	memset(memory, 0, size);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

#endif
