/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/ecx.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "base/memory.h"
#include "base/policy.h"

#define SECURITY_BITS 128u

/* ---- components ---- */

void fsp_ecx_components_free(void *ecx)
{
	fsp_cleanse(ecx, sizeof(struct fsp_ecx));
}

void *fsp_ecx_components_new(struct fsp_key *key)
{
	struct fsp_ecx *ecx = OPENSSL_zalloc(sizeof(*ecx));
	OSSL_PARAM params[3];

	if (!ecx)
		return NULL;
	params[0] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, ecx->secret,
						      FSP_ECX_SIZE);
	params[1] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, ecx->public,
						      FSP_ECX_SIZE);
	params[2] = OSSL_PARAM_construct_end();
	if (fsp_key_get(key, params)) {
		ecx->has_secret = params[0].return_size == FSP_ECX_SIZE;
		ecx->has_public = params[1].return_size == FSP_ECX_SIZE;
		return ecx;
	}
	fsp_ecx_components_free(ecx);
	return NULL;
}

/* ---- generation ---- */

struct firesteel_request fsp_x25519_request(const uint8_t *secret, const uint8_t *peer,
					    uint8_t *out)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_X25519,
		.x25519 = { .secret = { secret, FSP_ECX_SIZE },
			    .peer = { peer, peer ? FSP_ECX_SIZE : 0 },
			    .result = { out, FSP_ECX_SIZE } },
	};
}

static bool plan(struct fsp_generation *generation)
{
	generation->secret.size = FSP_ECX_SIZE;
	generation->public.size = FSP_ECX_SIZE;
	generation->bits = FSP_ECX_BITS;
	/* Software knows multiples of the base point: it needs much less than for an exchange */
	generation->effort = FSC_EFFORT / 4;
	return true;
}

static struct firesteel_request request_of(const struct fsp_generation *generation)
{
	return fsp_x25519_request(generation->secret.data, NULL, generation->public.data);
}

/* Clamped as software keeps its own: RFC 7748, 5 */
static bool random_secret(struct fsp_generation *generation)
{
	uint8_t *secret = generation->secret.data;

	if (RAND_priv_bytes_ex(generation->provider->library, secret, FSP_ECX_SIZE,
			       SECURITY_BITS) <= 0)
		return false;
	secret[0] &= 0xf8;
	secret[FSP_ECX_SIZE - 1] = (uint8_t)((secret[FSP_ECX_SIZE - 1] & 0x7f) | 0x40);
	return true;
}

static void *assemble(struct fsp_generation *generation)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, generation->secret.data,
						  FSP_ECX_SIZE),
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, generation->public.data,
						  FSP_ECX_SIZE),
		OSSL_PARAM_construct_end(),
	};

	return fsp_key_data(generation->software, OSSL_KEYMGMT_SELECT_KEYPAIR, params);
}

const struct fsp_generator fsp_x25519_generator = {
	.task = FSP_TASK_X25519,
	.plan = plan,
	.request = request_of,
	.random = random_secret,
	.assemble = assemble,
};
