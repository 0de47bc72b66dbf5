/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the classifier takes of QEMU's header of this name. */
#ifndef HOST_QEMU_BITOPS_H
#define HOST_QEMU_BITOPS_H

#include <assert.h>
#include <stdint.h>

/* The @length bits of @value from bit @start */
static inline uint32_t extract32(uint32_t value, int start, int length)
{
	assert(start >= 0 && length > 0 && length <= 32 - start);
	return (value >> start) & (UINT32_MAX >> (32 - length));
}

#endif
