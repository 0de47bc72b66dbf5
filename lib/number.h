/* SPDX-License-Identifier: Apache-2.0 */
/* Big-endian numbers.  The time of these functions may reveal the length of a number, but not its
 * value, except in fs_number_trim(). */
#ifndef FS_NUMBER_H
#define FS_NUMBER_H

#include <stdbool.h>

#include "include/firesteel/types.h"

/* The longest operand, bytes */
#define FS_NUMBER_MAX 1024u

/* Without leading zeros: for numbers that are public, or whose length is public.  A number without
 * `data`, of which only the length is known, stays as it is. */
struct firesteel_bytes fs_number_trim(struct firesteel_bytes number);

/* Bits of a trimmed number */
unsigned fs_number_bits(struct firesteel_bytes number);

/* Whether a < b */
bool fs_number_less(struct firesteel_bytes a, struct firesteel_bytes b);
bool fs_number_is_zero(struct firesteel_bytes number);
bool fs_number_equal(struct firesteel_bytes a, struct firesteel_bytes b);
bool fs_number_is_odd(struct firesteel_bytes number);

/* Whether it has at most `size` bytes without leading zeros */
bool fs_number_fits(struct firesteel_bytes number, size_t size);

/* Right-aligned in `size` bytes, filled up with zeros; it must fit */
void fs_number_pad(struct firesteel_bytes number, uint8_t *bytes, size_t size);

/* The same into the caller's output; false, with nothing written, if it does not fit */
bool fs_number_output(struct firesteel_bytes number, struct firesteel_output output);

#endif
