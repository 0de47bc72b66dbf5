/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and pieces of the plain modes of AES: see cipher.h. */
#include "cipher.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/proverr.h>

#include "offload.h"

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
	fsp_small(cipher->provider, cipher->kind->work, &cipher->small);
	if (cipher->soft)
		cipher->software->freectx(cipher->soft);
	fsp_cleanse(cipher, sizeof(*cipher));
}

void *fsp_cipher_dup(void *context)
{
	struct fsp_cipher *from = context, *to = OPENSSL_memdup(from, sizeof(*from));

	if (!to)
		return NULL;
	to->small = 0;
	if (!from->soft)
		return to;
	to->soft = fsp_soft_dup(from->software, from->soft);
	if (to->soft)
		return to;
	fsp_cipher_free(to);
	return NULL;
}

static bool take_iv(struct fsp_cipher *cipher, const unsigned char *iv, size_t size)
{
	if (iv && cipher->kind->iv_size) {
		if (size != cipher->kind->iv_size) {
			ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_IV_LENGTH);
			return false;
		}
		/* A size that the compiler knows */
		memcpy(cipher->first_iv, iv, FSP_BLOCK);
		memcpy(cipher->iv, iv, FSP_BLOCK);
		cipher->has_iv = true;
		cipher->soft_stands = false;
	} else if (cipher->has_iv && cipher->kind->mode != FIRESTEEL_CTR) {
		/* As the default provider does: these start anew, CTR continues */
		memcpy(cipher->iv, cipher->first_iv, sizeof(cipher->iv));
		cipher->soft_stands = false;
	}
	return true;
}

static bool take_key(struct fsp_cipher *cipher, const unsigned char *key, size_t size)
{
	if (size != cipher->kind->key_size) {
		ERR_raise(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH);
		return false;
	}
	if (cipher->kind->mode == FIRESTEEL_XTS && !cipher->decrypt &&
	    CRYPTO_memcmp(key, key + size / 2, size / 2) == 0) {
		ERR_raise(ERR_LIB_PROV, PROV_R_XTS_DUPLICATED_KEYS);
		return false;
	}
	memcpy(cipher->key, key, size);
	cipher->keyed = true;
	cipher->soft_keyed = false;
	return true;
}

/* Reads the chaining value from software, which is about to start anew */
bool fsp_cipher_recall(struct fsp_cipher *cipher)
{
	if (!cipher->soft_stands || !cipher->kind->iv_size)
		return true;
	if (!fsp_soft_updated_iv(cipher->software, cipher->soft, cipher->iv, cipher->kind->iv_size))
		return false;
	cipher->soft_stands = false;
	return true;
}

static int init(struct fsp_cipher *cipher, const unsigned char *key, size_t key_size,
		const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[], bool decrypt)
{
	/* What goes on where it stands: see take_iv() */
	if (!iv && (!cipher->has_iv || cipher->kind->mode == FIRESTEEL_CTR) &&
	    !fsp_cipher_recall(cipher))
		return 0;
	if (decrypt != cipher->decrypt)
		cipher->soft_keyed = false;
	cipher->decrypt = decrypt;
	cipher->part_size = 0;
	cipher->offset = 0;
	cipher->soft_stands = false;
	return take_iv(cipher, iv, iv_size) && (!key || take_key(cipher, key, key_size)) &&
	       fsp_cipher_set_ctx(cipher, params);
}

int fsp_cipher_encrypt_init(void *context, const unsigned char *key, size_t key_size,
			    const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[])
{
	return init(context, key, key_size, iv, iv_size, params, false);
}

int fsp_cipher_decrypt_init(void *context, const unsigned char *key, size_t key_size,
			    const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[])
{
	return init(context, key, key_size, iv, iv_size, params, true);
}

/* ---- software ---- */

/* It begins where the message stands, with our key unless it has that */
static bool soft_begin(struct fsp_cipher *cipher)
{
	const struct fsp_cipher_kind *kind = cipher->kind;
	const uint8_t *key = cipher->soft_keyed ? NULL : cipher->key;
	const uint8_t *iv = kind->iv_size ? cipher->iv : NULL;
	OSSL_FUNC_cipher_encrypt_init_fn *init = cipher->decrypt ? cipher->software->decrypt_init
								 : cipher->software->encrypt_init;

	cipher->soft_keyed = init(cipher->soft, key, key ? kind->key_size : 0, iv,
				  iv ? kind->iv_size : 0, NULL);
	return cipher->soft_keyed;
}

bool fsp_cipher_soft_ready(struct fsp_cipher *cipher)
{
	if (cipher->soft_keyed && cipher->soft_stands)
		return true;
	if (!cipher->soft) {
		cipher->software = fsp_soft_find(cipher->provider, cipher->kind);
		cipher->soft = cipher->software
				       ? cipher->software->newctx(cipher->software->provider)
				       : NULL;
	}
	return cipher->soft && soft_begin(cipher);
}

bool fsp_cipher_soft(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size)
{
	size_t got;

	if (size == 0)
		return true;
	if (!fsp_cipher_soft_ready(cipher) ||
	    !(cipher->kind->cts
		      ? cipher->software->update(cipher->soft, out, &got, size, in, size)
		      : cipher->software->cipher(cipher->soft, out, &got, size, in, size))) {
		ERR_raise(ERR_LIB_PROV, PROV_R_CIPHER_OPERATION_FAILED);
		return false;
	}
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
		fsp_unfit(cipher->provider, cipher->kind->work);
		return false;
	}
	if (fsp_offload(cipher->provider, cipher->kind->work, &request, size) != FIRESTEEL_OK)
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

	if (fsp_wanted_now(cipher->provider, cipher->kind->work, size, &cipher->small))
		done = fsp_cipher_core(cipher, out, in, size);
	return fsp_cipher_soft(cipher, out + done, in + done, size - done);
}

bool fsp_cipher_fits(size_t capacity, size_t wanted)
{
	if (capacity >= wanted)
		return true;
	ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
	return false;
}
