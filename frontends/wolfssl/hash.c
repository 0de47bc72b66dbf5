/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The core does runs of whole blocks: the state in wolfCrypt's context is loaded before and saved
 * after. What comes before and after them in an update, and the end with its padding, are
 * wolfCrypt's.
 */
#include "hash.h"

#include <stdlib.h>
#include <string.h>

#include <wolfssl/wolfcrypt/sha.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha512.h>

#include "frontends/common/size.h"

/* A context of wolfCrypt's.  SHA-224 has the one of SHA-256, SHA-384 the one of SHA-512. */
union context {
	wc_Sha *sha1;
	wc_Sha256 *sha256;
	wc_Sha512 *sha512;
};

struct kind {
	enum firesteel_digest digest;
	size_t block, words, word_size;
	word32 (*begun)(union context context); /* bytes of a block that is not full */
	void (*count)(union context context, word32 bytes);
	int (*update)(union context context, const byte *in, word32 size);
};

/* ---- contexts ---- */

static word32 begun_sha1(union context context)
{
	return context.sha1->buffLen;
}

static word32 begun_sha256(union context context)
{
	return context.sha256->buffLen;
}

static word32 begun_sha512(union context context)
{
	return context.sha512->buffLen;
}

static void count_sha1(union context context, word32 bytes)
{
	context.sha1->loLen += bytes;
	context.sha1->hiLen += context.sha1->loLen < bytes;
}

static void count_sha256(union context context, word32 bytes)
{
	context.sha256->loLen += bytes;
	context.sha256->hiLen += context.sha256->loLen < bytes;
}

static void count_sha512(union context context, word32 bytes)
{
	context.sha512->loLen += bytes;
	context.sha512->hiLen += context.sha512->loLen < bytes;
}

static int update_sha1(union context context, const byte *in, word32 size)
{
	return wc_ShaUpdate(context.sha1, in, size);
}

static int update_sha224(union context context, const byte *in, word32 size)
{
	return wc_Sha224Update(context.sha256, in, size);
}

static int update_sha256(union context context, const byte *in, word32 size)
{
	return wc_Sha256Update(context.sha256, in, size);
}

static int update_sha384(union context context, const byte *in, word32 size)
{
	return wc_Sha384Update(context.sha512, in, size);
}

static int update_sha512(union context context, const byte *in, word32 size)
{
	return wc_Sha512Update(context.sha512, in, size);
}

static const struct kind sha1 = { FIRESTEEL_SHA1, 64, 5, 4, begun_sha1, count_sha1, update_sha1 };
static const struct kind sha224 = { FIRESTEEL_SHA224, 64,           8, 4, begun_sha256,
				    count_sha256,     update_sha224 };
static const struct kind sha256 = { FIRESTEEL_SHA256, 64,           8, 4, begun_sha256,
				    count_sha256,     update_sha256 };
static const struct kind sha384 = { FIRESTEEL_SHA384, 128,          8, 8, begun_sha512,
				    count_sha512,     update_sha384 };
static const struct kind sha512 = { FIRESTEEL_SHA512, 128,          8, 8, begun_sha512,
				    count_sha512,     update_sha512 };

/* ---- the state, in words ---- */

static uint64_t get_word(const struct kind *kind, union context context, size_t i)
{
	if (kind->word_size == 8)
		return context.sha512->digest[i];
	return kind->words == 8 ? context.sha256->digest[i] : context.sha1->digest[i];
}

static void set_word(const struct kind *kind, union context context, size_t i, uint64_t word)
{
	if (kind->word_size == 8)
		context.sha512->digest[i] = word;
	else if (kind->words == 8)
		context.sha256->digest[i] = (word32)word;
	else
		context.sha1->digest[i] = (word32)word;
}

/* As the core has it: big-endian */
static void get_state(const struct kind *kind, union context context, uint8_t *state)
{
	for (size_t i = 0; i < kind->words; i++) {
		uint64_t word = get_word(kind, context, i);

		for (size_t j = kind->word_size; j-- > 0; word >>= 8)
			state[i * kind->word_size + j] = (uint8_t)word;
	}
}

static void set_state(const struct kind *kind, union context context, const uint8_t *state)
{
	for (size_t i = 0; i < kind->words; i++) {
		uint64_t word = 0;

		for (size_t j = 0; j < kind->word_size; j++)
			word = word << 8 | *state++;
		set_word(kind, context, i, word);
	}
}

/* ---- updates ---- */

static struct firesteel_request request_of(const struct kind *kind, const byte *in, size_t size,
					   struct firesteel_hash_context *state)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = kind->digest,
			  .more = true,
			  .in = { in, size },
			  .context = state },
	};
}

/* Whole blocks, from the beginning of one; false: nothing has changed */
static bool blocks(struct fsw_device *device, enum firesteel_wolfssl_work work,
		   const struct kind *kind, union context context, const byte *in, word32 size)
{
	/* The length counts for padding alone, which is not the core's here */
	struct firesteel_hash_context state = { .size = kind->block, .begun = true };
	const struct firesteel_request request = request_of(kind, in, size, &state);
	bool good;

	get_state(kind, context, state.state);
	good = fsw_run(device, work, &request, size) == FIRESTEEL_OK;
	if (good) {
		set_state(kind, context, state.state);
		kind->count(context, size);
	}
	firesteel_wipe(&state, sizeof(state));
	return good;
}

/* What comes before and after the blocks is less than a block, or the core has failed at it: so the
 * updates here are software's at the latest when they come back */
static int update(struct fsw_device *device, enum firesteel_wolfssl_work work,
		  const struct kind *kind, union context context, const byte *in, word32 size)
{
	word32 begun = kind->begun(context), head = begun ? (word32)kind->block - begun : 0;
	word32 whole = size > head ? (word32)((size - head) / kind->block * kind->block) : 0;
	int error = 0;

	if (whole == 0)
		return CRYPTOCB_UNAVAILABLE;
	if (begun >= kind->block || !(device->capabilities.digests & 1u << kind->digest))
		return fsw_unfit(device, work);
	if (!fsw_wants_size(device, work, whole))
		return CRYPTOCB_UNAVAILABLE;
	if (head > 0)
		error = kind->update(context, in, head);
	if (error)
		return error;
	if (blocks(device, work, kind, context, in + head, whole))
		head += whole;
	else if (head == 0)
		return CRYPTOCB_UNAVAILABLE;
	return head == size ? 0 : kind->update(context, in + head, size - head);
}

int fsw_hash(struct fsw_device *device, wc_CryptoInfo *info)
{
	const byte *in = info->hash.in;
	word32 size = info->hash.inSz;

	if (!in)
		return CRYPTOCB_UNAVAILABLE; /* the end */
	switch (info->hash.type) {
	case WC_HASH_TYPE_SHA:
		return update(device, FIRESTEEL_WOLFSSL_SHA1, &sha1,
			      (union context){ .sha1 = info->hash.sha1 }, in, size);
	case WC_HASH_TYPE_SHA224:
		return update(device, FIRESTEEL_WOLFSSL_SHA256, &sha224,
			      (union context){ .sha256 = info->hash.sha224 }, in, size);
	case WC_HASH_TYPE_SHA256:
		return update(device, FIRESTEEL_WOLFSSL_SHA256, &sha256,
			      (union context){ .sha256 = info->hash.sha256 }, in, size);
	case WC_HASH_TYPE_SHA384:
		return update(device, FIRESTEEL_WOLFSSL_SHA512, &sha384,
			      (union context){ .sha512 = info->hash.sha384 }, in, size);
	case WC_HASH_TYPE_SHA512:
		return update(device, FIRESTEEL_WOLFSSL_SHA512, &sha512,
			      (union context){ .sha512 = info->hash.sha512 }, in, size);
	default:
		return CRYPTOCB_UNAVAILABLE;
	}
}

/* ---- the trial ---- */

/* A context of wolfCrypt's own, that has seen one block */
union own {
	wc_Sha sha1;
	wc_Sha256 sha256;
	wc_Sha512 sha512;
};

static const struct kind *kind_of(enum firesteel_wolfssl_work work)
{
	if (work == FIRESTEEL_WOLFSSL_SHA1)
		return &sha1;
	return work == FIRESTEEL_WOLFSSL_SHA256 ? &sha256 : &sha512;
}

static int init(enum firesteel_wolfssl_work work, union own *own)
{
	if (work == FIRESTEEL_WOLFSSL_SHA1)
		return wc_InitSha_ex(&own->sha1, NULL, INVALID_DEVID);
	if (work == FIRESTEEL_WOLFSSL_SHA256)
		return wc_InitSha256_ex(&own->sha256, NULL, INVALID_DEVID);
	return wc_InitSha512_ex(&own->sha512, NULL, INVALID_DEVID);
}

static void end(enum firesteel_wolfssl_work work, union own *own)
{
	if (work == FIRESTEEL_WOLFSSL_SHA1)
		wc_ShaFree(&own->sha1);
	else if (work == FIRESTEEL_WOLFSSL_SHA256)
		wc_Sha256Free(&own->sha256);
	else
		wc_Sha512Free(&own->sha512);
}

static union context context_of(enum firesteel_wolfssl_work work, union own *own)
{
	if (work == FIRESTEEL_WOLFSSL_SHA1)
		return (union context){ .sha1 = &own->sha1 };
	if (work == FIRESTEEL_WOLFSSL_SHA256)
		return (union context){ .sha256 = &own->sha256 };
	return (union context){ .sha512 = &own->sha512 };
}

/* False: there is nothing to end */
static bool begin(enum firesteel_wolfssl_work work, union own *own, const byte *in)
{
	const struct kind *kind = kind_of(work);

	if (init(work, own) != 0)
		return false;
	if (kind->update(context_of(work, own), in, (word32)kind->block) == 0)
		return true;
	end(work, own);
	return false;
}

static enum fsc_trial try(struct fsw_device *device, enum firesteel_wolfssl_work work, byte *in)
{
	const struct kind *kind = kind_of(work);
	struct firesteel_hash_context there = { .size = kind->block, .begun = true };
	const struct firesteel_request request = request_of(kind, in, FSC_SHORT, &there);
	enum fsc_trial found = FSC_TRIAL_NONE;
	uint8_t here[sizeof(there.state)];
	union own own;
	const union context context = context_of(work, &own);
	int error;

	if (!begin(work, &own, in))
		return FSC_TRIAL_NONE;
	get_state(kind, context, there.state);
	error = firesteel_run(device->core, &request);
	if (error != FIRESTEEL_OK) {
		found = fsc_trial_failed(error);
	} else if (kind->update(context, in, FSC_SHORT) == 0) {
		get_state(kind, context, here);
		found = fsc_trial_compare(there.state, here, kind->words * kind->word_size);
	}
	end(work, &own);
	return found;
}

enum fsc_trial fsw_hash_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
			      int64_t *software_ns)
{
	byte *in = malloc(FSC_LONG);
	enum fsc_trial found = FSC_TRIAL_NONE;

	(void)software_ns; /* it goes by size */
	if (in) {
		fsc_trial_fill(in, FSC_LONG);
		found = try(device, work, in);
	}
	free(in);
	return found;
}

/* What wolfCrypt takes for a size, the best of some, in ns; less than 0: it does not do it */
static int64_t software_time(enum firesteel_wolfssl_work work, const byte *in, word32 size)
{
	const struct kind *kind = kind_of(work);
	int64_t best = -1;
	union own own;
	int error = 0;

	if (!begin(work, &own, in))
		return -1;
	for (unsigned i = 0; i < FSC_ROUNDS && !error; i++) {
		int64_t from = fsc_trial_now();

		error = kind->update(context_of(work, &own), in, size);
		fsc_trial_best(from, i, &best);
	}
	end(work, &own);
	return error ? -1 : best;
}

size_t fsw_hash_break_even(struct fsw_device *device, enum firesteel_wolfssl_work work)
{
	struct firesteel_hash_context state = { .size = kind_of(work)->block, .begun = true };
	const struct firesteel_request request = request_of(kind_of(work), NULL, 0, &state);
	byte *in = malloc(FSC_LONG);
	size_t found;

	if (!in)
		return FSC_NEVER;
	fsc_trial_fill(in, FSC_LONG);
	found = fsc_size_break_even(device->core, &request, software_time(work, in, FSC_SHORT),
				    software_time(work, in, FSC_LONG));
	free(in);
	return found;
}
