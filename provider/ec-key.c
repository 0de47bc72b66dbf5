/* SPDX-License-Identifier: Apache-2.0 */
/* The components of a key on an elliptic curve, for the core; and keys whose public point it computes. */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>

#include "ec.h"

/* What the core has in hardware; libcrypto has its own names for the older two */
static const struct wired {
	const char *name;
	enum firesteel_curve_name curve;
	size_t bits;
} wired[] = {
	{ SN_X9_62_prime256v1, FIRESTEEL_P256, 256 },
	{ SN_secp384r1, FIRESTEEL_P384, 384 },
	{ SN_secp521r1, FIRESTEEL_P521, 521 },
	{ SN_X9_62_prime192v1, FIRESTEEL_P192, 192 },
};

#define CURVES (sizeof(wired) / sizeof(*wired))

static bool has_curve(const struct fsp_provider *provider, const struct wired *curve)
{
	return provider->capabilities.curves & 1u << curve->curve;
}

/* NULL: the device does not have it */
static const struct wired *find(const struct fsp_provider *provider, const EVP_PKEY *software)
{
	char name[80] = "";
	size_t size;
	bool named;

	ERR_set_mark();
	named = EVP_PKEY_get_group_name(software, name, sizeof(name), &size);
	ERR_pop_to_mark();
	for (size_t i = 0; i < CURVES && named; i++)
		if (strcmp(name, wired[i].name) == 0)
			return has_curve(provider, &wired[i]) ? &wired[i] : NULL;
	return NULL;
}

static const struct wired *trial_curve(const struct fsp_provider *provider)
{
	for (size_t i = 0; i < CURVES; i++)
		if (has_curve(provider, &wired[i]))
			return &wired[i];
	return NULL;
}

const char *fsp_ec_trial_curve(const struct fsp_provider *provider)
{
	const struct wired *curve = trial_curve(provider);

	return curve ? curve->name : NULL;
}

/* Twice the bits are twice the doublings, of which each takes four times as long; software is best at
 * P-256, so that for others this is less than it needs */
uint64_t fsp_ec_effort(const struct fsp_provider *provider, const struct fsp_ec *ec)
{
	const struct wired *curve = trial_curve(provider);
	uint64_t tried = curve ? curve->bits : ec->bits;

	return FSP_EFFORT * ec->bits * ec->bits / (tried * tried) * ec->bits / tried;
}

/* ---- the key ---- */

void fsp_ec_components_free(void *opaque)
{
	struct fsp_ec *ec = opaque;

	if (!ec)
		return;
	fsp_key_cleanse(&ec->secret, 1);
	fsp_key_cleanse(&ec->x, 1);
	fsp_key_cleanse(&ec->y, 1);
	fsp_cleanse(ec, sizeof(*ec));
}

void *fsp_ec_components_new(struct fsp_provider *provider, EVP_PKEY *software)
{
	static const char *const names[] = { OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_EC_PUB_X,
					     OSSL_PKEY_PARAM_EC_PUB_Y };
	const struct wired *curve = find(provider, software);
	struct firesteel_bytes components[3];
	struct fsp_ec *ec;

	/* A point at infinity, of which there are no coordinates, ends here too */
	if (!curve || !fsp_key_read(software, names, 3, FSP_EC_SIZE_MAX, components))
		return NULL;
	ec = OPENSSL_zalloc(sizeof(*ec));
	if (!ec) {
		fsp_key_cleanse(components, 3);
		return NULL;
	}
	ec->curve.name = curve->curve;
	ec->bits = curve->bits;
	ec->size = (curve->bits + 7) / 8;
	ec->secret = components[0];
	ec->x = components[1];
	ec->y = components[2];
	return ec;
}

/* ---- generation ---- */

struct making {
	struct fsp_provider *provider;
	const struct fsp_ec *ec; /* the curve alone */
	EVP_PKEY *parameters;
	BN_CTX *context;
	BIGNUM *secret;
	uint8_t point[1 + 2 * FSP_EC_SIZE_MAX]; /* uncompressed */
};

/* 1 to the order less one, as FIPS 186-4, B.4.2, has it */
static bool random_secret(const struct making *making)
{
	BIGNUM *order = NULL;
	bool good = EVP_PKEY_get_bn_param(making->parameters, OSSL_PKEY_PARAM_EC_ORDER, &order) &&
		    BN_sub_word(order, 1) &&
		    BN_priv_rand_range_ex(making->secret, order, 0, making->context) &&
		    BN_add_word(making->secret, 1);

	BN_free(order);
	return good;
}

static bool multiply(struct making *making)
{
	const struct fsp_ec *ec = making->ec;
	uint8_t secret[FSP_EC_SIZE_MAX];
	const struct firesteel_request request = {
		.operation = FIRESTEEL_EC_PUBLIC,
		.ec_public = { .curve = ec->curve,
			       .secret = { secret, ec->size },
			       .x = { making->point + 1, ec->size },
			       .y = { making->point + 1 + ec->size, ec->size } },
	};
	/* Software knows multiples of the generator: it needs much less than for an exchange */
	bool good = fsp_task_wanted(making->provider, FSP_TASK_ECDH, &request, ec->bits,
				    fsp_ec_effort(making->provider, ec) / 4) &&
		    random_secret(making) &&
		    BN_bn2binpad(making->secret, secret, (int)ec->size) >= 0 &&
		    fsp_task_run(making->provider, FSP_TASK_ECDH, &request, ec->bits) ==
			    FIRESTEEL_OK;

	making->point[0] = POINT_CONVERSION_UNCOMPRESSED;
	firesteel_wipe(secret, sizeof(secret));
	return good;
}

/* Software looks whether the point is on the curve */
static EVP_PKEY *assemble(const struct making *making)
{
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	OSSL_PARAM *pair = NULL;
	EVP_PKEY *made = NULL;

	if (builder &&
	    OSSL_PARAM_BLD_push_BN_pad(builder, OSSL_PKEY_PARAM_PRIV_KEY, making->secret,
				       making->ec->size) &&
	    OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, making->point,
					     1 + 2 * making->ec->size) &&
	    (pair = OSSL_PARAM_BLD_to_param(builder)))
		made = fsp_key_make_from(making->provider, "EC", making->parameters,
					 OSSL_KEYMGMT_SELECT_ALL_PARAMETERS,
					 OSSL_KEYMGMT_SELECT_KEYPAIR, pair);
	OSSL_PARAM_free(pair);
	OSSL_PARAM_BLD_free(builder);
	return made;
}

static EVP_PKEY *make(struct making *making)
{
	EVP_PKEY *made = NULL;

	making->context = BN_CTX_secure_new_ex(making->provider->library);
	if (!making->context)
		return NULL;
	BN_CTX_start(making->context);
	making->secret = BN_CTX_get(making->context);
	if (making->secret && multiply(making)) {
		made = assemble(making);
		if (!made)
			fsp_task_distrust(making->provider, FSP_TASK_ECDH);
	}
	BN_CTX_end(making->context);
	BN_CTX_free(making->context);
	return made;
}

EVP_PKEY *fsp_ec_generate(struct fsp_provider *provider, struct fsp_key *parameters,
			  void **components)
{
	struct making making = { .provider = provider, .parameters = parameters->software };
	struct fsp_ec *ec;
	EVP_PKEY *made = NULL;

	(void)components; /* a curve's are few */
	if (!provider->settings.on[FSP_ECDH])
		return NULL;
	ERR_set_mark();
	ec = fsp_ec_components_new(provider, parameters->software);
	making.ec = ec;
	if (ec)
		made = make(&making);
	else
		fsp_task_unfit(provider, FSP_TASK_ECDH);
	ERR_pop_to_mark();
	fsp_ec_components_free(ec);
	return made;
}
