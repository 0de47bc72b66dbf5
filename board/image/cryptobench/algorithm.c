// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of algorithms of the kernel's crypto API; see cryptobench.h. */
#include <crypto/aead.h>
#include <crypto/authenc.h>
#include <crypto/hash.h>
#include <crypto/skcipher.h>
#include <linux/rtnetlink.h>
#include <linux/string.h>

#include "cryptobench.h"

/*
 * A driver whose queue is full keeps the request for later, as it does for dm-crypt.  Nothing may
 * sleep in a request, as in the network's soft interrupts.
 */
#define ALGORITHM_FLAGS CRYPTO_TFM_REQ_MAY_BACKLOG

static unsigned int algorithm_nothing(struct crypto_tfm *tfm)
{
	return 0;
}

/* ---- ciphers ---- */

static struct crypto_tfm *cipher_open(const char *algorithm)
{
	struct crypto_skcipher *cipher = crypto_alloc_skcipher(algorithm, 0, 0);

	return IS_ERR(cipher) ? ERR_CAST(cipher) : crypto_skcipher_tfm(cipher);
}

static void cipher_close(struct crypto_tfm *tfm)
{
	crypto_free_skcipher(__crypto_skcipher_cast(tfm));
}

static int cipher_set_key(struct crypto_tfm *tfm, const u8 *key, unsigned int length)
{
	return crypto_skcipher_setkey(__crypto_skcipher_cast(tfm), key, length);
}

static int cipher_prepare(struct bench_request *request, struct crypto_tfm *tfm,
			  const struct bench_settings *settings)
{
	struct skcipher_request *api = skcipher_request_alloc(__crypto_skcipher_cast(tfm),
							      GFP_KERNEL);

	if (!api)
		return -ENOMEM;
	skcipher_request_set_callback(api, ALGORITHM_FLAGS, bench_request_ended, request);
	skcipher_request_set_crypt(api, request->sg, request->sg, settings->size, request->iv);
	request->api = api;
	return 0;
}

static void cipher_release(struct bench_request *request)
{
	skcipher_request_free(request->api);
}

static int cipher_encrypt(struct bench_request *request)
{
	return crypto_skcipher_encrypt(request->api);
}

static int cipher_decrypt(struct bench_request *request)
{
	return crypto_skcipher_decrypt(request->api);
}

/* ---- authenticated encryption ---- */

static struct crypto_tfm *aead_open(const char *algorithm)
{
	struct crypto_aead *aead = crypto_alloc_aead(algorithm, 0, 0);

	return IS_ERR(aead) ? ERR_CAST(aead) : crypto_aead_tfm(aead);
}

static void aead_close(struct crypto_tfm *tfm)
{
	crypto_free_aead(__crypto_aead_cast(tfm));
}

static int aead_set_key(struct crypto_tfm *tfm, const u8 *key, unsigned int length)
{
	return crypto_aead_setkey(__crypto_aead_cast(tfm), key, length);
}

static unsigned int aead_tag_size(struct crypto_tfm *tfm)
{
	return crypto_aead_authsize(__crypto_aead_cast(tfm));
}

static int aead_prepare(struct bench_request *request, struct crypto_tfm *tfm,
			const struct bench_settings *settings)
{
	struct aead_request *api = aead_request_alloc(__crypto_aead_cast(tfm), GFP_KERNEL);
	unsigned int size = settings->size;

	if (!api)
		return -ENOMEM;
	if (settings->decrypt)
		size += aead_tag_size(tfm);
	aead_request_set_callback(api, ALGORITHM_FLAGS, bench_request_ended, request);
	aead_request_set_crypt(api, request->sg, request->sg, size, request->iv);
	aead_request_set_ad(api, settings->ad);
	request->api = api;
	return 0;
}

static void aead_release(struct bench_request *request)
{
	aead_request_free(request->api);
}

static int aead_encrypt(struct bench_request *request)
{
	return crypto_aead_encrypt(request->api);
}

static int aead_decrypt(struct bench_request *request)
{
	return crypto_aead_decrypt(request->api);
}

/* ---- hashes, which know one direction ---- */

static struct crypto_tfm *hash_open(const char *algorithm)
{
	struct crypto_ahash *hash = crypto_alloc_ahash(algorithm, 0, 0);

	return IS_ERR(hash) ? ERR_CAST(hash) : crypto_ahash_tfm(hash);
}

static void hash_close(struct crypto_tfm *tfm)
{
	crypto_free_ahash(__crypto_ahash_cast(tfm));
}

static int hash_set_key(struct crypto_tfm *tfm, const u8 *key, unsigned int length)
{
	return crypto_ahash_setkey(__crypto_ahash_cast(tfm), key, length);
}

static unsigned int hash_digest_size(struct crypto_tfm *tfm)
{
	return crypto_ahash_digestsize(__crypto_ahash_cast(tfm));
}

static int hash_prepare(struct bench_request *request, struct crypto_tfm *tfm,
			const struct bench_settings *settings)
{
	struct ahash_request *api = ahash_request_alloc(__crypto_ahash_cast(tfm), GFP_KERNEL);

	if (!api)
		return -ENOMEM;
	ahash_request_set_callback(api, ALGORITHM_FLAGS, bench_request_ended, request);
	ahash_request_set_crypt(api, request->sg, request->digest, settings->size);
	request->api = api;
	return 0;
}

static void hash_release(struct bench_request *request)
{
	ahash_request_free(request->api);
}

static int hash_digest(struct bench_request *request)
{
	return crypto_ahash_digest(request->api);
}

static const struct bench_kind algorithm_kinds[] = {
	{
		.name = "cipher",
		.open = cipher_open,
		.close = cipher_close,
		.set_key = cipher_set_key,
		.tag_size = algorithm_nothing,
		.digest_size = algorithm_nothing,
		.prepare = cipher_prepare,
		.release = cipher_release,
		.encrypt = cipher_encrypt,
		.decrypt = cipher_decrypt,
	},
	{
		.name = "aead",
		.open = aead_open,
		.close = aead_close,
		.set_key = aead_set_key,
		.tag_size = aead_tag_size,
		.digest_size = algorithm_nothing,
		.prepare = aead_prepare,
		.release = aead_release,
		.encrypt = aead_encrypt,
		.decrypt = aead_decrypt,
	},
	{
		.name = "hash",
		.open = hash_open,
		.close = hash_close,
		.set_key = hash_set_key,
		.tag_size = algorithm_nothing,
		.digest_size = hash_digest_size,
		.prepare = hash_prepare,
		.release = hash_release,
		.encrypt = hash_digest,
		.decrypt = hash_digest,
	},
};

static const struct bench_kind *algorithm_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(algorithm_kinds); i++) {
		if (!strcmp(name, algorithm_kinds[i].name))
			return &algorithm_kinds[i];
	}
	return NULL;
}

bool bench_kind_known(const char *name)
{
	return algorithm_kind(name);
}

/* Counts up, so that the two halves of an XTS key differ; returns the key's length. */
static unsigned int algorithm_key(u8 key[BENCH_KEY_MAX], const struct bench_settings *settings)
{
	struct crypto_authenc_key_param *param;
	struct rtattr *attribute = (struct rtattr *)key;
	unsigned int start = 0, i;

	if (settings->auth_key) {
		attribute->rta_type = CRYPTO_AUTHENC_KEYA_PARAM;
		attribute->rta_len = RTA_LENGTH(sizeof(*param));
		param = RTA_DATA(attribute);
		param->enckeylen = cpu_to_be32(settings->key);
		start = RTA_SPACE(sizeof(*param));
	}
	for (i = 0; i < settings->auth_key + settings->key; i++)
		key[start + i] = i + 1;
	return start + i;
}

int bench_algorithm_open(struct bench_algorithm *algorithm, const char *name,
			 const struct bench_settings *settings)
{
	u8 key[BENCH_KEY_MAX] __aligned(8) = {};
	unsigned int length = algorithm_key(key, settings);
	struct crypto_tfm *tfm;
	int err;

	algorithm->kind = algorithm_kind(settings->kind);
	tfm = algorithm->kind->open(name);
	if (IS_ERR(tfm)) {
		pr_err("cryptobench: the kernel gives no %s %s (error %ld)\n", settings->kind, name,
		       PTR_ERR(tfm));
		return PTR_ERR(tfm);
	}
	algorithm->tfm = tfm;
	algorithm->tag_size = algorithm->kind->tag_size(tfm);
	algorithm->digest_size = algorithm->kind->digest_size(tfm);
	err = length ? algorithm->kind->set_key(tfm, key, length) : 0;
	if (!err && algorithm->digest_size > BENCH_DIGEST_MAX)
		err = -EINVAL;
	if (err) {
		pr_err("cryptobench: %s takes no key of %u bytes (error %d)\n", name, length, err);
		bench_algorithm_close(algorithm);
	}
	return err;
}

void bench_algorithm_close(struct bench_algorithm *algorithm)
{
	if (algorithm->tfm)
		algorithm->kind->close(algorithm->tfm);
	algorithm->tfm = NULL;
}
