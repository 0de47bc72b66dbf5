/* SPDX-License-Identifier: Apache-2.0 */
/* RSA objects are deprecated; libcrypto's padding wants one: see public-key/rsa.h */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "keys/rsa.h"

#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include "base/memory.h"
#include "keys/number.h"

#define COMPONENTS (FSP_RSA_PARTS + 1)

static const char *const names[COMPONENTS] = {
	[FSP_RSA_N] = OSSL_PKEY_PARAM_RSA_N,
	[FSP_RSA_E] = OSSL_PKEY_PARAM_RSA_E,
	[FSP_RSA_D] = OSSL_PKEY_PARAM_RSA_D,
	[FSP_RSA_P] = OSSL_PKEY_PARAM_RSA_FACTOR1,
	[FSP_RSA_Q] = OSSL_PKEY_PARAM_RSA_FACTOR2,
	[FSP_RSA_DP] = OSSL_PKEY_PARAM_RSA_EXPONENT1,
	[FSP_RSA_DQ] = OSSL_PKEY_PARAM_RSA_EXPONENT2,
	[FSP_RSA_QINV] = OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
	[FSP_RSA_PARTS] = OSSL_PKEY_PARAM_RSA_FACTOR3,
};

void fsp_rsa_components_free(void *opaque)
{
	struct fsp_rsa *rsa = opaque;

	if (!rsa)
		return;
	fsp_numbers_cleanse(rsa->part, FSP_RSA_PARTS);
	RSA_free(rsa->padding);
	fsp_cleanse(rsa, sizeof(*rsa));
}

/* ---- the primes ---- */

/* The parts as libcrypto's numbers, with room for more; secret ones */
struct crt {
	BN_CTX *context;
	BIGNUM *part[FSP_RSA_PARTS];
	BIGNUM *one_less, *product;
};

static bool read_parts(struct crt *crt, const struct fsp_rsa *rsa)
{
	for (unsigned i = 0; i < FSP_RSA_PARTS; i++) {
		crt->part[i] = BN_CTX_get(crt->context);
		if (!crt->part[i] ||
		    (rsa->part[i].size > 0 &&
		     !BN_bin2bn(rsa->part[i].data, (int)rsa->part[i].size, crt->part[i])))
			return false;
		BN_set_flags(crt->part[i], BN_FLG_CONSTTIME);
	}
	crt->one_less = BN_CTX_get(crt->context);
	crt->product = BN_CTX_get(crt->context);
	if (!crt->product)
		return false;
	BN_set_flags(crt->one_less, BN_FLG_CONSTTIME);
	BN_set_flags(crt->product, BN_FLG_CONSTTIME);
	return true;
}

static bool write_part(struct fsp_rsa *rsa, enum fsp_rsa_part which, const BIGNUM *number)
{
	size_t size = (size_t)BN_num_bytes(number);
	uint8_t *bytes = OPENSSL_malloc(size > 0 ? size : 1);

	if (!bytes)
		return false;
	BN_bn2binpad(number, bytes, (int)size);
	fsp_numbers_cleanse(&rsa->part[which], 1);
	rsa->part[which] = (struct firesteel_bytes){ bytes, size };
	return size > 0;
}

/* d mod prime - 1, which may be missing, and has to be e's inverse */
static bool exponent(struct crt *crt, struct fsp_rsa *rsa, enum fsp_rsa_part prime,
		     enum fsp_rsa_part which)
{
	BIGNUM *exponent = crt->part[which];

	if (!BN_copy(crt->one_less, crt->part[prime]) || !BN_sub_word(crt->one_less, 1))
		return false;
	if (BN_is_zero(exponent) &&
	    (!BN_mod(exponent, crt->part[FSP_RSA_D], crt->one_less, crt->context) ||
	     !write_part(rsa, which, exponent)))
		return false;
	return BN_mod_mul(crt->product, crt->part[FSP_RSA_E], exponent, crt->one_less,
			  crt->context) &&
	       BN_is_one(crt->product);
}

/* q ^ -1 mod p, likewise */
static bool coefficient(struct crt *crt, struct fsp_rsa *rsa)
{
	BIGNUM *inverse = crt->part[FSP_RSA_QINV];

	if (BN_is_zero(inverse) &&
	    (!BN_mod_inverse(inverse, crt->part[FSP_RSA_Q], crt->part[FSP_RSA_P], crt->context) ||
	     !write_part(rsa, FSP_RSA_QINV, inverse)))
		return false;
	return BN_mod_mul(crt->product, inverse, crt->part[FSP_RSA_Q], crt->part[FSP_RSA_P],
			  crt->context) &&
	       BN_is_one(crt->product);
}

/* Whether the components are consistent: a wrong result is then the core's fault */
static bool together(struct fsp_rsa *rsa)
{
	struct crt crt = { .context = BN_CTX_secure_new_ex(rsa->provider->library) };
	bool good;

	if (!crt.context)
		return false;
	BN_CTX_start(crt.context);
	good = read_parts(&crt, rsa) && !BN_is_zero(crt.part[FSP_RSA_P]) &&
	       !BN_is_one(crt.part[FSP_RSA_P]) && !BN_is_zero(crt.part[FSP_RSA_Q]) &&
	       !BN_is_one(crt.part[FSP_RSA_Q]) &&
	       BN_mul(crt.product, crt.part[FSP_RSA_P], crt.part[FSP_RSA_Q], crt.context) &&
	       BN_cmp(crt.product, crt.part[FSP_RSA_N]) == 0 &&
	       exponent(&crt, rsa, FSP_RSA_P, FSP_RSA_DP) &&
	       exponent(&crt, rsa, FSP_RSA_Q, FSP_RSA_DQ) && coefficient(&crt, rsa);
	BN_CTX_end(crt.context); /* secret numbers are wiped when the context goes */
	BN_CTX_free(crt.context);
	return good;
}

/* ---- the key ---- */

static bool read_key(struct fsp_rsa *rsa, const struct fsp_key *key)
{
	struct firesteel_bytes components[COMPONENTS];
	bool third;

	if (!fsp_numbers_read(key, names, COMPONENTS, rsa->size, components))
		return false;
	memcpy(rsa->part, components, sizeof(rsa->part));
	third = components[FSP_RSA_PARTS].size > 0;
	fsp_numbers_cleanse(&components[FSP_RSA_PARTS], 1);
	if (rsa->part[FSP_RSA_N].size == 0 || rsa->part[FSP_RSA_E].size == 0)
		return false;
	rsa->exponent_bits = fsp_number_bits(rsa->part[FSP_RSA_E]);
	/* With more primes the core could not blind the exponent */
	rsa->private = rsa->part[FSP_RSA_D].size > 0 && !third;
	rsa->crt = rsa->private && rsa->part[FSP_RSA_P].size > 0 && rsa->part[FSP_RSA_Q].size > 0;
	/* Inconsistent components are left to software, which handles broken keys better */
	if (rsa->crt && !together(rsa))
		atomic_store(&rsa->broken, true);
	return true;
}

static int least_salt(const struct fsp_key *key)
{
	int salt = -1;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_PKEY_PARAM_RSA_PSS_SALTLEN, &salt),
		OSSL_PARAM_construct_end(),
	};

	return fsp_key_get(key, params) && OSSL_PARAM_modified(params) ? salt : -1;
}

static RSA *padding_of(const struct fsp_rsa *rsa)
{
	RSA *padding = RSA_new();
	BIGNUM *n = BN_bin2bn(rsa->part[FSP_RSA_N].data, (int)rsa->part[FSP_RSA_N].size, NULL);
	BIGNUM *e = BN_bin2bn(rsa->part[FSP_RSA_E].data, (int)rsa->part[FSP_RSA_E].size, NULL);

	if (padding && n && e && RSA_set0_key(padding, n, e, NULL))
		return padding;
	BN_free(n);
	BN_free(e);
	RSA_free(padding);
	return NULL;
}

void *fsp_rsa_components_new(struct fsp_key *key)
{
	struct fsp_rsa *rsa = OPENSSL_zalloc(sizeof(*rsa));

	if (!rsa)
		return NULL;
	rsa->provider = key->provider;
	rsa->bits = (size_t)fsp_key_number(key, OSSL_PKEY_PARAM_BITS);
	rsa->size = fsp_key_size(key);
	rsa->least_salt = least_salt(key);
	if (read_key(rsa, key) && (rsa->padding = padding_of(rsa)))
		return rsa;
	fsp_rsa_components_free(rsa);
	return NULL;
}
