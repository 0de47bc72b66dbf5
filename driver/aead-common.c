// SPDX-License-Identifier: GPL-2.0-or-later
#include "aead-common.h"

int firesteel_aead_software(struct aead_request *request, struct crypto_aead *transform,
			    struct aead_request *fallback, bool decrypt)
{
	aead_request_set_tfm(fallback, transform);
	aead_request_set_callback(fallback, firesteel_fallback_flags(&request->base),
				  firesteel_request_software_ended, &request->base);
	aead_request_set_crypt(fallback, request->src, request->dst, request->cryptlen,
			       request->iv);
	aead_request_set_ad(fallback, request->assoclen);
	return decrypt ? crypto_aead_decrypt(fallback) : crypto_aead_encrypt(fallback);
}

int firesteel_aead_set_fallback_key(struct crypto_aead *transform, struct crypto_aead *fallback,
				    const u8 *key, unsigned int size)
{
	crypto_aead_clear_flags(fallback, CRYPTO_TFM_REQ_MASK);
	crypto_aead_set_flags(fallback, crypto_aead_get_flags(transform) & CRYPTO_TFM_REQ_MASK);
	return crypto_aead_setkey(fallback, key, size);
}

/* ---- parts of struct firesteel_class ---- */

struct crypto_alg *firesteel_aead_api(struct firesteel_algorithm *algorithm)
{
	return &algorithm->api.aead.base;
}

void firesteel_aead_remove(struct firesteel_algorithm *algorithm)
{
	crypto_unregister_aead(&algorithm->api.aead);
}

int firesteel_aead_trial_open(struct firesteel_trial *trial)
{
	const struct aead_alg *api = &trial->algorithm->api.aead;

	trial->aead = crypto_alloc_aead(api->base.cra_driver_name, 0, 0);
	if (IS_ERR(trial->aead))
		return PTR_ERR(trial->aead);
	trial->aead_request = aead_request_alloc(trial->aead, GFP_KERNEL);
	if (!trial->aead_request)
		return -ENOMEM;
	trial->context = crypto_aead_ctx(trial->aead);
	aead_request_set_callback(trial->aead_request, 0, trial->ended, trial);
	return 0;
}

int firesteel_aead_trial_start(struct firesteel_trial *trial, unsigned int size)
{
	firesteel_trial_use(trial, 16 + size + crypto_aead_authsize(trial->aead));
	aead_request_set_ad(trial->aead_request, 16);
	aead_request_set_crypt(trial->aead_request, &trial->list, &trial->list, size, trial->iv);
	return crypto_aead_encrypt(trial->aead_request);
}

void firesteel_aead_trial_close(struct firesteel_trial *trial)
{
	aead_request_free(trial->aead_request);
	if (!IS_ERR_OR_NULL(trial->aead))
		crypto_free_aead(trial->aead);
}
