/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentiation, which RSA needs too. */
#ifndef FS_PK_POWER_H
#define FS_PK_POWER_H

#include "pk.h"

/* With countermeasures; without them, for public numbers and exponents */
extern const struct fs_step fs_power_modexp, fs_power_public;

/* Bits of an exponent, which determine the core's time.  The exact number for a public exponent; 8
 * for each byte of a secret one, so that the time reveals nothing about its value. */
unsigned fs_power_public_bits(struct firesteel_bytes exponent);
unsigned fs_power_secret_bits(struct firesteel_bytes exponent);

/* result = base ^ exponent, as long as the modulus without leading zeros */
int fs_power(struct fs_pk *pk, const struct fs_step *step, struct firesteel_bytes modulus,
	     struct firesteel_bytes base, struct firesteel_bytes exponent, uint8_t *result);

#endif
