/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/cipher.h"

#include <string.h>

#include <openssl/proverr.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/policy.h"

/* ---- contexts ---- */

void *fsp_cipher_new(void *provider, const struct fsp_cipher_kind *kind)
{
	struct fsp_cipher *cipher = OPENSSL_zalloc(sizeof(*cipher));

	if (!cipher)
		return NULL;
	cipher->provider = provider;
	cipher->kind = kind;
	cipher->padding = true;
	cipher->cts_variant = 1;
	return cipher;
}

void fsp_cipher_free(void *context)
{
	struct fsp_cipher *cipher = context;

	if (!cipher)
		return;
	fsp_policy_small(cipher->provider, cipher->kind->task, &cipher->small);
	fsp_soft_close(&cipher->soft);
	fsp_cleanse(cipher, sizeof(*cipher));
}

void *fsp_cipher_dup(void *context)
{
	struct fsp_cipher *from = context, *to = OPENSSL_memdup(from, sizeof(*from));

	if (!to)
		return NULL;
	to->small = 0;
	if (fsp_soft_dup(&to->soft))
		return to;
	fsp_cipher_free(to);
	return NULL;
}

/* ---- software ---- */

bool fsp_cipher_recall(struct fsp_cipher *cipher)
{
	if (!cipher->soft_stands || !cipher->kind->iv_size)
		return true;
	if (!fsp_soft_updated_iv(&cipher->soft, cipher->iv, cipher->kind->iv_size))
		return false;
	cipher->soft_stands = false;
	return true;
}

bool fsp_cipher_soft_ready(struct fsp_cipher *cipher)
{
	const struct fsp_cipher_kind *kind = cipher->kind;
	struct fsp_soft_context *soft = &cipher->soft;

	if (soft->keyed && cipher->soft_stands)
		return true;
	if (!fsp_soft_open(soft, cipher->provider, kind))
		return false;
	/* It begins where the message stands, with our key unless it has that */
	soft->keyed = fsp_soft_init(soft, cipher->decrypt, soft->keyed ? NULL : cipher->key,
				    kind->key_size, kind->iv_size ? cipher->iv : NULL,
				    kind->iv_size, NULL);
	return soft->keyed;
}

bool fsp_cipher_soft(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size)
{
	if (size == 0)
		return true;
	if (!fsp_cipher_soft_ready(cipher) ||
	    !(cipher->kind->cts ? fsp_soft_update(&cipher->soft, out, in, size)
				: fsp_soft_cipher(&cipher->soft, out, in, size)))
		return fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
	cipher->soft_stands = true;
	return true;
}

/* ---- the core ---- */

/* Whether the counter would run over the bits that the core counts with */
static bool counter_runs_over(const struct fsp_cipher *cipher, size_t size)
{
	unsigned bits = cipher->provider->capabilities.counter_bits;
	uint64_t low = 0, limit;

	if (bits >= 128)
		return false;
	for (unsigned i = 8; i < FSP_BLOCK; i++)
		low = low << 8 | cipher->iv[i];
	if (bits < 64)
		low &= (UINT64_C(1) << bits) - 1;
	limit = bits < 64 ? (UINT64_C(1) << bits) - low : UINT64_MAX - low;
	return size / FSP_BLOCK > limit;
}

static void count_on(uint8_t counter[FSP_BLOCK], size_t blocks)
{
	uint64_t carry = blocks;

	for (unsigned i = FSP_BLOCK; i-- > 0 && carry;) {
		carry += counter[i];
		counter[i] = (uint8_t)carry;
		carry >>= 8;
	}
}

/* The IV after a piece of whole blocks, whose last one was `in` and is `out` */
static void move_on(struct fsp_cipher *cipher, const uint8_t in[FSP_BLOCK],
		    const uint8_t out[FSP_BLOCK], size_t size)
{
	switch (cipher->kind->mode) {
	case FIRESTEEL_CBC:
	case FIRESTEEL_CFB:
		memcpy(cipher->iv, cipher->decrypt ? in : out, FSP_BLOCK);
		break;
	case FIRESTEEL_OFB:
		for (unsigned i = 0; i < FSP_BLOCK; i++)
			cipher->iv[i] = in[i] ^ out[i];
		break;
	case FIRESTEEL_CTR:
		count_on(cipher->iv, size / FSP_BLOCK);
		break;
	default:
		break;
	}
}

/* At most FIRESTEEL_WHOLE bytes, so that they are still there when the core fails */
static bool core_piece(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size)
{
	const struct firesteel_request request = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = cipher->kind->mode,
			    .decrypt = cipher->decrypt,
			    .key = { cipher->key, cipher->kind->key_size },
			    .iv = { cipher->iv, cipher->kind->iv_size },
			    .in = { in, size },
			    .out = { out, size } },
	};
	uint8_t last[FSP_BLOCK];

	memcpy(last, in + size - FSP_BLOCK, FSP_BLOCK);
	if (cipher->kind->mode == FIRESTEEL_CTR && counter_runs_over(cipher, size)) {
		fsp_policy_unfit(cipher->provider, cipher->kind->task);
		return false;
	}
	if (fsp_policy_run(cipher->provider, cipher->kind->task, &request, size) != FIRESTEEL_OK)
		return false;
	move_on(cipher, last, out + size - FSP_BLOCK, size);
	return true;
}

size_t fsp_cipher_core(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size)
{
	size_t done = 0;

	if (!fsp_cipher_recall(cipher))
		return 0;
	cipher->soft_stands = false;
	while (done < size) {
		size_t part = size - done < FIRESTEEL_WHOLE ? size - done : FIRESTEEL_WHOLE;

		if (!core_piece(cipher, out + done, in + done, part))
			break;
		done += part;
	}
	return done;
}

bool fsp_cipher_blocks(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size)
{
	size_t done = 0;

	if (fsp_policy_wants_piece(cipher->provider, cipher->kind->task, size, &cipher->small))
		done = fsp_cipher_core(cipher, out, in, size);
	return fsp_cipher_soft(cipher, out + done, in + done, size - done);
}
