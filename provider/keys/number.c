/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/number.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/params.h>

#include "base/memory.h"

void fsp_numbers_cleanse(struct firesteel_bytes numbers[], unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		fsp_cleanse((uint8_t *)numbers[i].data, numbers[i].size);
		numbers[i] = (struct firesteel_bytes){ NULL, 0 };
	}
}

bool fsp_number_keep(struct firesteel_bytes bytes, struct firesteel_bytes *number)
{
	size_t zeros = 0;
	uint8_t *copy;

	while (zeros + 1 < bytes.size && bytes.data[zeros] == 0)
		zeros++;
	copy = OPENSSL_memdup(bytes.data + zeros, bytes.size - zeros);
	*number = (struct firesteel_bytes){ copy, copy ? bytes.size - zeros : 0 };
	return copy;
}

size_t fsp_number_bits(struct firesteel_bytes number)
{
	size_t bits = 8 * number.size;

	for (unsigned mask = 0x80; bits > 0 && mask && !(number.data[0] & mask); mask >>= 1)
		bits--;
	return bits;
}

void fsp_number_native(struct firesteel_bytes number, uint8_t *bytes, size_t size)
{
	size_t zeros = size - number.size;

	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		for (size_t i = 0; i < number.size; i++)
			bytes[i] = number.data[number.size - 1 - i];
		memset(bytes + number.size, 0, zeros);
	} else {
		memset(bytes, 0, zeros);
		memcpy(bytes + zeros, number.data, number.size);
	}
}

/* A number of libcrypto's, which is in native byte order, as big-endian without leading zeros */
static bool take_number(uint8_t *bytes, size_t size, struct firesteel_bytes *number)
{
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		for (size_t i = 0; i < size / 2; i++) {
			uint8_t byte = bytes[i];

			bytes[i] = bytes[size - 1 - i];
			bytes[size - 1 - i] = byte;
		}
	return fsp_number_keep((struct firesteel_bytes){ bytes, size }, number);
}

bool fsp_numbers_read(const struct fsp_key *key, const char *const names[], unsigned count,
		      size_t most, struct firesteel_bytes numbers[])
{
	uint8_t *bytes = OPENSSL_malloc(count * most);
	OSSL_PARAM params[FSP_NUMBERS_MAX + 1];
	bool good;

	for (unsigned i = 0; i < count; i++) {
		numbers[i] = (struct firesteel_bytes){ NULL, 0 };
		params[i] = OSSL_PARAM_construct_BN(names[i], bytes + i * most, most);
	}
	params[count] = OSSL_PARAM_construct_end();
	ERR_set_mark();
	good = bytes && fsp_key_get(key, params);
	ERR_pop_to_mark();
	for (unsigned i = 0; i < count && good; i++)
		if (OSSL_PARAM_modified(&params[i]))
			good = params[i].return_size <= most &&
			       take_number(bytes + i * most, params[i].return_size, &numbers[i]);
	fsp_cleanse(bytes, count * most);
	if (!good)
		fsp_numbers_cleanse(numbers, count);
	return good;
}

OSSL_PARAM fsp_number_param(const char *name, struct firesteel_bytes number, uint8_t **memory)
{
	uint8_t *at = *memory;

	fsp_number_native(number, at, number.size);
	*memory += number.size;
	return OSSL_PARAM_construct_BN(name, at, number.size);
}

/* ---- random numbers ---- */

/* As FIPS 186-4, B.4.2, has it */
static bool below(BIGNUM *number, BIGNUM *limit, BN_CTX *context)
{
	return BN_sub_word(limit, 1) && BN_priv_rand_range_ex(number, limit, 0, context) &&
	       BN_add_word(number, 1);
}

static bool of_bits(BIGNUM *number, size_t bits, BN_CTX *context)
{
	return BN_priv_rand_ex(number, (int)bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY, 0, context);
}

/* By a limit if there is one, or by the bits */
static bool random_number(OSSL_LIB_CTX *library, BIGNUM *limit, size_t bits,
			  struct firesteel_output out)
{
	BN_CTX *context = BN_CTX_secure_new_ex(library);
	BIGNUM *number;
	bool good;

	if (!context)
		return false;
	BN_CTX_start(context);
	number = BN_CTX_get(context);
	good = number && (limit ? below(number, limit, context) : of_bits(number, bits, context)) &&
	       BN_bn2binpad(number, out.data, (int)out.size) >= 0;
	BN_CTX_end(context); /* secret numbers are wiped when the context goes */
	BN_CTX_free(context);
	return good;
}

bool fsp_number_random_below(OSSL_LIB_CTX *library, BIGNUM *limit, struct firesteel_output out)
{
	return random_number(library, limit, 0, out);
}

bool fsp_number_random_bits(OSSL_LIB_CTX *library, size_t bits, struct firesteel_output out)
{
	return random_number(library, NULL, bits, out);
}
