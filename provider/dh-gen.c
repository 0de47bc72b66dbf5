/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffie-Hellman keys whose public part the core computes.  The secret is as long, and as random, as
 * software would have it (SP 800-56A, 5.6.1.1.4, for named groups); of other groups that tell their
 * order, software makes the keys.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>

#include "dh.h"

#define SECRET_MIN 224 /* bits: a strength of 112 */

struct making {
	struct fsp_provider *provider;
	const struct fsp_dh *dh; /* parameters alone */
	size_t secret_bits;
	BN_CTX *context;
	BIGNUM *secret, *public;
};

/* How long a secret is; 0: that is software's to say */
static size_t secret_bits(const struct fsp_dh *dh, const EVP_PKEY *parameters)
{
	int length = 0;

	ERR_set_mark();
	if (!EVP_PKEY_get_int_param(parameters, OSSL_PKEY_PARAM_DH_PRIV_LEN, &length) || length < 0)
		length = 0;
	ERR_pop_to_mark();
	if (dh->order.size > 0 && !dh->safe)
		return 0;
	/* Software has its opinion of secrets that are too long, and of short ones */
	if (length > 0 && ((size_t)length >= dh->bits || length < SECRET_MIN))
		return 0;
	return length > 0 ? (size_t)length : dh->bits - 1;
}

/* Of a named group: 1 to the smaller one of 2 ^ bits and the order, less one */
static bool random_in_group(struct making *making)
{
	BIGNUM *limit = BN_CTX_get(making->context), *order = BN_CTX_get(making->context);

	if (!order || !BN_set_bit(limit, (int)making->secret_bits) ||
	    !BN_bin2bn(making->dh->order.data, (int)making->dh->order.size, order))
		return false;
	if (BN_cmp(order, limit) < 0 && !BN_copy(limit, order))
		return false;
	return BN_sub_word(limit, 1) &&
	       BN_priv_rand_range_ex(making->secret, limit, 0, making->context) &&
	       BN_add_word(making->secret, 1);
}

/*
 * Of another one: as many bits, the highest of which is set.  With 2 as the generator and a prime
 * for which that is no square, the lowest bit would be public: so it is cleared.
 */
static bool random_bits(struct making *making)
{
	const struct firesteel_bytes generator = making->dh->generator, prime = making->dh->prime;

	if (!BN_priv_rand_ex(making->secret, (int)making->secret_bits, BN_RAND_TOP_ONE,
			     BN_RAND_BOTTOM_ANY, 0, making->context))
		return false;
	if (generator.size == 1 && generator.data[0] == 2 && !(prime.data[prime.size - 1] & 4) &&
	    BN_is_odd(making->secret))
		return BN_clear_bit(making->secret, 0);
	return true;
}

/* The public part by the core, if it is wanted */
static bool power(struct making *making)
{
	const struct fsp_dh *dh = making->dh;
	size_t size = (making->secret_bits + 7) / 8;
	uint8_t *secret = OPENSSL_malloc(size), *public = OPENSSL_malloc(dh->size);
	const struct firesteel_request request = {
		.operation = FIRESTEEL_DH,
		.dh = { .prime = dh->prime,
			.peer = dh->generator,
			.secret = { secret, size },
			.result = { public, dh->size } },
	};
	bool good = secret && public &&
		    fsp_task_wanted(making->provider, FSP_TASK_DH, &request, dh->bits,
				    fsp_dh_effort(dh, size)) &&
		    (dh->safe ? random_in_group(making) : random_bits(making)) &&
		    BN_bn2binpad(making->secret, secret, (int)size) >= 0 &&
		    fsp_task_run(making->provider, FSP_TASK_DH, &request, dh->bits) ==
			    FIRESTEEL_OK &&
		    BN_bin2bn(public, (int)dh->size, making->public);

	OPENSSL_clear_free(secret, size);
	OPENSSL_free(public);
	return good;
}

/* The parameters with the two numbers */
static EVP_PKEY *assemble(const struct making *making, const EVP_PKEY *parameters)
{
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	OSSL_PARAM *pair = NULL;
	EVP_PKEY *made = NULL;

	if (builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, making->secret) &&
	    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PUB_KEY, making->public) &&
	    (pair = OSSL_PARAM_BLD_to_param(builder)))
		made = fsp_key_make_from(making->provider, EVP_PKEY_get0_type_name(parameters),
					 parameters, OSSL_KEYMGMT_SELECT_ALL_PARAMETERS,
					 OSSL_KEYMGMT_SELECT_KEYPAIR, pair);
	OSSL_PARAM_free(pair);
	OSSL_PARAM_BLD_free(builder);
	return made;
}

static EVP_PKEY *make(struct making *making, const EVP_PKEY *parameters)
{
	EVP_PKEY *made = NULL;

	making->context = BN_CTX_secure_new_ex(making->provider->library);
	if (!making->context)
		return NULL;
	BN_CTX_start(making->context);
	making->secret = BN_CTX_get(making->context);
	making->public = BN_CTX_get(making->context);
	if (making->public && power(making))
		made = assemble(making, parameters);
	BN_CTX_end(making->context);
	BN_CTX_free(making->context);
	return made;
}

EVP_PKEY *fsp_dh_generate(struct fsp_provider *provider, EVP_PKEY *parameters)
{
	struct fsp_dh *dh = fsp_dh_numbers_new(provider, parameters);
	struct making making = { .provider = provider, .dh = dh };
	EVP_PKEY *made = NULL;

	if (!dh)
		return NULL;
	making.secret_bits = secret_bits(dh, parameters);
	if (making.secret_bits > 0 && dh->bits >= FSP_DH_BITS_MIN && dh->generator.size > 0) {
		ERR_set_mark();
		made = make(&making, parameters);
		ERR_pop_to_mark();
	} else {
		fsp_task_unfit(provider, FSP_TASK_DH);
	}
	fsp_dh_numbers_free(dh);
	return made;
}
