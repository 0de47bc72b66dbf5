/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffie-Hellman keys whose public part the core computes.  The secret is as long, and as random,
 * as software would have it (SP 800-56A, 5.6.1.1.4, for named groups); for other groups that have
 * their order among their parameters, software generates the keys.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "dh.h"

#define SECRET_MIN 224 /* bits: a strength of 112 */

struct making {
	struct fsp_provider *provider;
	const struct fsp_dh *dh; /* parameters alone */
	int length; /* of the secret, as the parameters have it; 0: they do not */
	size_t secret_bits;
	BN_CTX *context;
	BIGNUM *number; /* the secret */
	struct firesteel_output secret, public;
};

static int told_length(const EVP_PKEY *parameters)
{
	int length = 0;

	ERR_set_mark();
	if (!EVP_PKEY_get_int_param(parameters, OSSL_PKEY_PARAM_DH_PRIV_LEN, &length) || length < 0)
		length = 0;
	ERR_pop_to_mark();
	return length;
}

/* The length of a secret; 0: software decides it */
static size_t secret_bits(const struct fsp_dh *dh, int length)
{
	if (dh->order.size > 0 && !dh->safe)
		return 0;
	/* Software decides about secrets that are too long or too short */
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
	       BN_priv_rand_range_ex(making->number, limit, 0, making->context) &&
	       BN_add_word(making->number, 1);
}

/*
 * Of another one: as many bits, the highest of which is set.  With 2 as the generator and a prime
 * for which that is no square, the lowest bit would be public: so it is cleared.
 */
static bool random_bits(struct making *making)
{
	const struct firesteel_bytes generator = making->dh->generator, prime = making->dh->prime;

	if (!BN_priv_rand_ex(making->number, (int)making->secret_bits, BN_RAND_TOP_ONE,
			     BN_RAND_BOTTOM_ANY, 0, making->context))
		return false;
	if (generator.size == 1 && generator.data[0] == 2 && !(prime.data[prime.size - 1] & 4) &&
	    BN_is_odd(making->number))
		return BN_clear_bit(making->number, 0);
	return true;
}

static struct firesteel_bytes bytes_of(struct firesteel_output output)
{
	return (struct firesteel_bytes){ output.data, output.size };
}

/* The public part by the core, if it is wanted */
static bool power(struct making *making)
{
	const struct fsp_dh *dh = making->dh;
	const struct firesteel_request request = {
		.operation = FIRESTEEL_DH,
		.dh = { .prime = dh->prime,
			.peer = dh->generator,
			.secret = bytes_of(making->secret),
			.result = making->public },
	};

	return fsp_task_wanted(making->provider, FSP_TASK_DH, &request, dh->bits,
			       fsp_dh_effort(dh, making->secret.size)) &&
	       (dh->safe ? random_in_group(making) : random_bits(making)) &&
	       BN_bn2binpad(making->number, making->secret.data, (int)making->secret.size) >= 0 &&
	       fsp_task_run(making->provider, FSP_TASK_DH, &request, dh->bits) == FIRESTEEL_OK;
}

/* ---- the key that it makes ---- */

#define PARAMS 6u /* two components of the group, two of the key, a length, the end */

static OSSL_PARAM native(const char *name, struct firesteel_bytes number, uint8_t **memory)
{
	uint8_t *at = *memory;

	fsp_key_native(number, at, number.size);
	*memory += number.size;
	return OSSL_PARAM_construct_BN(name, at, number.size);
}

/*
 * A group without name and order is prime and generator.  Of others, software is asked for all
 * parameters.
 */
static EVP_PKEY *assemble(struct making *making, const EVP_PKEY *parameters)
{
	const struct fsp_dh *dh = making->dh;
	const char *kind = EVP_PKEY_get0_type_name(parameters);
	const bool plain = dh->order.size == 0 && !dh->safe;
	const size_t size = dh->prime.size + dh->generator.size + making->secret.size +
			    making->public.size;
	uint8_t *memory = OPENSSL_malloc(size), *at = memory;
	OSSL_PARAM params[PARAMS], *next = params;
	EVP_PKEY *made;

	if (!memory)
		return NULL;
	*next++ = native(OSSL_PKEY_PARAM_PRIV_KEY, bytes_of(making->secret), &at);
	*next++ = native(OSSL_PKEY_PARAM_PUB_KEY, bytes_of(making->public), &at);
	if (plain) {
		*next++ = native(OSSL_PKEY_PARAM_FFC_P, dh->prime, &at);
		*next++ = native(OSSL_PKEY_PARAM_FFC_G, dh->generator, &at);
	}
	if (plain && making->length > 0)
		*next++ = OSSL_PARAM_construct_int(OSSL_PKEY_PARAM_DH_PRIV_LEN, &making->length);
	*next = OSSL_PARAM_construct_end();
	made = plain ? fsp_key_make(making->provider, kind, OSSL_KEYMGMT_SELECT_ALL, params)
		     : fsp_key_make_from(making->provider, kind, parameters,
					 OSSL_KEYMGMT_SELECT_ALL_PARAMETERS,
					 OSSL_KEYMGMT_SELECT_KEYPAIR, params);
	fsp_cleanse(memory, size);
	return made;
}

/* Its components, which are known already; NULL: they are read when they are wanted */
static struct fsp_dh *components_of(const struct making *making)
{
	struct fsp_dh *dh = OPENSSL_zalloc(sizeof(*dh));

	if (!dh)
		return NULL;
	dh->bits = making->dh->bits;
	dh->size = making->dh->size;
	dh->safe = making->dh->safe;
	if (fsp_key_keep(making->dh->prime, &dh->prime) &&
	    fsp_key_keep(making->dh->generator, &dh->generator) &&
	    (making->dh->order.size == 0 || fsp_key_keep(making->dh->order, &dh->order)) &&
	    fsp_key_keep(bytes_of(making->secret), &dh->secret) &&
	    fsp_key_keep(bytes_of(making->public), &dh->public))
		return dh;
	fsp_dh_components_free(dh);
	return NULL;
}

/* ---- all of it ---- */

static EVP_PKEY *make_with(struct making *making, const EVP_PKEY *parameters, void **components)
{
	EVP_PKEY *made = NULL;

	BN_CTX_start(making->context);
	making->number = BN_CTX_get(making->context);
	if (making->number && making->secret.data && making->public.data && power(making))
		made = assemble(making, parameters);
	BN_CTX_end(making->context);
	if (made)
		*components = components_of(making);
	return made;
}

static EVP_PKEY *make(struct making *making, const EVP_PKEY *parameters, void **components)
{
	const size_t secret = (making->secret_bits + 7) / 8, public = making->dh->size;
	EVP_PKEY *made = NULL;

	making->secret = (struct firesteel_output){ OPENSSL_malloc(secret), secret };
	making->public = (struct firesteel_output){ OPENSSL_malloc(public), public };
	making->context = BN_CTX_secure_new_ex(making->provider->library);
	if (making->context)
		made = make_with(making, parameters, components);
	BN_CTX_free(making->context);
	fsp_cleanse(making->secret.data, secret);
	OPENSSL_free(making->public.data);
	return made;
}

EVP_PKEY *fsp_dh_generate(struct fsp_provider *provider, struct fsp_key *parameters,
			  void **components)
{
	const struct fsp_dh *dh = fsp_key_components(parameters);
	struct making making = { .provider = provider, .dh = dh };
	EVP_PKEY *made = NULL;

	if (!dh)
		return NULL;
	making.length = told_length(parameters->software);
	making.secret_bits = secret_bits(dh, making.length);
	if (making.secret_bits > 0 && dh->bits >= FSP_DH_BITS_MIN && dh->generator.size > 0) {
		ERR_set_mark();
		made = make(&making, parameters->software, components);
		ERR_pop_to_mark();
	} else {
		fsp_task_unfit(provider, FSP_TASK_DH);
	}
	return made;
}
