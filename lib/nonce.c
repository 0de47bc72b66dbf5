/* SPDX-License-Identifier: Apache-2.0 */
#include "nonce.h"

#include <string.h>

#include "include/firesteel/firesteel.h"
#include "sha512.h"

#define DIGEST     FS_SHA512_SIZE
#define EXTRA_SIZE 32u

struct generator {
	uint8_t key[DIGEST];
	uint8_t value[DIGEST];
};

struct seed {
	const uint8_t *secret;
	const uint8_t *hash;
	const uint8_t *extra;
	size_t size;
};

void fs_nonce_truncate(struct firesteel_bytes digest, unsigned bits, uint8_t *hash, size_t size)
{
	unsigned shift = 0;

	if (8 * digest.size > bits) {
		digest.size = (bits + 7) / 8;
		shift = (8 - bits % 8) % 8;
	}
	fs_number_pad(digest, hash, size);
	for (size_t i = size; shift > 0 && i-- > 0;)
		hash[i] = (uint8_t)(hash[i] >> shift | (i > 0 ? hash[i - 1] << (8 - shift) : 0));
}

static void next_value(struct generator *generator)
{
	struct fs_hmac hmac;

	fs_hmac_begin(&hmac, generator->key);
	fs_hmac_add(&hmac, generator->value, DIGEST);
	fs_hmac_end(&hmac, generator->value);
}

/* Steps d and f, with the seed; h without */
static void mix(struct generator *generator, uint8_t mark, const struct seed *seed)
{
	struct fs_hmac hmac;

	fs_hmac_begin(&hmac, generator->key);
	fs_hmac_add(&hmac, generator->value, DIGEST);
	fs_hmac_add(&hmac, &mark, 1);
	if (seed) {
		fs_hmac_add(&hmac, seed->secret, seed->size);
		fs_hmac_add(&hmac, seed->hash, seed->size);
		if (seed->extra)
			fs_hmac_add(&hmac, seed->extra, EXTRA_SIZE);
	}
	fs_hmac_end(&hmac, generator->key);
	next_value(generator);
}

static void generate(struct generator *generator, unsigned bits, uint8_t *nonce, size_t size)
{
	uint8_t bytes[2 * DIGEST];

	next_value(generator);
	memcpy(bytes, generator->value, DIGEST);
	if (size > DIGEST) {
		next_value(generator);
		memcpy(bytes + DIGEST, generator->value, DIGEST);
	}
	fs_nonce_truncate((struct firesteel_bytes){ bytes, size }, bits, nonce, size);
	firesteel_wipe(bytes, sizeof(bytes));
}

/* RFC 6979, 2.3.4: the hash modulo the order, which it is less than twice */
static void reduce(struct firesteel_bytes order, uint8_t *hash, size_t size)
{
	uint8_t padded[FS_NONCE_MAX];
	unsigned borrow = 0;

	if (fs_number_less((struct firesteel_bytes){ hash, size }, order))
		return;
	fs_number_pad(order, padded, size);
	for (size_t i = size; i-- > 0;) {
		unsigned difference = (unsigned)hash[i] - padded[i] - borrow;

		hash[i] = (uint8_t)difference;
		borrow = difference >> 8 & 1;
	}
}

void fs_nonce_make(struct firesteel_bytes order, struct firesteel_bytes secret,
		   struct firesteel_bytes hash, const uint8_t *extra, uint8_t *nonce, size_t size)
{
	uint8_t padded_secret[FS_NONCE_MAX], padded_hash[FS_NONCE_MAX];
	const struct seed seed = { padded_secret, padded_hash, extra, size };
	const struct firesteel_bytes found = { nonce, size };
	struct generator generator;

	order = fs_number_trim(order);
	fs_number_pad(secret, padded_secret, size);
	fs_number_pad(hash, padded_hash, size);
	reduce(order, padded_hash, size);
	memset(generator.key, 0, DIGEST);
	memset(generator.value, 1, DIGEST);
	mix(&generator, 0, &seed);
	mix(&generator, 1, &seed);
	generate(&generator, fs_number_bits(order), nonce, size);
	while (fs_number_is_zero(found) || !fs_number_less(found, order)) {
		mix(&generator, 0, NULL);
		generate(&generator, fs_number_bits(order), nonce, size);
	}
	firesteel_wipe(&generator, sizeof(generator));
	firesteel_wipe(padded_secret, sizeof(padded_secret));
	firesteel_wipe(padded_hash, sizeof(padded_hash));
}
