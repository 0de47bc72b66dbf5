/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys are generated with a secret as long, and as random, as software would have it (SP 800-56A,
 * 5.6.1.1.4, for named groups, whose secrets are short); for other groups that have their order among their parameters, software
 * generates the keys.
 */
#include "keys/dh.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "base/memory.h"
#include "base/policy.h"
#include "keys/number.h"
#include "keys/power.h"

#define SECRET_MIN 224 /* bits: a strength of 112 */

/* ---- components ---- */

void fsp_dh_components_free(void *opaque)
{
	struct fsp_dh *dh = opaque;

	if (!dh)
		return;
	fsp_numbers_cleanse(&dh->prime, 1);
	fsp_numbers_cleanse(&dh->generator, 1);
	fsp_numbers_cleanse(&dh->order, 1);
	fsp_numbers_cleanse(&dh->secret, 1);
	fsp_numbers_cleanse(&dh->public, 1);
	fsp_cleanse(dh, sizeof(*dh));
}

/*
 * The lengths of secrets that software chooses in groups by a safe prime: those of RFC 7919, appendix A, and
 * for groups of IKE as many as for one of TLS of that size (OpenSSL, crypto/ffc/ffc_dh.c).
 */
static const struct {
	const char *name;
	size_t length;
} groups[] = {
	{ "ffdhe2048", 225 }, { "ffdhe3072", 275 }, { "ffdhe4096", 325 }, { "ffdhe6144", 375 },
	{ "ffdhe8192", 400 }, { "modp_1536", 200 }, { "modp_2048", 225 }, { "modp_3072", 275 },
	{ "modp_4096", 325 }, { "modp_6144", 375 }, { "modp_8192", 400 },
};

static size_t named_length(const struct fsp_key *key)
{
	char name[FSP_KEY_NAME];

	fsp_key_group(key, name);
	for (unsigned i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (strcmp(name, groups[i].name) == 0)
			return groups[i].length;
	return 0;
}

void *fsp_dh_components_new(struct fsp_key *key)
{
	static const char *const names[] = { OSSL_PKEY_PARAM_FFC_P, OSSL_PKEY_PARAM_FFC_G,
					     OSSL_PKEY_PARAM_FFC_Q, OSSL_PKEY_PARAM_PRIV_KEY,
					     OSSL_PKEY_PARAM_PUB_KEY };
	struct firesteel_bytes components[5];
	struct fsp_dh *dh = OPENSSL_zalloc(sizeof(*dh));

	if (!dh || !fsp_numbers_read(key, names, 5, fsp_key_size(key), components)) {
		OPENSSL_free(dh);
		return NULL;
	}
	dh->prime = components[0];
	dh->generator = components[1];
	dh->order = components[2];
	dh->secret = components[3];
	dh->public = components[4];
	dh->bits = (size_t)fsp_key_number(key, OSSL_PKEY_PARAM_BITS);
	dh->size = (dh->bits + 7) / 8;
	/* X9.42 tells the order, and software checks with it */
	dh->length = strcmp(key->kind->name, "DH") == 0 ? named_length(key) : 0;
	if (dh->prime.size > 0 && dh->prime.size == dh->size)
		return dh;
	fsp_dh_components_free(dh);
	return NULL;
}

bool fsp_dh_tell(const void *components, OSSL_PARAM *param)
{
	const struct fsp_dh *dh = components;
	const struct {
		const char *name;
		struct firesteel_bytes number;
	} told[] = {
		{ OSSL_PKEY_PARAM_FFC_P, dh->prime },
		{ OSSL_PKEY_PARAM_FFC_G, dh->generator },
		{ OSSL_PKEY_PARAM_PUB_KEY, dh->public },
	};

	if (param->data_type != OSSL_PARAM_UNSIGNED_INTEGER || !param->data)
		return false;
	for (unsigned i = 0; i < sizeof(told) / sizeof(*told); i++) {
		if (strcmp(param->key, told[i].name) != 0)
			continue;
		if (told[i].number.size == 0 || told[i].number.size > param->data_size)
			return false;
		fsp_number_native(told[i].number, param->data, param->data_size);
		param->return_size = param->data_size;
		return true;
	}
	return false;
}

/* How much more software needs than for the trial's: it squares once for each bit of the exponent,
 * and a product takes nearly as long as the square of its bits */
uint64_t fsp_dh_effort(const struct fsp_dh *dh, size_t exponent)
{
	uint64_t bits = dh->bits;

	return FSC_EFFORT * bits / 1024 * (bits + 1024) / 2048 * (8 * exponent) / 256;
}

/* ---- generation ---- */

/* The length of a secret; 0: software decides it, as about those that are told and too long or too short */
static size_t secret_bits(const struct fsp_dh *dh, size_t told)
{
	const size_t most = dh->length > 0 ? dh->bits - 1 : dh->bits - 2; /* as software has it */
	const size_t least = dh->length > 0 ? dh->length : SECRET_MIN;

	if (!fsp_dh_is_simple(dh) || (told > 0 && (told < least || told > most)))
		return 0;
	if (told > 0)
		return told;
	return dh->length > 0 ? dh->length : most;
}

static const struct fsp_dh *group_of(const struct fsp_generation *generation)
{
	return fsp_key_components(generation->parameters);
}

static bool plan(struct fsp_generation *generation)
{
	const struct fsp_dh *dh = group_of(generation);
	int told;

	if (!dh)
		return false;
	told = fsp_key_number(generation->parameters, OSSL_PKEY_PARAM_DH_PRIV_LEN);
	generation->told = told > 0;
	generation->secret_bits = secret_bits(dh, told > 0 ? (size_t)told : 0);
	if (generation->secret_bits == 0 || dh->bits < FSP_DH_BITS_MIN || dh->generator.size == 0 ||
	    !fsp_power_is_short(fsp_power_length(dh->bits, generation->secret_bits))) {
		fsp_policy_unfit(generation->provider, FSP_TASK_DH);
		return false;
	}
	generation->secret.size = (generation->secret_bits + 7) / 8;
	generation->public.size = dh->size;
	generation->bits = dh->bits;
	generation->effort = fsp_dh_effort(dh, generation->secret.size);
	return true;
}

static struct firesteel_request request_of(const struct fsp_generation *generation)
{
	const struct fsp_dh *dh = group_of(generation);

	return (struct firesteel_request){
		.operation = FIRESTEEL_DH,
		.dh = { .prime = dh->prime,
			.peer = dh->generator,
			.secret = fsp_number_of(generation->secret),
			.result = generation->public },
	};
}

/* Of a named group: 1 to the smaller one of 2 ^ bits and the order, less one */
static bool random_in_group(const struct fsp_generation *generation)
{
	const struct fsp_dh *dh = group_of(generation);
	BIGNUM *limit = BN_new(), *order = BN_bin2bn(dh->order.data, (int)dh->order.size, NULL);
	bool good = limit && order && BN_set_bit(limit, (int)generation->secret_bits) &&
		    fsp_number_random_below(generation->provider->library,
					    BN_cmp(order, limit) < 0 ? order : limit,
					    generation->secret);

	BN_free(limit);
	BN_free(order);
	return good;
}

/*
 * Of another one: as many bits, the highest of which is set.  With 2 as the generator and a prime
 * for which that is no square, the lowest bit would be public: so it is cleared.
 */
static bool random_bits(const struct fsp_generation *generation)
{
	const struct fsp_dh *dh = group_of(generation);
	const struct firesteel_bytes generator = dh->generator, prime = dh->prime;
	struct firesteel_output secret = generation->secret;

	if (!fsp_number_random_bits(generation->provider->library, generation->secret_bits, secret))
		return false;
	if (generator.size == 1 && generator.data[0] == 2 && !(prime.data[prime.size - 1] & 4))
		secret.data[secret.size - 1] &= 0xfe;
	return true;
}

static bool random_secret(struct fsp_generation *generation)
{
	return group_of(generation)->length > 0 ? random_in_group(generation)
						: random_bits(generation);
}

/* Its components, which are known already; NULL: they are read when they are wanted */
static struct fsp_dh *components_of(const struct fsp_generation *generation)
{
	const struct fsp_dh *group = group_of(generation);
	struct fsp_dh *dh = OPENSSL_zalloc(sizeof(*dh));

	if (!dh)
		return NULL;
	dh->bits = group->bits;
	dh->size = group->size;
	dh->length = group->length;
	if (fsp_number_keep(group->prime, &dh->prime) &&
	    fsp_number_keep(group->generator, &dh->generator) &&
	    (group->order.size == 0 || fsp_number_keep(group->order, &dh->order)) &&
	    fsp_number_keep(fsp_number_of(generation->secret), &dh->secret) &&
	    fsp_number_keep(fsp_number_of(generation->public), &dh->public))
		return dh;
	fsp_dh_components_free(dh);
	return NULL;
}

#define PARAMS 6u /* two components of the group, two of the key, a length, the end */

/*
 * A group without name and order is prime and generator.  Of others, software is asked for all
 * parameters.
 */
static void *make(const struct fsp_generation *generation, uint8_t *at)
{
	const struct fsp_dh *dh = group_of(generation);
	const bool plain = dh->order.size == 0 && dh->length == 0;
	int length = (int)generation->secret_bits;
	OSSL_PARAM params[PARAMS], *next = params;

	*next++ = fsp_number_param(OSSL_PKEY_PARAM_PRIV_KEY, fsp_number_of(generation->secret),
				   &at);
	*next++ = fsp_number_param(OSSL_PKEY_PARAM_PUB_KEY, fsp_number_of(generation->public), &at);
	if (plain) {
		*next++ = fsp_number_param(OSSL_PKEY_PARAM_FFC_P, dh->prime, &at);
		*next++ = fsp_number_param(OSSL_PKEY_PARAM_FFC_G, dh->generator, &at);
	}
	if (plain && generation->told)
		*next++ = OSSL_PARAM_construct_int(OSSL_PKEY_PARAM_DH_PRIV_LEN, &length);
	*next = OSSL_PARAM_construct_end();
	return plain ? fsp_key_data(generation->software, OSSL_KEYMGMT_SELECT_ALL, params)
		     : fsp_key_data_like(generation->parameters, OSSL_KEYMGMT_SELECT_KEYPAIR,
					 params);
}

static void *assemble(struct fsp_generation *generation)
{
	const struct fsp_dh *dh = group_of(generation);
	const size_t size = dh->prime.size + dh->generator.size + generation->secret.size +
			    generation->public.size;
	uint8_t *memory = OPENSSL_malloc(size);
	void *made = memory ? make(generation, memory) : NULL;

	fsp_cleanse(memory, size);
	if (made)
		generation->components = components_of(generation);
	return made;
}

const struct fsp_generator fsp_dh_generator = {
	.task = FSP_TASK_DH,
	.plan = plan,
	.request = request_of,
	.random = random_secret,
	.assemble = assemble,
};
