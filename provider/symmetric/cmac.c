/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CMAC with AES (SP 800-38B): CBC of all blocks but the last on core or software, as the ciphers do
 * it, of which the last block counts.  CMAC with another cipher is the default provider's.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "base/memory.h"
#include "symmetric/cipher-init.h"
#include "symmetric/cipher.h"
#include "symmetric/mac.h"

#define SCRAP 4096u /* CBC has output, which nobody wants */

static const struct fsp_mac_kind cmac_kind = { "CMAC", OSSL_MAC_PARAM_CIPHER, FSP_TASK_CMAC };

static const struct fsp_cipher_kind kinds[] = {
	{ "AES-128-CBC", FSP_TASK_CMAC, FIRESTEEL_CBC, EVP_CIPH_CBC_MODE, 16, 16, 16, 0, 0, 0 },
	{ "AES-192-CBC", FSP_TASK_CMAC, FIRESTEEL_CBC, EVP_CIPH_CBC_MODE, 24, 16, 16, 0, 0, 0 },
	{ "AES-256-CBC", FSP_TASK_CMAC, FIRESTEEL_CBC, EVP_CIPH_CBC_MODE, 32, 16, 16, 0, 0, 0 },
};

struct cmac {
	struct fsp_mac mac; /* `soft` is for other ciphers */
	const struct fsp_cipher_kind *kind; /* NULL: software's */
	struct fsp_cipher *chain; /* NULL without a key */
	uint8_t mask[FSP_BLOCK]; /* E(0), from which both masks of the last block follow */
	uint8_t last[FSP_BLOCK]; /* what may be the last block */
	size_t last_size;
	bool begun; /* the message, and it has not ended */
};

/* ---- contexts ---- */

static void *new_cmac(void *provider)
{
	return fsp_mac_new(provider, &cmac_kind, sizeof(struct cmac));
}

static void free_cmac(void *context)
{
	struct cmac *cmac = context;

	if (!cmac)
		return;
	fsp_cipher_free(cmac->chain);
	fsp_mac_soft_end(&cmac->mac);
	fsp_cleanse(cmac, sizeof(*cmac));
}

static void *dup_cmac(void *context)
{
	const struct cmac *from = context;
	struct cmac *to = fsp_mac_dup(&from->mac, sizeof(*from));

	if (!to)
		return NULL;
	to->chain = from->chain ? fsp_cipher_dup(from->chain) : NULL;
	if (!from->chain || to->chain)
		return to;
	free_cmac(to);
	return NULL;
}

/* ---- beginning ---- */

/* The chain begins with zeros */
static bool chain_begin(struct cmac *cmac)
{
	static const uint8_t zeros[FSP_BLOCK];

	cmac->last_size = 0;
	cmac->begun = true;
	return fsp_cipher_encrypt_init(cmac->chain, NULL, 0, zeros, FSP_BLOCK, NULL);
}

static int take_key(struct cmac *cmac, const uint8_t *key, size_t size)
{
	static const uint8_t zeros[FSP_BLOCK];

	if (!*cmac->mac.below)
		return fsp_failed(PROV_R_NO_KEY_SET);
	if (!cmac->kind)
		return fsp_mac_soft_begin(&cmac->mac, key, size, NULL);
	fsp_cipher_free(cmac->chain);
	cmac->chain = fsp_cipher_new(cmac->mac.provider, cmac->kind);
	if (!cmac->chain ||
	    !fsp_cipher_encrypt_init(cmac->chain, key, size, zeros, FSP_BLOCK, NULL) ||
	    !fsp_cipher_soft(cmac->chain, cmac->mask, zeros, FSP_BLOCK)) {
		fsp_cipher_free(cmac->chain);
		cmac->chain = NULL;
		return fsp_failed(PROV_R_INVALID_KEY);
	}
	return chain_begin(cmac);
}

/* ---- parameters ---- */

/* Whether there is such a cipher; NULL for its kind: software's */
static bool find_kind(const struct cmac *cmac, const char *name,
		      const struct fsp_cipher_kind **kind)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(cmac->mac.provider->library, name, FSP_SOFTWARE);

	*kind = NULL;
	for (unsigned i = 0; cipher && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (EVP_CIPHER_is_a(cipher, kinds[i].name))
			*kind = &kinds[i];
	EVP_CIPHER_free(cipher);
	return cipher;
}

static bool take_cipher(struct cmac *cmac, const OSSL_PARAM *param)
{
	const struct fsp_cipher_kind *kind;
	char name[FSP_MAC_NAME];

	if (!param)
		return true;
	if (!fsp_mac_take_name(param, name) || !find_kind(cmac, name, &kind))
		return fsp_failed(PROV_R_INVALID_MODE);
	memcpy(cmac->mac.below, name, sizeof(name));
	cmac->kind = kind;
	fsp_cipher_free(cmac->chain);
	cmac->chain = NULL;
	fsp_mac_soft_end(&cmac->mac);
	return true;
}

static const OSSL_PARAM *settable_ctx(void *context, void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_CIPHER, NULL, 0),
		OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_PROPERTIES, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_MAC_PARAM_KEY, NULL, 0),
		OSSL_PARAM_END,
	};

	(void)context;
	(void)provider;
	return params;
}

static int set_ctx(void *context, const OSSL_PARAM params[])
{
	struct cmac *cmac = context;
	const OSSL_PARAM *param;

	if (!params)
		return 1;
	if (!take_cipher(cmac, OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_CIPHER)))
		return 0;
	param = OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_KEY);
	if (!param)
		return 1;
	return param->data_type == OSSL_PARAM_OCTET_STRING && param->data
		       ? take_key(cmac, param->data, param->data_size)
		       : fsp_failed(PROV_R_INVALID_KEY);
}

static int get_ctx(void *context, OSSL_PARAM params[])
{
	const struct cmac *cmac = context;
	OSSL_PARAM *size = OSSL_PARAM_locate(params, OSSL_MAC_PARAM_SIZE);
	OSSL_PARAM *block = OSSL_PARAM_locate(params, OSSL_MAC_PARAM_BLOCK_SIZE);
	size_t bytes = cmac->mac.soft ? EVP_MAC_CTX_get_mac_size(cmac->mac.soft) : 0;

	if (cmac->chain)
		bytes = FSP_BLOCK;
	return (!size || OSSL_PARAM_set_size_t(size, bytes)) &&
	       (!block || OSSL_PARAM_set_size_t(block, bytes));
}

/* ---- messages ---- */

static int init(void *context, const unsigned char *key, size_t size, const OSSL_PARAM params[])
{
	struct cmac *cmac = context;

	if (!set_ctx(cmac, params))
		return 0;
	if (key)
		return take_key(cmac, key, size);
	if (cmac->mac.soft)
		return fsp_mac_soft_begin(&cmac->mac, NULL, 0, NULL);
	return cmac->chain ? chain_begin(cmac) : fsp_failed(PROV_R_NO_KEY_SET);
}

/* Not after its end: the last block is no more what it was */
static bool ready(const struct cmac *cmac)
{
	return (cmac->chain && cmac->begun) || fsp_failed(PROV_R_NO_KEY_SET);
}

/* Whole blocks, none of which is the last */
static bool add_blocks(struct cmac *cmac, const uint8_t *in, size_t size)
{
	uint8_t scrap[SCRAP];
	bool good = true;

	while (good && size > 0) {
		size_t part = size < SCRAP ? size : SCRAP;

		good = fsp_cipher_blocks(cmac->chain, scrap, in, part);
		in += part;
		size -= part;
	}
	firesteel_wipe(scrap, sizeof(scrap));
	return good;
}

static int update(void *context, const unsigned char *in, size_t size)
{
	struct cmac *cmac = context;
	size_t now;

	if (cmac->mac.soft)
		return EVP_MAC_update(cmac->mac.soft, in, size);
	if (!ready(cmac))
		return 0;
	if (size == 0)
		return 1;
	now = FSP_BLOCK - cmac->last_size < size ? FSP_BLOCK - cmac->last_size : size;
	memcpy(cmac->last + cmac->last_size, in, now);
	cmac->last_size += now;
	in += now;
	size -= now;
	if (size == 0)
		return 1;
	/* There is more, so that was not the last block; nor are those that more follows */
	now = (size - 1) / FSP_BLOCK * FSP_BLOCK;
	if (!add_blocks(cmac, cmac->last, FSP_BLOCK) || !add_blocks(cmac, in, now))
		return 0;
	cmac->last_size = size - now;
	memcpy(cmac->last, in + now, cmac->last_size);
	return 1;
}

/* Times x in GF(2^128), in constant time */
static void twice(uint8_t block[FSP_BLOCK])
{
	unsigned carry = 0u - (block[0] >> 7);

	for (unsigned i = 0; i + 1 < FSP_BLOCK; i++)
		block[i] = (uint8_t)(block[i] << 1 | block[i + 1] >> 7);
	block[FSP_BLOCK - 1] = (uint8_t)(block[FSP_BLOCK - 1] << 1 ^ (carry & 0x87));
}

static int final(void *context, unsigned char *out, size_t *out_size, size_t capacity)
{
	struct cmac *cmac = context;
	uint8_t mask[FSP_BLOCK];
	bool good;

	if (cmac->mac.soft)
		return EVP_MAC_final(cmac->mac.soft, out, out_size, capacity);
	if (!ready(cmac) || !fsp_fits(capacity, FSP_BLOCK))
		return 0;
	memcpy(mask, cmac->mask, FSP_BLOCK);
	twice(mask);
	if (cmac->last_size < FSP_BLOCK) {
		twice(mask);
		memset(cmac->last + cmac->last_size, 0, FSP_BLOCK - cmac->last_size);
		cmac->last[cmac->last_size] = 0x80;
	}
	for (unsigned i = 0; i < FSP_BLOCK; i++)
		cmac->last[i] ^= mask[i];
	good = fsp_cipher_soft(cmac->chain, out, cmac->last, FSP_BLOCK);
	firesteel_wipe(mask, sizeof(mask));
	cmac->begun = false;
	*out_size = good ? FSP_BLOCK : 0;
	return good;
}

const OSSL_DISPATCH fsp_cmac[] = {
	FSP_MAC_FUNCTION(NEWCTX, new_cmac),
	FSP_MAC_FUNCTION(FREECTX, free_cmac),
	FSP_MAC_FUNCTION(DUPCTX, dup_cmac),
	FSP_MAC_FUNCTION(INIT, init),
	FSP_MAC_FUNCTION(UPDATE, update),
	FSP_MAC_FUNCTION(FINAL, final),
	FSP_MAC_FUNCTION(GET_CTX_PARAMS, get_ctx),
	FSP_MAC_FUNCTION(SET_CTX_PARAMS, set_ctx),
	FSP_MAC_FUNCTION(GETTABLE_CTX_PARAMS, fsp_mac_gettable_ctx),
	FSP_MAC_FUNCTION(SETTABLE_CTX_PARAMS, settable_ctx),
	{ 0, NULL },
};
