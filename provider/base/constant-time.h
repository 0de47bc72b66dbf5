/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choices without a branch, for what depends on a secret.  Masks are all ones for true; the compiler
 * is kept from seeing that they are.
 */
#ifndef FSP_CONSTANT_TIME_H
#define FSP_CONSTANT_TIME_H

#include <stddef.h>

static inline size_t fsp_mask_hide(size_t value)
{
	__asm__("" : "+r"(value));
	return value;
}

static inline size_t fsp_mask_top_bit(size_t value)
{
	return fsp_mask_hide(0 - (value >> (sizeof(value) * 8 - 1)));
}

/* For values below half of the range, such as all lengths here */
static inline size_t fsp_mask_less(size_t a, size_t b)
{
	return fsp_mask_top_bit(a - b);
}

static inline size_t fsp_mask_equal(size_t a, size_t b)
{
	return fsp_mask_top_bit(~(a ^ b) & ((a ^ b) - 1));
}

static inline size_t fsp_mask_select(size_t mask, size_t if_true, size_t if_false)
{
	return (if_true & mask) | (if_false & ~mask);
}

#endif
