/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the classifier takes of QEMU's header of this name. */
#ifndef HOST_QEMU_HOST_UTILS_H
#define HOST_QEMU_HOST_UTILS_H

#include <stdint.h>

/* How many bits of @value are set */
static inline int ctpop32(uint32_t value)
{
	return __builtin_popcount(value);
}

#endif
