/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentiation, which RSA needs too. */
#ifndef FS_PK_POWER_H
#define FS_PK_POWER_H

#include "pk.h"

/* With countermeasures; without, as of numbers that are no secret and a public exponent */
extern const struct fs_step fs_power_modexp, fs_power_public;

/* result = base ^ exponent, as long as the modulus without leading zeros */
int fs_power(struct fs_pk *pk, const struct fs_step *step, struct firesteel_bytes modulus,
	     struct firesteel_bytes base, struct firesteel_bytes exponent, uint8_t *result);

#endif
