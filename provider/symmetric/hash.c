/* SPDX-License-Identifier: Apache-2.0 */
/* Old, but the only way to a state that can be read and written */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "symmetric/hash.h"

#include <string.h>

#include "base/policy.h"

/* ---- software ---- */

static void begin_sha1(struct fsp_hash *hash)
{
	SHA1_Init(&hash->soft.sha1);
}

static void begin_sha224(struct fsp_hash *hash)
{
	SHA224_Init(&hash->soft.sha256);
}

static void begin_sha256(struct fsp_hash *hash)
{
	SHA256_Init(&hash->soft.sha256);
}

static void begin_sha384(struct fsp_hash *hash)
{
	SHA384_Init(&hash->soft.sha512);
}

static void begin_sha512(struct fsp_hash *hash)
{
	SHA512_Init(&hash->soft.sha512);
}

static void update_sha1(struct fsp_hash *hash, const uint8_t *in, size_t size)
{
	SHA1_Update(&hash->soft.sha1, in, size);
}

static void update_sha256(struct fsp_hash *hash, const uint8_t *in, size_t size)
{
	SHA256_Update(&hash->soft.sha256, in, size);
}

static void update_sha512(struct fsp_hash *hash, const uint8_t *in, size_t size)
{
	SHA512_Update(&hash->soft.sha512, in, size);
}

static void final_sha1(struct fsp_hash *hash, uint8_t *out)
{
	SHA1_Final(out, &hash->soft.sha1);
}

static void final_sha256(struct fsp_hash *hash, uint8_t *out)
{
	SHA256_Final(out, &hash->soft.sha256);
}

static void final_sha512(struct fsp_hash *hash, uint8_t *out)
{
	SHA512_Final(out, &hash->soft.sha512);
}

/* ---- how long a message is, in bits, by two words ---- */

static void count_words32(SHA_LONG *low, SHA_LONG *high, size_t size)
{
	uint64_t bits = ((uint64_t)*high << 32 | *low) + (uint64_t)size * 8;

	*low = (SHA_LONG)bits;
	*high = (SHA_LONG)(bits >> 32);
}

static void count_sha1(struct fsp_hash *hash, size_t size)
{
	count_words32(&hash->soft.sha1.Nl, &hash->soft.sha1.Nh, size);
}

static void count_sha256(struct fsp_hash *hash, size_t size)
{
	count_words32(&hash->soft.sha256.Nl, &hash->soft.sha256.Nh, size);
}

static void count_sha512(struct fsp_hash *hash, size_t size)
{
	SHA512_CTX *soft = &hash->soft.sha512;
	uint64_t before = soft->Nl;

	soft->Nl += (uint64_t)size << 3;
	soft->Nh += ((uint64_t)size >> 61) + (soft->Nl < before);
}

#define FAMILY(id) .update = update_##id, .final = final_##id, .count = count_##id

const struct fsp_hash_kind fsp_hash_kinds[FIRESTEEL_DIGESTS] = {
	[FIRESTEEL_SHA1] = { "SHA1", "SHA-1", FIRESTEEL_SHA1, 20, 64, 5, 4, .begin = begin_sha1,
			     FAMILY(sha1) },
	[FIRESTEEL_SHA224] = { "SHA224", "SHA2-224", FIRESTEEL_SHA224, 28, 64, 8, 4,
			       .begin = begin_sha224, FAMILY(sha256) },
	[FIRESTEEL_SHA256] = { "SHA256", "SHA2-256", FIRESTEEL_SHA256, 32, 64, 8, 4,
			       .begin = begin_sha256, FAMILY(sha256) },
	[FIRESTEEL_SHA384] = { "SHA384", "SHA2-384", FIRESTEEL_SHA384, 48, 128, 8, 8,
			       .begin = begin_sha384, FAMILY(sha512) },
	[FIRESTEEL_SHA512] = { "SHA512", "SHA2-512", FIRESTEEL_SHA512, 64, 128, 8, 8,
			       .begin = begin_sha512, FAMILY(sha512) },
};

/* ---- the state, in words ---- */

static uint64_t get_word(const struct fsp_hash *hash, unsigned i)
{
	const SHA_CTX *sha1 = &hash->soft.sha1;

	if (hash->kind->word_size == 8)
		return hash->soft.sha512.h[i];
	if (hash->kind->words == 8)
		return hash->soft.sha256.h[i];
	return (const SHA_LONG[]){ sha1->h0, sha1->h1, sha1->h2, sha1->h3, sha1->h4 }[i];
}

static void set_word(struct fsp_hash *hash, unsigned i, uint64_t word)
{
	SHA_CTX *sha1 = &hash->soft.sha1;

	if (hash->kind->word_size == 8)
		hash->soft.sha512.h[i] = word;
	else if (hash->kind->words == 8)
		hash->soft.sha256.h[i] = (SHA_LONG)word;
	else
		*(SHA_LONG *[]){ &sha1->h0, &sha1->h1, &sha1->h2, &sha1->h3,
				 &sha1->h4 }[i] = (SHA_LONG)word;
}

/* As the core has it: big-endian */
static void get_state(const struct fsp_hash *hash, uint8_t *state)
{
	for (unsigned i = 0; i < hash->kind->words; i++) {
		uint64_t word = get_word(hash, i);

		for (size_t j = hash->kind->word_size; j-- > 0; word >>= 8)
			state[i * hash->kind->word_size + j] = (uint8_t)word;
	}
}

static void set_state(struct fsp_hash *hash, const uint8_t *state)
{
	for (unsigned i = 0; i < hash->kind->words; i++) {
		uint64_t word = 0;

		for (size_t j = 0; j < hash->kind->word_size; j++)
			word = word << 8 | *state++;
		set_word(hash, i, word);
	}
}

/* Bytes of a block that is not full */
static size_t begun(const struct fsp_hash *hash)
{
	if (hash->kind->word_size == 8)
		return hash->soft.sha512.num;
	return hash->kind->words == 8 ? hash->soft.sha256.num : hash->soft.sha1.num;
}

/* ---- pieces ---- */

void fsp_hash_begin(struct fsp_hash *hash, struct fsp_provider *provider,
		    const struct fsp_hash_kind *kind, enum fsp_task task)
{
	hash->provider = provider;
	hash->kind = kind;
	hash->task = task;
	kind->begin(hash);
}

int fsp_hash_core(struct fsp_hash *hash, const uint8_t *in, size_t size, bool trial)
{
	/* The length counts for padding alone, which is not the core's here */
	struct firesteel_hash_context context = { .size = hash->kind->block, .begun = true };
	const struct firesteel_request request = {
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = hash->kind->digest,
			  .more = true,
			  .in = { in, size },
			  .context = &context },
	};
	int error;

	get_state(hash, context.state);
	error = trial ? firesteel_run(hash->provider->device, &request)
		      : fsp_policy_run(hash->provider, hash->task, &request, size);
	if (error == FIRESTEEL_OK) {
		set_state(hash, context.state);
		hash->kind->count(hash, size);
	}
	firesteel_wipe(&context, sizeof(context));
	return error;
}

/* HMAC is offered without a core too */
static bool has_core(const struct fsp_hash *hash)
{
	if (hash->provider->capabilities.digests & 1u << hash->kind->digest)
		return true;
	fsp_policy_unfit(hash->provider, hash->task);
	return false;
}

void fsp_hash_update(struct fsp_hash *hash, const uint8_t *in, size_t size)
{
	size_t part = begun(hash), head = part ? hash->kind->block - part : 0;
	size_t whole = size > head ? (size - head) / hash->kind->block * hash->kind->block : 0;

	if (!has_core(hash) || !fsp_policy_wants_size(hash->provider, hash->task, whole)) {
		hash->kind->update(hash, in, size);
		return;
	}
	if (head > 0)
		hash->kind->update(hash, in, head);
	if (fsp_hash_core(hash, in + head, whole, false) == FIRESTEEL_OK)
		head += whole;
	hash->kind->update(hash, in + head, size - head);
}

void fsp_hash_final(struct fsp_hash *hash, uint8_t *out)
{
	hash->kind->final(hash, out);
}
