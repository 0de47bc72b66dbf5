/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Public-key operations through registers and operand RAM, with libcrypto's numbers. */
#ifndef SILEX_TESTS_PUBLIC_KEY_H
#define SILEX_TESTS_PUBLIC_KEY_H

#include <openssl/bn.h>

#include "../../silex/ba414.h"
#include "bus.h"

/* A core, and the operation that is being prepared */
struct pk {
	struct bus *bus;
	size_t size; /* of operands, bytes */
	bool little; /* operands are little-endian */
};

void pk_open(struct pk *pk, const char *configuration);
void pk_close(struct pk *pk);

/* Waits until the core is free and writes COMMAND: opcode with flags, operand size, SWAP_BYTES
 * unless `little`, and the default POINTERS */
void pk_begin(struct pk *pk, uint32_t command, size_t size, bool little);

/* An operand, filled up with zeros; one of two slots, low half first */
void pk_put(struct pk *pk, unsigned slot, const BIGNUM *value);
void pk_put_double(struct pk *pk, unsigned slot, const BIGNUM *value);

/* A word of an operand, by its place in memory */
void pk_put_word(struct pk *pk, unsigned slot, size_t index, uint32_t word);

/* Starts and waits; returns the error bits of STATUS */
uint32_t pk_run(struct pk *pk);

/* A new number with the result in a slot */
BIGNUM *pk_get(struct pk *pk, unsigned slot);

/* Ends the test unless the result in a slot is that */
void pk_expect(struct pk *pk, unsigned slot, const BIGNUM *value);

#endif
