/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of keys: the core's, big-endian without leading zeros, and libcrypto's. */
#ifndef FSP_NUMBER_H
#define FSP_NUMBER_H

#include <stdbool.h>

#include <openssl/bn.h>

#include "keys/key.h"

#define FSP_NUMBERS_MAX 16u

/*
 * Numbers of a key, none longer than `most` bytes; missing ones have size 0.  Reads all at
 * once, because each query is expensive.  false: no memory, or one is longer.  Free them by
 * fsp_numbers_cleanse().
 */
bool fsp_numbers_read(const struct fsp_key *key, const char *const names[], unsigned count,
		      size_t most, struct firesteel_bytes numbers[]);

/* Wipes and frees numbers */
void fsp_numbers_cleanse(struct firesteel_bytes numbers[], unsigned count);

/* In native byte order, like libcrypto's parameters, padded with zeros to `size`; it must fit */
void fsp_number_native(struct firesteel_bytes number, uint8_t *bytes, size_t size);

/* Without leading zeros, in newly allocated memory; false: no memory */
bool fsp_number_keep(struct firesteel_bytes bytes, struct firesteel_bytes *number);

/* Bits of a number without leading zeros */
size_t fsp_number_bits(struct firesteel_bytes number);

/* A parameter with this number, in *memory, which then points behind it */
OSSL_PARAM fsp_number_param(const char *name, struct firesteel_bytes number, uint8_t **memory);

/* ---- secret random numbers, padded to the output's size; false: there is none ---- */

/* From 1 to less than the limit, which changes */
bool fsp_number_random_below(OSSL_LIB_CTX *library, BIGNUM *limit, struct firesteel_output out);

/* Of `bits` bits, with the highest one set */
bool fsp_number_random_bits(OSSL_LIB_CTX *library, size_t bits, struct firesteel_output out);

static inline struct firesteel_bytes fsp_number_of(struct firesteel_output output)
{
	return (struct firesteel_bytes){ output.data, output.size };
}

#endif
