/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Public-key operations through registers and operand RAM, with libcrypto's numbers. */
#ifndef SILEX_TESTS_PUBLIC_KEY_H
#define SILEX_TESTS_PUBLIC_KEY_H

#include <openssl/bn.h>

#include "../../silex/ba414.h"
#include "../../silex/soc.h"
#include "bus.h"

/* A register's place in the window */
#define PK(offset) (SILEX_PK_BASE + (offset))

/* A core, and the operation that is being prepared */
struct pk {
	struct bus *bus;
	size_t size; /* of operands, bytes */
	bool little; /* operands are little-endian */
};

void pk_open(struct pk *pk, const char *configuration);
void pk_close(struct pk *pk);

/* Waits until the core is free and writes COMMAND: opcode with flags, operand size, SWAP_BYTES
 * unless `little`, the default POINTERS and, with countermeasures, a blinding factor */
void pk_begin(struct pk *pk, uint32_t command, size_t size, bool little);

/* An operand, filled up with zeros; one of two slots, low half first */
void pk_put(struct pk *pk, unsigned slot, const BIGNUM *value);
void pk_put_double(struct pk *pk, unsigned slot, const BIGNUM *value);

void pk_put_small(struct pk *pk, unsigned slot, unsigned value);

/* A word of an operand, by its place in memory: to be written, and where it lies in the window */
void pk_put_word(struct pk *pk, unsigned slot, size_t index, uint32_t word);
uint32_t pk_place(const struct pk *pk, unsigned slot, size_t index);

uint32_t pk_status(struct pk *pk);
bool pk_is_busy(struct pk *pk);

/* Starts what was prepared, with CLEAR_IRQ as drivers do */
void pk_start(struct pk *pk);

/* Lets time go by until the core is free; returns STATUS */
uint32_t pk_wait(struct pk *pk);

/* Starts and waits; returns the error bits of STATUS */
uint32_t pk_run(struct pk *pk);

/* A new number with the result in a slot */
BIGNUM *pk_get(struct pk *pk, unsigned slot);

/* Ends the test unless the result in a slot is that */
void pk_expect(struct pk *pk, unsigned slot, const BIGNUM *value);
void pk_expect_small(struct pk *pk, unsigned slot, unsigned value);

#endif
