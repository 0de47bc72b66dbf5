/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Types for the programming model, in the kernel and outside it.
 *
 * silex_le32 and silex_le64 are integers as they lie in memory that a core reads: least
 * significant byte first.  In the kernel sparse checks that they are converted.
 */
#ifndef SILEX_TYPES_H
#define SILEX_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <asm/byteorder.h>
typedef __le32 silex_le32;
typedef __le64 silex_le64;
#define silex_to_le32(value) cpu_to_le32(value)
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef uint32_t silex_le32;
typedef uint64_t silex_le64;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define silex_to_le32(value) __builtin_bswap32(value)
#else
#define silex_to_le32(value) ((silex_le32)(value))
#endif
#endif

#endif
