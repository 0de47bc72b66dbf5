/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "public-key.h"

#include "unit.h"

#define STRIDE  SILEX_PK_STRIDE(512)
#define LARGEST 512u
#define POLLS   100000u
#define POLL_NS 100000u

void pk_open(struct pk *pk, const char *configuration)
{
	*pk = (struct pk){ .bus = bus_open(configuration) };
}

void pk_close(struct pk *pk)
{
	bus_close(pk->bus);
}

uint32_t pk_status(struct pk *pk)
{
	return pk->bus->read(pk->bus, PK(SILEX_PK_STATUS));
}

bool pk_is_busy(struct pk *pk)
{
	return pk_status(pk) & SILEX_PK_STATUS_BUSY;
}

uint32_t pk_wait(struct pk *pk)
{
	uint32_t status;

	for (unsigned i = 0; i < POLLS; i++) {
		status = pk_status(pk);
		if (!(status & SILEX_PK_STATUS_BUSY))
			return status;
		pk->bus->pass(pk->bus, POLL_NS);
	}
	fail_msg("the public-key core stays busy: STATUS %08x", status);
	return status;
}

void pk_begin(struct pk *pk, uint32_t command, size_t size, bool little)
{
	pk_wait(pk);
	pk->size = size;
	pk->little = little;
	pk->bus->write(pk->bus, PK(SILEX_PK_COMMAND),
		       command | SILEX_PK_SIZE(size) | (little ? 0 : SILEX_PK_SWAP_BYTES));
	pk->bus->write(pk->bus, PK(SILEX_PK_POINTERS), silex_pk_pointers(command));
	if (command & (SILEX_PK_PROTECT_EXP | SILEX_PK_PROTECT_ECC))
		pk_put_small(pk, SILEX_PK_SLOT_BLINDING, 1);
}

/* Operands are written and read in words, whatever their size: from the word that their first
 * byte is in, or to the word that their last byte is in */
static size_t words_of(const struct pk *pk)
{
	return (pk->size + 3) / 4;
}

uint32_t pk_place(const struct pk *pk, unsigned slot, size_t index)
{
	uint32_t base = SILEX_PK_RAM_BASE + slot * STRIDE + (uint32_t)(4 * index);

	return pk->little ? base : base + STRIDE - (uint32_t)(4 * words_of(pk));
}

void pk_put_word(struct pk *pk, unsigned slot, size_t index, uint32_t word)
{
	pk->bus->write(pk->bus, pk_place(pk, slot, index), word);
}

void pk_put(struct pk *pk, unsigned slot, const BIGNUM *value)
{
	size_t words = words_of(pk);
	uint8_t bytes[LARGEST];

	assert_true(4 * words <= LARGEST);
	if (pk->little)
		assert_true(BN_bn2lebinpad(value, bytes, (int)(4 * words)) >= 0);
	else
		assert_true(BN_bn2binpad(value, bytes, (int)(4 * words)) >= 0);
	for (size_t i = 0; i < words; i++)
		pk_put_word(pk, slot, i,
			    bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
				    (uint32_t)bytes[4 * i + 2] << 16 |
				    (uint32_t)bytes[4 * i + 3] << 24);
}

void pk_put_double(struct pk *pk, unsigned slot, const BIGNUM *value)
{
	BIGNUM *low = BN_dup(value), *high = BN_new();

	BN_mask_bits(low, (int)(8 * pk->size));
	BN_rshift(high, value, (int)(8 * pk->size));
	pk_put(pk, slot, low);
	pk_put(pk, slot + 1, high);
	BN_free(low);
	BN_free(high);
}

void pk_put_small(struct pk *pk, unsigned slot, unsigned value)
{
	BIGNUM *number = BN_new();

	BN_set_word(number, value);
	pk_put(pk, slot, number);
	BN_free(number);
}

void pk_start(struct pk *pk)
{
	pk->bus->write(pk->bus, PK(SILEX_PK_CONTROL), SILEX_PK_CONTROL_RUN);
}

uint32_t pk_run(struct pk *pk)
{
	pk_start(pk);
	return pk_wait(pk) & SILEX_PK_STATUS_ERRORS;
}

BIGNUM *pk_get(struct pk *pk, unsigned slot)
{
	size_t words = words_of(pk), skip = pk->little ? 0 : 4 * words - pk->size;
	uint8_t bytes[LARGEST];

	for (size_t i = 0; i < words; i++) {
		uint32_t word = pk->bus->read(pk->bus, pk_place(pk, slot, i));

		for (unsigned byte = 0; byte < 4; byte++)
			bytes[4 * i + byte] = (uint8_t)(word >> (8 * byte));
	}
	return pk->little ? BN_lebin2bn(bytes, (int)pk->size, NULL)
			  : BN_bin2bn(bytes + skip, (int)pk->size, NULL);
}

void pk_expect(struct pk *pk, unsigned slot, const BIGNUM *value)
{
	BIGNUM *found = pk_get(pk, slot);

	if (BN_cmp(found, value) != 0)
		fail_msg("slot %u has %s, not %s", slot, BN_bn2hex(found), BN_bn2hex(value));
	BN_free(found);
}

void pk_expect_small(struct pk *pk, unsigned slot, unsigned value)
{
	BIGNUM *number = BN_new();

	BN_set_word(number, value);
	pk_expect(pk, slot, number);
	BN_free(number);
}
