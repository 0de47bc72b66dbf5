/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on the processor, by another way than the engine's: plain, and not for secrets. */
#ifndef SELFTEST_SOFTWARE_H
#define SELFTEST_SOFTWARE_H

#include "../include/firesteel/types.h"

#define SOFTWARE_BYTES 512u /* of a number, at most */

/* base ^ exponent modulo a modulus of `size` bytes, a multiple of 4, whose highest bit is 1; the base is less */
void software_power(const uint8_t *modulus, const uint8_t *base, uint32_t exponent, uint8_t *result,
		    size_t size);

/* a * b, as long as both together */
void software_product(struct firesteel_bytes a, struct firesteel_bytes b, uint8_t *result);

#endif
